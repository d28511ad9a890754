//! Backup, restore and scrubbing of the file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::atomic_file::{self, AtomicFile};
use super::error::{on_damage, unusable, with_path};
use super::open::{BUSY_TIMEOUT, copy_upgraded, make_directory, retry};
use super::{Database, schema, verify, wal};
use crate::error::DatabaseError;
use crate::schema::SqliteSchema;

/// Endings of the database file, and of the engine's files beside it, which it would use for a restored file.
const ENDINGS: [&str; 4] = ["", "-wal", "-shm", "-journal"];

impl Database {
    /// Writes a copy to a file that does not exist, while the database is in use.
    ///
    /// # Errors
    ///
    /// If the file exists or cannot be written.
    pub fn backup(&self, file: &Path) -> Result<(), DatabaseError> {
        self.with_reader(|connection| {
            let mut name = file.as_os_str().to_owned();
            name.push(".part");
            let part = begin(name.into(), file, "there is a file already: choose another name")?;
            fill(connection, self.schema, &part, file)?;
            part.finish().map_err(|error| uncopied(file, error))
        })
    }

    /// Creates the file of a directory from a copy.
    ///
    /// # Errors
    ///
    /// If the copy is damaged or of another application, or if the directory has the file already.
    pub fn restore(file: &Path, directory: &Path, schema: &SqliteSchema) -> Result<(), DatabaseError> {
        const TAKEN: &str = "there is a store already, or a part of one: choose another directory";
        for ending in ENDINGS {
            let path = directory.join(format!("{}{ending}", schema.file));
            if fs::exists(&path).map_err(|error| unusable(&path, error))? {
                return Err(uncopied(&path, io::Error::new(io::ErrorKind::AlreadyExists, TAKEN)));
            }
        }
        let source = check(file, schema)?;
        let missing: Vec<_> = directory
            .ancestors()
            .take_while(|directory| is_missing(directory))
            .collect();
        let restored = make_directory(directory)
            .map_err(|error| unusable(directory, error))
            .and_then(|()| {
                let store = directory.join(schema.file);
                let part = begin(atomic_file::restored(&store), &store, TAKEN)?;
                // Copied through the engine, and not byte by byte: the source may be a store in use, with a log beside
                // it.
                fill(&source, schema, &part, &store)?;
                part.finish().map_err(|error| uncopied(&store, error))
            });
        if restored.is_err() {
            // Directories stay if another process added files meanwhile.
            missing
                .iter()
                .take_while(|directory| fs::remove_dir(directory).is_ok())
                .for_each(drop);
        }
        restored
    }

    /// Rewrites the file, and empties the log.
    ///
    /// The engine overwrites deleted rows, but not the copies that it leaves when it moves rows to another page.
    pub fn scrub(&self) -> Result<(), DatabaseError> {
        self.with_writer(|connection| connection.execute_batch("VACUUM").map_err(DatabaseError::from))?;
        self.put_away()
    }

    /// Moves the write-ahead log into the file, and empties the log, because it contains older pages.
    ///
    /// Active readers block this, so it waits for them.
    fn put_away(&self) -> Result<(), DatabaseError> {
        retry(|| {
            let truncate = "PRAGMA wal_checkpoint(TRUNCATE)";
            let busy: bool = self.with_writer(|connection| {
                let busy = connection.query_row(truncate, [], |row| row.get(0));
                busy.map_err(DatabaseError::from)
            })?;
            Ok((!busy).then_some(()))
        })
    }
}

/// Returns whether a directory must be created. The last ancestor of a relative path is empty: the current directory of
/// the process.
fn is_missing(directory: &Path) -> bool {
    !directory.as_os_str().is_empty() && fs::exists(directory).is_ok_and(|exists| !exists)
}

/// Starts to write a file that does not exist yet.
fn begin(part: PathBuf, file: &Path, taken: &'static str) -> Result<AtomicFile, DatabaseError> {
    AtomicFile::begin(part.clone(), file).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => uncopied(file, io::Error::new(error.kind(), taken)),
        _ => uncopied(&part, error),
    })
}

fn uncopied(file: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DatabaseError {
    DatabaseError::Copy {
        path: file.to_owned(),
        source: error.into(),
    }
}

/// Copies a snapshot of the database into a partial file, and checks the copy. Errors name `target`, its final path.
fn fill(connection: &Connection, schema: &SqliteSchema, part: &AtomicFile, target: &Path) -> Result<(), DatabaseError> {
    let file = part.path();
    let copy = || -> Result<(), DatabaseError> {
        // The target is an empty file with permissions for its owner only. Damage is of the source, any other error of the copy.
        let source = Path::new(connection.path().unwrap_or_default());
        copy_upgraded(connection, schema, file, target).map_err(|error| on_damage(source, error))?;
        check(file, schema).map(drop)
    };
    copy().map_err(|error| match error {
        DatabaseError::Engine(source) => uncopied(target, source),
        other => other,
    })
}

/// Opens a file, and checks that it is an undamaged store of a supported version.
fn check(file: &Path, schema: &SqliteSchema) -> Result<Connection, DatabaseError> {
    let look = || -> Result<Connection, DatabaseError> {
        wal::check(file)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = wearlab_checksum_vfs::open(file, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        (schema.earlier.add_functions)(&connection)?;
        let version = schema::check(&mut connection, schema, file)?;
        if version == 0 {
            return Err(DatabaseError::OfAnother { path: file.to_owned() });
        }
        let damaged = |source: String| DatabaseError::Damaged {
            path: file.to_owned(),
            source: source.into(),
        };
        // The engine reads missing bytes of the last page as zeros.
        let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let length = fs::metadata(file).map_err(|error| unusable(file, error))?.len();
        if !length.is_multiple_of(page.into()) {
            return Err(damaged("it ends within a page".to_owned()));
        }
        if version >= schema.earlier.page_checksums && !wearlab_checksum_vfs::has_checksums(&connection)? {
            return Err(damaged("its header says that pages have no checksums".to_owned()));
        }
        verify::check(&connection, schema, file)?;
        if !(schema.earlier.is_complete)(&connection)? {
            return Err(damaged("what it holds is not what was written".to_owned()));
        }
        Ok(connection)
    };
    look().map_err(|error| with_path(file, error))
}
