//! Conversion of errors of the engine.

use std::io;
use std::path::Path;

use rusqlite::ffi::{
    ErrorCode, SQLITE_CONSTRAINT_FOREIGNKEY, SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_DATA, SQLITE_IOERR_SHORT_READ,
};

use crate::connection::Failure;
use crate::error::DatabaseError;

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Engine(Box::new(error)),
        }
    }
}

/// Converts an error, and detects a row that refers to a missing one.
pub(super) fn failure(error: rusqlite::Error) -> Failure {
    match error.sqlite_error() {
        Some(cause) if cause.extended_code == SQLITE_CONSTRAINT_FOREIGNKEY => Failure::Reference(error.into()),
        _ => Failure::Other(error.into()),
    }
}

pub(super) fn unusable(path: &Path, error: io::Error) -> DatabaseError {
    DatabaseError::Unusable {
        path: path.to_owned(),
        source: error.into(),
    }
}

/// Adds the path to an error of a damaged file, in a store that is open.
pub(super) fn on_damage(path: &Path, error: DatabaseError) -> DatabaseError {
    match error {
        // `NotADatabase` is damage, too: the file was a store when it was opened.
        DatabaseError::Engine(source) if is_damage(source.as_ref()) => {
            let path = path.to_owned();
            let source = explained(source);
            DatabaseError::Damaged { path, source }
        }
        other => other,
    }
}

/// Explains a page that does not match its checksum, because the text of the engine's error does not.
fn explained(source: Box<dyn std::error::Error + Send + Sync>) -> Box<dyn std::error::Error + Send + Sync> {
    let error = source.downcast_ref::<rusqlite::Error>();
    match error.is_some_and(wearlab_checksum_vfs::is_mismatch) {
        true => "a page does not match its checksum".into(),
        false => source,
    }
}

/// Returns whether an error of the engine means damage of the file.
fn is_damage(cause: &(dyn std::error::Error + 'static)) -> bool {
    let error = cause
        .downcast_ref::<rusqlite::Error>()
        .and_then(rusqlite::Error::sqlite_error);
    let Some(error) = error else { return false };
    matches!(error.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        || matches!(
            error.extended_code,
            SQLITE_IOERR_SHORT_READ | SQLITE_IOERR_CORRUPTFS | SQLITE_IOERR_DATA
        )
}

/// Adds the path to an error while the store is being opened.
pub(super) fn with_path(path: &Path, error: DatabaseError) -> DatabaseError {
    let path = path.to_owned();
    match error {
        DatabaseError::Engine(source) => match code(source.as_ref()) {
            Some(ErrorCode::NotADatabase) => DatabaseError::OfAnother { path },
            _ if is_damage(source.as_ref()) => {
                let source = explained(source);
                DatabaseError::Damaged { path, source }
            }
            _ => DatabaseError::Unusable { path, source },
        },
        DatabaseError::Busy => DatabaseError::Unusable {
            path,
            source: Box::new(DatabaseError::Busy),
        },
        other => other,
    }
}

fn code(cause: &(dyn std::error::Error + 'static)) -> Option<ErrorCode> {
    cause.downcast_ref::<rusqlite::Error>()?.sqlite_error_code()
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::path::Path;

    use super::with_path;
    use crate::error::DatabaseError;

    #[test]
    fn a_file_that_stays_busy_is_named() {
        let error = with_path(Path::new("/some/where/some.db"), DatabaseError::Busy);
        assert_eq!(error.to_string(), "open the database at /some/where/some.db");
        let cause = error.source().map(ToString::to_string);
        assert_eq!(cause.as_deref(), Some("use the database: it is busy; retry"));
    }
}
