#![doc = include_str!("../README.md")]

mod file;
mod frame;
mod page;
mod vfs;

use std::ffi::c_int;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, ffi};

use file::Format;

/// Opens a connection to a file whose pages are verified against their checksums when they are read.
///
/// A file that is empty or missing gets checksums. An existing file without checksums stays without: [`copy`] it.
///
/// # Errors
///
/// If SQLite cannot open the file.
pub fn open(path: impl AsRef<Path>, flags: OpenFlags) -> rusqlite::Result<Connection> {
    vfs::register()?;
    let connection = Connection::open_with_flags_and_vfs(path, flags, vfs::NAME)?;
    if has_format(&connection, Format::Empty)? {
        reserve(&connection)?;
    }
    Ok(connection)
}

/// Copies the database of a connection, from one snapshot, into a file that is missing or empty. The copy has
/// checksums, also if the file has none.
///
/// # Errors
///
/// If `VACUUM INTO` fails, and if the connection was not created by [`open`].
pub fn copy(connection: &Connection, target: &str) -> rusqlite::Result<()> {
    reserve(connection)?;
    connection.execute("VACUUM INTO ?1", [target]).map(drop)
}

/// Returns whether the pages of a connection's file have checksums. An empty file has none yet.
///
/// # Errors
///
/// If the connection was not created by [`open`].
pub fn has_checksums(connection: &Connection) -> rusqlite::Result<bool> {
    has_format(connection, Format::WithChecksums)
}

/// Returns whether a connection's file has pages without checksums.
///
/// # Errors
///
/// If the connection was not created by [`open`].
pub fn is_without_checksums(connection: &Connection) -> rusqlite::Result<bool> {
    has_format(connection, Format::Plain)
}

fn has_format(connection: &Connection, format: Format) -> rusqlite::Result<bool> {
    let mut found = 0;
    control(connection, file::FORMAT, &mut found)?;
    Ok(found == format as c_int)
}

/// Returns whether the cause of an error is a page that does not match its checksum.
pub fn is_mismatch(error: &rusqlite::Error) -> bool {
    error
        .sqlite_error()
        .is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_DATA)
}

/// Requests reserved bytes in the pages of an empty file, or of the next copy.
///
/// A plain VACUUM would add them to a file without checksums. The rollback of an interrupted one would then put
/// checksums over data.
fn reserve(connection: &Connection) -> rusqlite::Result<()> {
    let mut reserved = page::RESERVED as c_int;
    control(connection, ffi::SQLITE_FCNTL_RESERVE_BYTES, &mut reserved)
}

fn control(connection: &Connection, operation: c_int, argument: &mut c_int) -> rusqlite::Result<()> {
    let argument: *mut c_int = argument;
    // SAFETY: the handle is open as long as the connection, and both operations take a pointer to an int.
    let code = unsafe { ffi::sqlite3_file_control(connection.handle(), c"main".as_ptr(), operation, argument.cast()) };
    match code {
        ffi::SQLITE_OK => Ok(()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}
