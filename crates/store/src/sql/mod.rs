//! The statements, a file for each table, in words that all engines understand.

mod arrivals;
pub(crate) mod connection;
mod connections;
mod days;
mod deliveries;
mod devices;
mod document;
mod events;
mod export;
mod keys;
mod known_keys;
mod lab_accounts;
mod labs;
pub(crate) mod meta;
pub(crate) mod migration;
mod neighbours;
mod outages;
mod pipelines;
mod progress;
mod providers;
mod pulls;
mod reasons;
mod remembered;
mod retention;
mod revisions;
mod sealing;
pub(crate) mod tables;
mod teams;
mod user_order;
mod users;
pub(crate) mod value;
mod webhooks;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::Path;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use self::connection::Connection;
use self::known_keys::KnownKeys;
use self::user_order::Runs;
use self::value::params;
use crate::database::Database;
use crate::seal::Seal;
use crate::{SecretKey, StoreError, TeamId};

/// The statements on a database. Each file beside this one adds what reads and writes one table.
pub(crate) struct Engine {
    database: Database,
    seal: Seal,
    runs: Runs,
    known_keys: KnownKeys,
}

impl Engine {
    pub(crate) fn new(database: Database, keys: &[SecretKey]) -> Result<Self, StoreError> {
        let note = database
            .read(migration::note)
            .map_err(|error| database.on_opening(error))?;
        if note.is_some() {
            let path = database.place().to_owned();
            return Err(StoreError::Unfinished { path });
        }
        let engine = Self {
            database,
            seal: Seal::new(keys),
            runs: Runs::USUAL,
            known_keys: KnownKeys::default(),
        };
        engine.seal_all().map_err(|error| engine.database.on_opening(error))?;
        Ok(engine)
    }

    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// Fails where the store cannot be read, or any operation found damage.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.database.check()?;
        self.is_empty().map(drop)
    }

    pub(crate) fn backup(&self, file: &Path) -> Result<(), StoreError> {
        self.database.backup(file)
    }

    pub(crate) fn scrub(&self) -> Result<(), StoreError> {
        self.database.scrub()
    }

    /// Runs `work` in one transaction, with no other writer beside it.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&Writer<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let keys_changed = Cell::new(false);
        let written = self.database.write(|connection| {
            let writer = Writer {
                connection,
                seal: &self.seal,
                runs: self.runs,
                teams: RefCell::default(),
                stale: RefCell::default(),
                remembered: Cell::new(None),
                keys_changed: &keys_changed,
            };
            let result = work(&writer)?;
            writer.check_alive()?;
            writer.refresh_sources()?;
            writer.forget_old_arrivals()?;
            Ok(result)
        });
        // Now that nobody can look up what was there before.
        if keys_changed.get() {
            self.known_keys.forget();
        }
        written
    }

    /// Reads what one statement answers.
    fn read<T>(&self, work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.database.read(work)
    }

    /// Reads what several statements answer, all of them as of the same moment.
    fn read_together<T>(&self, work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.database.read_together(work)
    }
}

/// A transaction that writes.
pub(crate) struct Writer<'a> {
    connection: &'a Connection<'a>,
    seal: &'a Seal,
    runs: Runs,
    /// Teams that are known to be there.
    teams: RefCell<BTreeSet<TeamId>>,
    /// The users whose connections changed, and whose documents do not show it yet.
    stale: RefCell<BTreeSet<(TeamId, Uuid)>>,
    /// How many ids of arrivals were remembered, and when the last one was.
    remembered: Cell<Option<(i64, DateTime<Utc>)>>,
    /// Whether a key was put or revoked.
    keys_changed: &'a Cell<bool>,
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
        if self.connection.stands().is_err() {
            // All of the transaction was taken back already.
            return Ok(());
        }
        // What was put in this part is no longer there. Of the other notes, it does no harm to have too many.
        self.teams.take();
        self.run("ROLLBACK TO part")?;
        self.run("RELEASE part")
    }

    /// Fails where the engine has taken back the transaction, as it does when the disk is full: what were written from
    /// then on would be kept at once, and alone.
    pub(crate) fn check_alive(&self) -> Result<(), StoreError> {
        self.connection.stands()
    }

    fn run(&self, sql: &str) -> Result<(), StoreError> {
        self.connection.execute(sql, params![])?;
        Ok(())
    }
}
