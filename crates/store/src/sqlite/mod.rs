//! The embedded engine: one file, one writer, as many readers as there are threads.

mod arrivals;
mod backup;
mod connections;
mod days;
mod deliveries;
mod devices;
mod digest;
mod document;
mod error;
mod events;
mod export;
mod keys;
mod lab_accounts;
mod labs;
mod meta;
mod open;
mod pipelines;
mod providers;
mod pulls;
mod readers;
mod reasons;
mod remembered;
mod schema;
mod sealing;
mod teams;
mod user_order;
mod users;
mod webhooks;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, TransactionBehavior};
use uuid::Uuid;

use self::readers::Readers;
use self::user_order::Runs;
use crate::seal::Seal;
use crate::{SecretKey, StoreError, TeamId};

/// The embedded engine. Each file beside this one adds what reads and writes one table.
pub(crate) struct Engine {
    path: PathBuf,
    // Closed before the writer: the last one to close puts the log away, and a reader may not.
    readers: Readers,
    writer: Mutex<Connection>,
    seal: Seal,
    runs: Runs,
    /// Whether any operation found damage.
    damaged: AtomicBool,
}

impl Engine {
    pub(crate) fn open(folder: &Path, keys: &[SecretKey]) -> Result<Self, StoreError> {
        let (path, writer) = open::open(folder)?;
        let engine = Self {
            readers: Readers::new(path.clone()),
            writer: Mutex::new(writer),
            seal: Seal::new(keys),
            runs: Runs::USUAL,
            damaged: AtomicBool::new(false),
            path,
        };
        engine
            .seal_all()
            .map_err(|error| open::on_opening(&engine.path, error))?;
        Ok(engine)
    }

    /// Whatever cannot be looked at is left to those who open it.
    pub(crate) fn is_in(folder: &Path) -> bool {
        std::fs::exists(folder.join(open::FILE)).unwrap_or(true)
    }

    /// Fails where the store cannot be read, or any operation found damage.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.damaged.load(Ordering::Relaxed) {
            return Err(StoreError::Damaged {
                path: self.path.clone(),
                source: "an earlier operation found it".into(),
            });
        }
        self.is_empty().map(drop)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` in one transaction, with no other writer beside it.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&Writer<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.with_writer(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let writer = Writer {
                connection: &transaction,
                seal: &self.seal,
                runs: self.runs,
                stale: RefCell::default(),
            };
            let result = work(&writer)?;
            writer.check_alive()?;
            writer.refresh_sources()?;
            transaction.commit()?;
            Ok(result)
        })
    }

    /// Lends the connection that writes.
    fn with_writer<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        // A writer that panicked has rolled back, so what it leaves behind is sound.
        work(&mut self.writer.lock().unwrap_or_else(PoisonError::into_inner)).map_err(|error| self.noted(error))
    }

    /// Reads what one statement answers.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.readers.with(work).map_err(|error| self.noted(error))
    }

    /// Names the file that is damaged, and remembers that it is.
    fn noted(&self, error: StoreError) -> StoreError {
        let error = open::on_damage(&self.path, error);
        if matches!(error, StoreError::Damaged { .. }) {
            self.damaged.store(true, Ordering::Relaxed);
        }
        error
    }

    /// Reads what several statements answer, all of them as of the same moment.
    fn read_together<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.read(|connection| together(connection, work))
    }
}

/// Reads as of one moment.
fn together<T, E: From<StoreError>>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = connection.unchecked_transaction().map_err(StoreError::from)?;
    let result = work(&transaction)?;
    transaction.commit().map_err(StoreError::from)?;
    Ok(result)
}

impl Writer<'_> {
    /// Begins a part of the transaction that can be taken back alone. Parts nest.
    pub(crate) fn savepoint(&self) -> Result<(), StoreError> {
        self.run("SAVEPOINT part")
    }

    pub(crate) fn keep(&self) -> Result<(), StoreError> {
        self.run("RELEASE part")
    }

    pub(crate) fn take_back(&self) -> Result<(), StoreError> {
        if self.connection.is_autocommit() {
            // All of the transaction was taken back already.
            return Ok(());
        }
        self.run("ROLLBACK TO part")?;
        self.run("RELEASE part")
    }

    /// Fails where the engine has taken back the transaction, as it does when the disk is full: what were written from
    /// then on would be kept at once, and alone.
    pub(crate) fn check_alive(&self) -> Result<(), StoreError> {
        if self.connection.is_autocommit() {
            return Err(StoreError::Engine(
                "an earlier failure took back all of this write".into(),
            ));
        }
        Ok(())
    }

    fn run(&self, sql: &str) -> Result<(), StoreError> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}

/// A transaction that writes.
pub(crate) struct Writer<'a> {
    connection: &'a Connection,
    seal: &'a Seal,
    runs: Runs,
    /// The users whose connections changed, and whose documents do not show it yet.
    stale: RefCell<BTreeSet<(TeamId, Uuid)>>,
}
