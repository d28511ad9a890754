//! Connection to an engine, with the errors of the store.

pub(crate) use wearlab_database::Failure;

use crate::StoreError;

pub(crate) type Connection<'a> = wearlab_database::Connection<'a, StoreError>;

/// Names the missing target of a reference.
pub(super) fn missing(what: &'static str) -> impl Fn(Failure) -> StoreError {
    move |failure| match failure {
        Failure::Reference(_) => StoreError::Missing { what },
        Failure::Other(error) => error.into(),
    }
}
