//! Parameters and columns of statements, with the errors of the store.

pub(crate) use wearlab_database::{Bind, OwnedValue, Params, Value, params};

use crate::StoreError;

pub(crate) type Row<'a> = wearlab_database::Row<'a, StoreError>;
