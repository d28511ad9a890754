//! The engine's errors in the store's terms.

use rusqlite::ffi::{ErrorCode, SQLITE_CONSTRAINT_FOREIGNKEY};

use crate::StoreError;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Engine(Box::new(error)),
        }
    }
}

/// Names what a row refers to and does not find.
pub(super) fn missing(what: &'static str) -> impl Fn(rusqlite::Error) -> StoreError {
    move |error| match error.sqlite_error() {
        Some(cause) if cause.extended_code == SQLITE_CONSTRAINT_FOREIGNKEY => StoreError::Missing { what },
        _ => error.into(),
    }
}
