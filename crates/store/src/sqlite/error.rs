//! The engine's errors in the store's terms.

use rusqlite::ffi::{ErrorCode, SQLITE_CONSTRAINT_FOREIGNKEY};

use crate::StoreError;
use crate::sql::connection::Failure;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Engine(Box::new(error)),
        }
    }
}

/// Tells apart a row that refers to one that is not there.
pub(super) fn failure(error: rusqlite::Error) -> Failure {
    match error.sqlite_error() {
        Some(cause) if cause.extended_code == SQLITE_CONSTRAINT_FOREIGNKEY => Failure::Reference(error.into()),
        _ => Failure::Other(error.into()),
    }
}
