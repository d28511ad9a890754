//! Opens the file of a store, or makes it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::ffi::ErrorCode;
use rusqlite::{Connection, OpenFlags};

use super::schema;
use crate::StoreError;

/// How long to wait for another process that writes.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// More than there are statements, so that each is prepared once.
pub(super) const STATEMENT_CACHE: usize = 64;

const FILE: &str = "wearlab.db";

/// Opens the file in `folder` for writing, with its schema up to date.
pub(super) fn open(folder: &Path) -> Result<(PathBuf, Connection), StoreError> {
    make_folder(folder).map_err(|source| StoreError::Unusable {
        path: folder.to_owned(),
        source,
    })?;
    let path = folder.join(FILE);
    // The engine would take a file that it may only read, and fail later and less clearly.
    make_file(&path).map_err(|source| StoreError::Unusable {
        path: path.clone(),
        source,
    })?;
    let connection = connect(&path).map_err(|error| match error {
        StoreError::Engine(cause) if is_no_database(cause.as_ref()) => StoreError::NotAStore { path: path.clone() },
        other => other,
    })?;
    Ok((path, connection))
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // First, so that nothing is changed in a file that is not ours.
    schema::check(&connection, path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // What was answered as written survives a power cut.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    schema::migrate(&mut connection, path)?;
    Ok(connection)
}

/// Makes the folder if it is missing. What is in it is for its owner's eyes.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes the file if it is missing. The engine gives the files that it adds the same mode.
fn make_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn is_no_database(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause
        .downcast_ref::<rusqlite::Error>()
        .is_some_and(|error| error.sqlite_error_code() == Some(ErrorCode::NotADatabase))
}
