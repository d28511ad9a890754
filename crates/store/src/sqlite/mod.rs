//! The embedded engine: one file, one writer, as many readers as there are threads.

mod connections;
mod devices;
mod diagnoses;
mod document;
mod error;
mod keys;
mod lab_accounts;
mod labs;
mod meta;
mod open;
mod pipelines;
mod providers;
mod readers;
mod reasons;
mod schema;
mod teams;
mod users;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, TransactionBehavior};
use uuid::Uuid;

use self::readers::Readers;
use crate::{StoreError, TeamId};

/// The embedded engine. Each file beside this one adds what reads and writes one table.
pub(crate) struct Engine {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Readers,
}

impl Engine {
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let (path, writer) = open::open(folder)?;
        Ok(Self {
            readers: Readers::new(path.clone()),
            writer: Mutex::new(writer),
            path,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` in one transaction, with no other writer beside it.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&Writer<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        // A writer that panicked has rolled back, so what it leaves behind is sound.
        let mut connection = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let writer = Writer {
            connection: &transaction,
            stale: RefCell::default(),
        };
        let result = work(&writer)?;
        writer.refresh_sources()?;
        transaction.commit()?;
        Ok(result)
    }

    /// Reads what one statement answers.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.readers.with(work)
    }

    /// Reads what several statements answer, all of them as of the same moment.
    fn read_together<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.readers.with(|connection| {
            let transaction = connection.unchecked_transaction()?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })
    }
}

/// A transaction that writes.
pub(crate) struct Writer<'a> {
    connection: &'a Connection,
    /// The users whose connections changed, and whose documents do not show it yet.
    stale: RefCell<BTreeSet<(TeamId, Uuid)>>,
}
