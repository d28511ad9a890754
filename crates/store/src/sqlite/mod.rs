//! Embedded engine: one file, one writer, as many readers as there are threads.

mod atomic_file;
mod backup;
mod digest;
mod driver;
mod error;
mod file_check;
mod identity;
mod open;
mod readers;
mod row_checksums;
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
pub(crate) use self::file_check::FileCheck;
use self::identity::{Found, OpenFiles};
use self::readers::Readers;
pub use self::row_checksums::add_functions as add_row_checksum_functions;
pub use self::settings::EmbeddedSettings;
use self::state::State;
use crate::access::Access;
use crate::sql::connection::Connection;
use crate::{StoreError, Verified};

/// File of a store, with its connections.
pub(crate) struct Database {
    path: PathBuf,
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
    pub(crate) fn open(directory: &Path, settings: &EmbeddedSettings) -> Result<Self, StoreError> {
        let (path, writer, files) = open::open(directory, settings.writer_cache())?;
        Ok(Self {
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
    pub(crate) async fn acquire(&self, access: Access) -> Option<SemaphorePermit<'_>> {
        match access {
            Access::Read => None,
            // The semaphore is never closed.
            Access::Write => self.writing.acquire().await.ok(),
        }
    }

    /// An unreadable directory counts as a store: opening it reports the error.
    pub(crate) fn is_in(directory: &Path) -> bool {
        std::fs::exists(directory.join(open::FILE)).unwrap_or(true)
    }

    /// Returns whether any process has the store of a directory open.
    pub(crate) fn is_open(directory: &Path) -> Result<bool, StoreError> {
        open::is_open(directory)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Size limit of the document cache, in bytes.
    pub(crate) fn document_cache(&self) -> usize {
        self.document_cache
    }

    /// Size of the files in bytes. A missing file counts as 0.
    pub(crate) fn bytes(&self) -> u64 {
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
    pub(crate) fn check_files(&self, depth: FileCheck) -> Result<(), StoreError> {
        let found = self.files.check()?;
        if let (Found::Same, FileCheck::Files) = (found, depth) {
            return Ok(());
        }
        let accepted = self.readers.with(|connection, _| self.files.accept_shorter(connection));
        match (depth, accepted) {
            // Another operation uses it, and the next one checks.
            (FileCheck::FilesAndLog, Err(StoreError::Busy)) => Ok(()),
            (_, accepted) => accepted,
        }
    }

    /// Fails if an operation found that the files were removed, replaced or truncated.
    pub(crate) fn check_previous(&self) -> Result<(), StoreError> {
        self.files.check_previous()
    }

    /// Fails if the files were removed or replaced, or if any operation found damage.
    pub(crate) fn check(&self, depth: FileCheck) -> Result<(), StoreError> {
        self.check_files(depth)?;
        if self.damaged.load(Ordering::Relaxed) {
            return Err(StoreError::Damaged {
                path: self.path.clone(),
                source: "an earlier operation found it".into(),
            });
        }
        Ok(())
    }

    pub(crate) fn with_path(&self, error: StoreError) -> StoreError {
        error::with_path(&self.path, error)
    }

    /// Runs `work` in one transaction. No other writer runs meanwhile.
    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with_writer(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&Connection::writing(&*transaction))?;
            self.check_files(FileCheck::Files)?;
            self.state.over(|| transaction.commit())?;
            // Data written to files that were removed meanwhile must not be reported as committed.
            self.check_files(FileCheck::Files)?;
            Ok(result)
        })
    }

    /// Returns the version of the store, which changes with every commit of this process, and with commits of other
    /// processes within a millisecond. None while it is unknown. Fails like a read.
    pub(crate) fn state(&self) -> Result<Option<u64>, StoreError> {
        self.files.check_previous()?;
        let check = |connection: &rusqlite::Connection| match self.files.check()? {
            Found::Same => Ok(()),
            Found::Shorter => self.files.accept_shorter(connection),
        };
        let state = self.state.now(|| self.readers.open(), check);
        state.map_err(|error| self.noted(error))
    }

    /// Runs `work`, which reads with one statement.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.with_reader(|connection| work(&Connection::new(connection)))
    }

    /// Runs `work`, which reads with several statements from one snapshot.
    pub(crate) fn snapshot<T>(
        &self,
        work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with_reader(|connection| {
            let transaction = connection.unchecked_transaction()?;
            let result = work(&Connection::new(&*transaction))?;
            transaction.commit()?;
            Ok(result)
        })
    }

    /// Checks the whole file.
    pub(crate) fn verify(&self) -> Result<Verified, StoreError> {
        let verified = self.with_reader(verify::read_all)?;
        if !verified.damage.is_empty() {
            self.note_damage();
        }
        Ok(verified)
    }

    /// Runs `work` with the writing connection, unless damage was found.
    fn with_writer<T>(
        &self,
        work: impl FnOnce(&mut rusqlite::Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // A panicked writer has rolled back, so its connection is usable.
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_files(FileCheck::Files)?;
        // Further writes to a damaged file could be lost, or hide the damage.
        if self.damaged.load(Ordering::Relaxed) {
            let path = self.path.clone();
            return Err(StoreError::WritesStopped { path });
        }
        work(&mut writer).map_err(|error| self.noted(error))
    }

    /// Runs `work` with a reading connection.
    pub(crate) fn with_reader<T>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
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
    fn noted(&self, error: StoreError) -> StoreError {
        let error = error::on_damage(&self.path, error);
        if matches!(error, StoreError::Damaged { .. } | StoreError::DamagedChunk { .. }) {
            self.note_damage();
        }
        error
    }

    fn note_damage(&self) {
        self.damaged.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Database, EmbeddedSettings};

    #[test]
    fn the_memory_for_pages_is_divided() {
        let directory = tempfile::tempdir().expect("a directory");
        for (page_cache_bytes, writer) in [(64 << 20, -32 * 1024), (0, -64), (u64::MAX, -i32::MAX)] {
            let settings = EmbeddedSettings { page_cache_bytes };
            let database = Database::open(directory.path(), &settings).expect("opens");
            let size = |connection: &rusqlite::Connection| {
                let size = connection.pragma_query_value(None, "cache_size", |row| row.get::<_, i32>(0));
                Ok(size?)
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
