#![doc = include_str!("../README.md")]

mod file;
mod page;
mod vfs;

use std::ffi::c_int;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, ffi};

/// Opens a connection to a file whose pages are compared with their checksums when they are read.
///
/// A file that is empty or missing gets checksums, and so does what `VACUUM INTO` makes of one that has none; that one keeps
/// none until they are [added](add_checksums).
///
/// # Errors
///
/// Where SQLite cannot open the file.
pub fn open(path: impl AsRef<Path>, flags: OpenFlags) -> rusqlite::Result<Connection> {
    vfs::register()?;
    let connection = Connection::open_with_flags_and_vfs(path, flags, vfs::NAME)?;
    reserve(&connection)?;
    Ok(connection)
}

/// Writes the file of a connection anew, with checksums. In a rollback journal mode, nobody else has it open meanwhile.
///
/// # Errors
///
/// Those of `VACUUM`, and where the connection was not made by [`open`].
pub fn add_checksums(connection: &Connection) -> rusqlite::Result<()> {
    // VACUUM forgets what an earlier request was.
    reserve(connection)?;
    connection.execute_batch("VACUUM")
}

/// Returns whether the pages of a connection's file have checksums. A file that is empty has none yet.
///
/// # Errors
///
/// Where the connection was not made by [`open`].
pub fn has_checksums(connection: &Connection) -> rusqlite::Result<bool> {
    let mut has_checksums = 0;
    control(connection, file::HAS_CHECKSUMS, &mut has_checksums)?;
    Ok(has_checksums != 0)
}

/// Returns whether an error says that a page does not match its checksum.
pub fn is_mismatch(error: &rusqlite::Error) -> bool {
    error
        .sqlite_error()
        .is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_DATA)
}

/// Requests reserved bytes of the pages that are written to a new file, or by VACUUM.
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
