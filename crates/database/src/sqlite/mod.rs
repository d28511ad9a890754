//! SQLite: one file, one writer, as many readers as there are threads.

mod atomic_file;
mod backup;
mod driver;
mod error;
mod file_check;
mod identity;
mod open;
mod readers;
mod schema;
mod settings;
mod state;
mod verify;
mod wal;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rusqlite::TransactionBehavior;
use tokio::sync::{Semaphore, SemaphorePermit};

pub use self::atomic_file::remove_unfinished_copies;
pub use self::file_check::FileCheck;
use self::identity::{Found, OpenFiles};
use self::readers::Readers;
pub use self::settings::EmbeddedSettings;
use self::state::State;
pub use self::verify::tables;
use crate::access::Access;
use crate::connection::Connection;
use crate::error::{DatabaseError, WorkError};
use crate::schema::SqliteSchema;
use crate::verified::Verified;

/// A file, with its connections.
pub struct Database {
    path: PathBuf,
    schema: &'static SqliteSchema,
    files: OpenFiles,
    // Declared before the writer, so that readers are closed first: the last connection to close checkpoints the log,
    // and a reader may not.
    readers: Readers,
    state: Box<State>,
    document_cache: usize,
    writer: Mutex<rusqlite::Connection>,
    /// Permit for the task that writes.
    writing: Semaphore,
    /// True if any operation found damage.
    damaged: AtomicBool,
}

impl Database {
    /// Opens the file in a directory, both of which are created if they are missing, and upgrades its schema.
    ///
    /// # Errors
    ///
    /// If the directory or the file cannot be used, or the file is damaged, of a newer version, or of another
    /// application.
    pub fn open(
        directory: &Path,
        schema: &'static SqliteSchema,
        settings: &EmbeddedSettings,
    ) -> Result<Self, DatabaseError> {
        let (path, writer, files) = open::open(directory, schema, settings.writer_cache())?;
        Ok(Self {
            schema,
            files,
            readers: Readers::new(path.clone(), settings.reader_cache()),
            state: Box::new(State::new()),
            document_cache: settings.document_cache(),
            writer: Mutex::new(writer),
            writing: Semaphore::new(1),
            damaged: AtomicBool::new(false),
            path,
        })
    }

    /// Waits until no other task writes, in first-in, first-out order and without blocking a thread. Reads do not wait.
    pub async fn acquire(&self, access: Access) -> Option<SemaphorePermit<'_>> {
        match access {
            Access::Read => None,
            // The semaphore is never closed.
            Access::Write => self.writing.acquire().await.ok(),
        }
    }

    /// Returns whether a directory has the file. An unreadable directory counts as one that has: opening it reports the
    /// error.
    pub fn is_in(directory: &Path, schema: &SqliteSchema) -> bool {
        std::fs::exists(directory.join(schema.file)).unwrap_or(true)
    }

    /// Returns whether any process has the file of a directory open.
    ///
    /// # Errors
    ///
    /// If the file cannot be used.
    pub fn is_open(directory: &Path, schema: &SqliteSchema) -> Result<bool, DatabaseError> {
        open::is_open(&directory.join(schema.file))
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Memory for documents that the caller caches, in bytes.
    pub fn document_cache(&self) -> usize {
        self.document_cache
    }

    /// Size of the files in bytes. A missing file counts as 0.
    pub fn bytes(&self) -> u64 {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        let files = [self.path.as_os_str(), &log];
        files
            .iter()
            .filter_map(|file| std::fs::metadata(file).ok())
            .map(|file| file.len())
            .sum()
    }

    /// Fails if the files were removed, replaced or truncated. Cached values are then invalid.
    pub fn check_files(&self, depth: FileCheck) -> Result<(), DatabaseError> {
        let found = self.files.check()?;
        if let (Found::Same, FileCheck::Files) = (found, depth) {
            return Ok(());
        }
        let accepted = self.readers.with(|connection, _| self.files.accept_shorter(connection));
        match (depth, accepted) {
            // Another operation uses it, and the next one checks.
            (FileCheck::FilesAndLog, Err(DatabaseError::Busy)) => Ok(()),
            (_, accepted) => accepted,
        }
    }

    /// Fails if an operation found that the files were removed, replaced or truncated.
    pub fn check_previous(&self) -> Result<(), DatabaseError> {
        self.files.check_previous()
    }

    /// Fails if the files were removed or replaced, or if any operation found damage.
    pub fn check(&self, depth: FileCheck) -> Result<(), DatabaseError> {
        self.check_files(depth)?;
        if self.damaged.load(Ordering::Relaxed) {
            return Err(DatabaseError::Damaged {
                path: self.path.clone(),
                source: "an earlier operation found it".into(),
            });
        }
        Ok(())
    }

    /// Adds the path to an error that occurred while opening the file.
    pub fn with_path(&self, error: DatabaseError) -> DatabaseError {
        error::with_path(&self.path, error)
    }

    /// Runs `work` in one transaction. No other writer runs meanwhile.
    pub fn write<T, E: WorkError>(&self, work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>) -> Result<T, E> {
        self.with_writer(|connection| {
            let transaction = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(DatabaseError::from)?;
            let result = work(&Connection::writing(&*transaction))?;
            self.check_files(FileCheck::Files)?;
            self.state.over(|| transaction.commit()).map_err(DatabaseError::from)?;
            // Data written to files that were removed meanwhile must not be reported as committed.
            self.check_files(FileCheck::Files)?;
            Ok(result)
        })
    }

    /// Returns the version of the file, which changes with every commit of this process, and with commits of other
    /// processes within a millisecond. None while it is unknown. Fails like a read.
    pub fn state(&self) -> Result<Option<u64>, DatabaseError> {
        self.files.check_previous()?;
        let check = |connection: &rusqlite::Connection| match self.files.check()? {
            Found::Same => Ok(()),
            Found::Shorter => self.files.accept_shorter(connection),
        };
        let state = self.state.now(|| self.readers.open(), check);
        state.map_err(|error| self.noted(error))
    }

    /// Runs `work`, which reads with one statement.
    pub fn read<T, E: WorkError>(&self, work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>) -> Result<T, E> {
        self.with_reader(|connection| work(&Connection::new(connection)))
    }

    /// Runs `work`, which reads with several statements from one snapshot.
    pub fn snapshot<T, E: WorkError>(&self, work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>) -> Result<T, E> {
        self.with_reader(|connection| {
            let transaction = connection.unchecked_transaction().map_err(DatabaseError::from)?;
            let result = work(&Connection::new(&*transaction))?;
            transaction.commit().map_err(DatabaseError::from)?;
            Ok(result)
        })
    }

    /// Checks the whole file.
    pub fn verify(&self) -> Result<Verified, DatabaseError> {
        let verified = self.with_reader(verify::read_all)?;
        if !verified.damage.is_empty() {
            self.note_damage();
        }
        Ok(verified)
    }

    /// Runs `work` with the writing connection, unless damage was found.
    fn with_writer<T, E: WorkError>(
        &self,
        work: impl FnOnce(&mut rusqlite::Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        // A panicked writer has rolled back, so its connection is usable.
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_files(FileCheck::Files)?;
        // Further writes to a damaged file could be lost, or hide the damage.
        if self.damaged.load(Ordering::Relaxed) {
            let path = self.path.clone();
            return Err(DatabaseError::WritesStopped { path }.into());
        }
        work(&mut writer).map_err(|error| self.noted(error))
    }

    /// Runs `work` with a reading connection.
    pub fn with_reader<T, E: WorkError>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let work = |connection: &rusqlite::Connection, is_new: bool| {
            let found = match is_new {
                // A new connection may have opened another file at the path.
                true => self.files.check()?,
                false => self.files.check_for_read()?,
            };
            if let Found::Shorter = found {
                self.files.accept_shorter(connection)?;
            }
            work(connection)
        };
        self.readers.with(work).map_err(|error| self.noted(error))
    }

    /// Adds the path to an error of a damaged file, and records the damage.
    fn noted<E: WorkError>(&self, error: E) -> E {
        if error.is_damage() {
            self.note_damage();
        }
        let error = match error.into_database() {
            Ok(error) => error::on_damage(&self.path, error),
            Err(own) => return own,
        };
        if matches!(error, DatabaseError::Damaged { .. }) {
            self.note_damage();
        }
        error.into()
    }

    fn note_damage(&self) {
        self.damaged.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Database, EmbeddedSettings};
    use crate::error::DatabaseError;
    use crate::schema::{Earlier, SqliteSchema};

    static SCHEMA: SqliteSchema = SqliteSchema {
        file: "some.db",
        application: 7,
        migrations: &["CREATE TABLE some (id INTEGER PRIMARY KEY) STRICT"],
        earlier: Earlier {
            page_checksums: 1,
            add_functions: |_| Ok(()),
            find_damage: |_| Ok(None),
            is_complete: |_| Ok(true),
            prepare: |_| Ok(()),
            finish: |_| Ok(()),
        },
    };

    #[test]
    fn the_memory_for_pages_is_divided() {
        let directory = tempfile::tempdir().expect("a directory");
        for (page_cache_bytes, writer) in [(64 << 20, -32 * 1024), (0, -64), (u64::MAX, -i32::MAX)] {
            let settings = EmbeddedSettings { page_cache_bytes };
            let database = Database::open(directory.path(), &SCHEMA, &settings).expect("opens");
            let size = |connection: &rusqlite::Connection| {
                let size = connection.pragma_query_value(None, "cache_size", |row| row.get::<_, i32>(0));
                size.map_err(DatabaseError::from)
            };
            assert_eq!(
                database.with_writer(|connection| size(connection)).expect("reads"),
                writer
            );
            let reader = database.with_reader(size).expect("reads");
            let readers = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
            let expected = (page_cache_bytes / 4 / readers / 1024).clamp(64, i32::MAX as u64);
            assert_eq!(i64::from(reader).unsigned_abs(), expected);
        }
    }
}
