//! Opens or creates the file of a store.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags};

use super::atomic_file::{self, AtomicFile};
use super::error::{unusable, with_path};
use super::identity::OpenFiles;
use super::{schema, verify, wal};
use crate::error::DatabaseError;
use crate::schema::SqliteSchema;

/// Time to wait for another process that writes.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Size of the statement cache: larger than the number of statements, so that each is prepared once.
const STATEMENT_CACHE: usize = 64;

/// Number of pages in the log that triggers a checkpoint. Pages that change often, as those of indexes by random ids
/// do, are then written to the file only once.
const LOG_PAGES: i64 = 8 * 1024;

/// Flags of a connection that reads and writes an existing file.
const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens the file in `directory` for writing, and upgrades its schema. The cache is in KiB.
pub(super) fn open(
    directory: &Path,
    schema: &SqliteSchema,
    cache: i64,
) -> Result<(PathBuf, Connection, OpenFiles), DatabaseError> {
    make_directory(directory).map_err(|error| unusable(directory, error))?;
    let path = directory.join(schema.file);
    make_file(&path).map_err(|error| unusable(&path, error))?;
    wal::check(&path)?;
    upgrade(&path, schema).map_err(|error| with_path(&path, error))?;
    // Read before the file is opened, to detect that it is replaced meanwhile.
    let before = OpenFiles::at(&path)?;
    let connection = connect(&path, schema, cache).map_err(|error| with_path(&path, error))?;
    let files = OpenFiles::at(&path)?;
    if !files.is_same_file(&before) {
        return Err(DatabaseError::Replaced { path });
    }
    // Another process that has the file open may not have noticed yet that the file or its log was truncated.
    files.accept_shorter(&connection)?;
    Ok((path, connection, files))
}

/// Returns whether a file is open, in another process or in this one. Nothing is changed.
pub(super) fn is_open(path: &Path) -> Result<bool, DatabaseError> {
    wal::check(path)?;
    let look = || {
        let connection = wearlab_checksum_vfs::open(path, FLAGS)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        // In this mode the first read locks the whole file. Every process that has it open holds a lock on a part.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_query_value(None, "user_version", |_| Ok(()))
    };
    match look() {
        Ok(()) => Ok(false),
        Err(error) if is_busy(&error) => Ok(true),
        Err(error) => Err(with_path(path, error.into())),
    }
}

fn connect(path: &Path, schema: &SqliteSchema, cache: i64) -> Result<Connection, DatabaseError> {
    let mut connection = wearlab_checksum_vfs::open(path, FLAGS)?;
    set_up(&connection, cache)?;
    // The engine accepts a read-only file, and would fail later with a less clear error.
    if connection.is_readonly(MAIN_DB)? {
        let error = io::Error::new(io::ErrorKind::PermissionDenied, "the file may only be read");
        return Err(unusable(path, error));
    }
    // Checked first, so that a file of another application is not changed.
    let version = schema::check(&mut connection, schema, path)?;
    #[cfg(unix)]
    close_to_others(path)?;
    // Deleted data is overwritten with zeros, and no page stays without a checksum.
    connection.pragma_update(None, "secure_delete", true)?;
    // A migration recreates tables, which are missing for a moment.
    connection.pragma_update(None, "foreign_keys", false)?;
    if (1..schema.earlier.page_checksums).contains(&version) {
        // Another process, of an earlier version, has created it just now.
        return Err(DatabaseError::Replaced { path: path.to_owned() });
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A committed write survives a power cut.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    schema::migrate(&mut connection, schema, path, version)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // A read makes sure that the engine has opened its log.
    connection.pragma_query_value(None, "user_version", |_| Ok(()))?;
    Ok(connection)
}

/// Upgrades a file of a version without checksums of pages: writes a copy of the current version while no other process
/// has the file open, and replaces the file with the copy.
fn upgrade(path: &Path, schema: &SqliteSchema) -> Result<(), DatabaseError> {
    if !is_without_checksums(path)? {
        return Ok(());
    }
    // A link stays, and the file that it leads to is replaced.
    let path = &fs::canonicalize(path).map_err(|error| unusable(path, error))?;
    let unwritten = |error| unusable(path, error);
    // One process upgrades it. The next one opens the file that this one has put in its place.
    let part = retry(
        || match AtomicFile::begin_replacement(path.with_extension("db.upgrade"), path) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => Ok(None),
            begun => begun.map(Some).map_err(unwritten),
        },
    )?;
    if !is_without_checksums(path)? {
        return Ok(());
    }
    let mut connection = wearlab_checksum_vfs::open(path, FLAGS)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if schema::check(&mut connection, schema, path)? >= schema.earlier.page_checksums {
        return Err(DatabaseError::Damaged {
            path: path.to_owned(),
            source: "its header says that pages have no checksums".into(),
        });
    }
    lock(&connection)?;
    (schema.earlier.add_functions)(&connection)?;
    verify::check(&connection, schema, path)?;
    copy_upgraded(&connection, schema, part.path(), path)?;
    // Elsewhere, a file that is open cannot be replaced.
    #[cfg(not(unix))]
    drop(connection);
    part.replace().map_err(unwritten)
}

fn is_without_checksums(path: &Path) -> Result<bool, DatabaseError> {
    let connection = wearlab_checksum_vfs::open(path, FLAGS)?;
    Ok(wearlab_checksum_vfs::is_without_checksums(&connection)?)
}

/// Locks a file, and keeps it locked while the connection is open. Fails as busy while another process has it open.
fn lock(connection: &Connection) -> Result<(), DatabaseError> {
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    // The engine does not wait for those who have the log open.
    retry(|| match connection.pragma_update(None, "journal_mode", "DELETE") {
        Err(error) if is_busy(&error) => Ok(None),
        changed => Ok(changed.map(Some)?),
    })?;
    Ok(connection.execute_batch("BEGIN EXCLUSIVE; COMMIT")?)
}

/// Returns whether another process, or another connection of this one, has a lock.
fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

/// Repeats an attempt until it has a result. Fails as busy after the time to wait for another process that writes.
pub(super) fn retry<T>(mut attempt: impl FnMut() -> Result<Option<T>, DatabaseError>) -> Result<T, DatabaseError> {
    let start = Instant::now();
    loop {
        if let Some(result) = attempt()? {
            return Ok(result);
        }
        if start.elapsed() > BUSY_TIMEOUT {
            return Err(DatabaseError::Busy);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Copies what a connection reads into an empty file, and upgrades the copy to the current version. Errors name `path`.
pub(super) fn copy_upgraded(
    connection: &Connection,
    schema: &SqliteSchema,
    target: &Path,
    path: &Path,
) -> Result<(), DatabaseError> {
    let name = target.to_str().ok_or_else(|| {
        let text = "its name is not UTF-8";
        unusable(path, io::Error::new(io::ErrorKind::InvalidInput, text))
    })?;
    wearlab_checksum_vfs::copy(connection, name)?;
    let mut copy = wearlab_checksum_vfs::open(target, FLAGS)?;
    // A truncated copy is never used, so that its journal needs no file.
    copy.pragma_update(None, "journal_mode", "MEMORY")?;
    copy.pragma_update(None, "secure_delete", true)?;
    copy.pragma_update(None, "foreign_keys", false)?;
    (schema.earlier.add_functions)(&copy)?;
    (schema.earlier.prepare)(&copy)?;
    let version = schema::check(&mut copy, schema, path)?;
    schema::migrate(&mut copy, schema, path, version)
}

/// Configures a connection. The cache is in KiB.
pub(super) fn set_up(connection: &Connection, cache: i64) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Checks more of the page layout on reads.
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // Otherwise SQLite prepares a statement again when a bound value changes that the plan might depend on.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // SQLite reads a negative size as KiB, a positive one as pages.
    connection.pragma_update(None, "cache_size", -cache)
}

/// Creates the directory if it is missing. Only its owner may access it.
pub(super) fn make_directory(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Creates the file if it is missing. The engine gives its other files the same mode.
///
/// An existing file is not opened: closing it would drop the locks that the engine holds on it for another store of
/// this process. The mutex keeps other threads from finding the new file before it is closed.
fn make_file(path: &Path) -> io::Result<()> {
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if fs::exists(path)? {
        let emptied = fs::metadata(path)?.len() == 0 && fs::metadata(wal::path(path)).is_ok_and(|log| log.len() > 0);
        return match emptied {
            // The engine would treat it as a new store, and drop the log.
            true => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the file is empty and its write-ahead log is not: put the file back, or restore a copy elsewhere",
            )),
            false => Ok(()),
        };
    }
    if fs::exists(atomic_file::restored(path))? {
        // A new store would hide that the data are missing.
        let text = "a restore into this directory is under way or was cut short: wait for it, or restore again";
        return Err(io::Error::new(io::ErrorKind::NotFound, text));
    }
    match create_file(path) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Creates an empty file that must not exist. Only its owner may access it.
pub(super) fn create_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// Removes the permissions of other users on the file and the engine's files beside it.
///
/// Only the owner of a file can do this, so it also detects a file of another user.
#[cfg(unix)]
fn close_to_others(path: &Path) -> Result<(), DatabaseError> {
    use std::os::unix::fs::PermissionsExt;
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let path = Path::new(&name);
        // A file that is missing, or is being removed, reveals nothing.
        let Ok(metadata) = fs::metadata(path) else { continue };
        if !metadata.is_file() || metadata.permissions().mode() & 0o077 == 0 {
            continue;
        }
        match fs::set_permissions(path, fs::Permissions::from_mode(0o600)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let text = format!("others may read or write it: let its owner set its mode to 600 ({error})");
                return Err(unusable(path, io::Error::new(error.kind(), text)));
            }
            _ => {}
        }
    }
    Ok(())
}
