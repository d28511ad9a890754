//! The store as tasks use it: each operation waits for its turn, and runs where it may block.

mod destinations;
mod linking;
mod log;
mod shared;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::core::Core;
use crate::database::Database;
#[cfg(feature = "postgres")]
use crate::database::blocking;
#[cfg(feature = "postgres")]
use crate::postgres::{self, PostgresSettings};
use crate::sql::Reader;
use crate::sqlite::{self, FileCheck};
use crate::turn::Turn;
use crate::{EmbeddedSettings, Record, SecretKey, StoreError, TeamId, Transaction};

/// The store. Clones share it.
///
/// Methods are `async` because an engine may be somewhere else. The embedded engine reads on the calling thread, which
/// takes microseconds. A write takes as long as the disk needs to make it durable; the other tasks of the thread go on
/// elsewhere, where the runtime has several threads.
#[derive(Clone)]
pub struct Store {
    core: Arc<Core>,
    observer: Option<Arc<Observer>>,
}

/// Called with the name of an operation and its duration.
type Observer = dyn Fn(&'static str, Duration) + Send + Sync;

impl Store {
    /// Opens the embedded store in a directory, which is made if it is missing.
    ///
    /// On Unix its files are for their owner alone: a store that others may read or write is closed to them.
    ///
    /// # Errors
    ///
    /// Where the directory or the file in it cannot be used, or the file is damaged, of a newer version or no store at
    /// all. The error names the directory or the file.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        Self::open_with(directory, &EmbeddedSettings::default(), &[])
    }

    /// Returns whether there is an embedded store in a directory, good or not: opening another directory would make a
    /// new one.
    pub fn is_in(directory: &Path) -> bool {
        sqlite::Database::is_in(directory)
    }

    /// Opens the embedded store like [`Store::open`], and encrypts the pipelines and the endpoints of webhooks in it
    /// where there are keys.
    ///
    /// The first key encrypts, each opens: a key is changed by putting the new one before it. What is not encrypted
    /// with the first key yet is encrypted now.
    ///
    /// # Errors
    ///
    /// Those of [`Store::open`], and where something is encrypted with none of the keys.
    pub fn open_with(directory: &Path, settings: &EmbeddedSettings, keys: &[SecretKey]) -> Result<Self, StoreError> {
        let database = Database::Embedded(sqlite::Database::open(directory, settings)?);
        Ok(Self {
            core: Arc::new(Core::new(database, keys)?),
            observer: None,
        })
    }

    /// Opens the store in a database of a PostgreSQL server, which several processes may share, and makes its tables if
    /// they are missing. The keys are those of [`Store::open_with`].
    ///
    /// # Errors
    ///
    /// Where the server cannot be reached ([`StoreError::Unavailable`]: trying again helps) or lets nobody in, the
    /// schema is of a newer version or holds tables of somebody else, and where something is encrypted with none of the
    /// keys. The error names the server, and not the password.
    #[cfg(feature = "postgres")]
    pub async fn connect(settings: &PostgresSettings, keys: &[SecretKey]) -> Result<Self, StoreError> {
        let core = blocking(|| {
            let database = Database::Postgres(postgres::Database::open(settings)?);
            Core::new(database, keys)
        })?;
        Ok(Self {
            core: Arc::new(core),
            observer: None,
        })
    }

    /// The same store, whose operations are reported to `observer`: their names and durations, waiting included.
    /// Those of clones that were made before are not reported.
    #[must_use]
    pub fn observed(self, observer: impl Fn(&'static str, Duration) + Send + Sync + 'static) -> Self {
        Self {
            observer: Some(Arc::new(observer)),
            ..self
        }
    }

    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    /// Runs an operation once it is its turn, where it may block. All of them go this way, but for
    /// [reads whose result is known](Self::read_unless_known).
    pub(crate) async fn run<T, E: From<StoreError>>(
        &self,
        name: &'static str,
        turn: Turn,
        work: impl FnOnce(&Core) -> Result<T, E>,
    ) -> Result<T, E> {
        let started = Instant::now();
        let result = self.take_turn(turn, work).await;
        self.note(name, started);
        result
    }

    async fn take_turn<T, E: From<StoreError>>(
        &self,
        turn: Turn,
        work: impl FnOnce(&Core) -> Result<T, E>,
    ) -> Result<T, E> {
        let database = self.core.database();
        let _turn = database.turn(turn).await?;
        database.blocking(turn, || work(&self.core))
    }

    /// Tells the observer how long an operation took.
    fn note(&self, name: &'static str, started: Instant) {
        if let Some(observer) = &self.observer {
            observer(name, started.elapsed());
        }
    }

    /// Runs a read unless what it returns is known, which takes no turn and no thread.
    pub(crate) async fn read_unless_known<V, T: From<V>>(
        &self,
        name: &'static str,
        known: impl Future<Output = Result<Option<V>, StoreError>>,
        read: impl FnOnce(&Core) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let started = Instant::now();
        let result = match known.await {
            Ok(Some(known)) => Ok(known.into()),
            Ok(None) => self.take_turn(Turn::Reading, read).await,
            Err(error) => Err(error),
        };
        self.note(name, started);
        result
    }

    /// Reads with one statement.
    pub(crate) async fn read<T>(
        &self,
        name: &'static str,
        work: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.run(name, Turn::Reading, |core| core.read(work)).await
    }

    /// Reads with several statements, all of them as of the same moment.
    pub(crate) async fn snapshot<T>(
        &self,
        name: &'static str,
        work: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.run(name, Turn::Reading, |core| core.snapshot(work)).await
    }

    /// Writes a copy of the store, as of one moment, to a new file, while the store is in use.
    ///
    /// # Errors
    ///
    /// Where the file exists or cannot be written.
    pub async fn backup(&self, file: &Path) -> Result<(), StoreError> {
        self.run("backup", Turn::Reading, |core| core.database().backup(file))
            .await
    }

    /// Makes a store in a directory that has none, from a copy that [`Store::backup`] wrote.
    ///
    /// # Errors
    ///
    /// Where the copy is damaged or no store, or the directory has a store already.
    pub fn restore(file: &Path, directory: &Path) -> Result<(), StoreError> {
        sqlite::Database::restore(file, directory)
    }

    /// Returns whether the embedded store's files are still those that were opened, and nothing since then found them
    /// damaged. Of a database, there is nothing to say.
    ///
    /// # Errors
    ///
    /// Where the files were removed or replaced, or are damaged.
    pub fn check_files(&self) -> Result<(), StoreError> {
        self.core.database().check(FileCheck::FilesAndLog)
    }

    /// Returns whether the store can answer.
    ///
    /// # Errors
    ///
    /// Where it cannot be read, its files were removed or replaced, or any operation since it was opened found them
    /// damaged.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.run("check", Turn::Reading, Core::check).await
    }

    /// How many bytes the store takes of a disk.
    ///
    /// # Errors
    ///
    /// Where the database cannot be asked.
    pub async fn bytes(&self) -> Result<u64, StoreError> {
        self.run("bytes", Turn::Reading, |core| core.database().bytes()).await
    }

    /// Hands on everything in the store, as of one moment, in the order in which it can be put into another store.
    ///
    /// Secrets are among it. Records of one kind come in the order of their ids, users in that of their list, each
    /// followed by their child rows.
    ///
    /// # Errors
    ///
    /// Where the store fails, and the first error of `each`.
    pub async fn export<E: From<StoreError>>(&self, each: impl FnMut(Record) -> Result<(), E>) -> Result<(), E> {
        self.run("export", Turn::Reading, |core| core.export(each)).await
    }

    /// Deletes a user and all child rows, also from what the store's files keep of the past. False if the team
    /// has no such user.
    ///
    /// The files are [scrubbed](Store::scrub) each time. For many users, delete all of them in one
    /// [write](Store::write) and scrub once.
    ///
    /// # Errors
    ///
    /// Where the store fails. When it stays [busy](StoreError::Busy) the user is deleted, and traces of them may be
    /// left in the files until the next call of this or of [`Store::scrub_deletions`].
    pub async fn forget(&self, team: TeamId, user_id: Uuid) -> Result<bool, StoreError> {
        let found = self.write(|write| write.delete_user(team, user_id)).await?;
        self.scrub().await?;
        Ok(found)
    }

    /// Takes from the store's files what they keep of the past: all of what was deleted or replaced.
    ///
    /// Writes the whole file anew, which takes as long as that takes, and about twice its space. Reads go on meanwhile,
    /// other writes wait.
    ///
    /// # Errors
    ///
    /// Where the store fails, or stays [busy](StoreError::Busy).
    pub async fn scrub(&self) -> Result<(), StoreError> {
        let note = self.deletions_to_scrub().await?;
        self.scrub_after(note).await
    }

    /// [Scrubs](Store::scrub) the files if users were deleted since they were last scrubbed, by whatever process.
    /// Returns whether it did.
    ///
    /// For a deletion whose process ended before it could scrub, and to scrub once after many deletions.
    ///
    /// # Errors
    ///
    /// Those of [`Store::scrub`]. The next call scrubs then.
    pub async fn scrub_deletions(&self) -> Result<bool, StoreError> {
        let note = self.deletions_to_scrub().await?;
        if note.is_none() {
            return Ok(false);
        }
        self.scrub_after(note).await?;
        Ok(true)
    }

    async fn deletions_to_scrub(&self) -> Result<Option<String>, StoreError> {
        self.read("deletions_to_scrub", |reader| reader.deletions_to_scrub())
            .await
    }

    /// Scrubs, and deletes the note that was read before. One that came meanwhile stays, for the next scrub.
    async fn scrub_after(&self, note: Option<String>) -> Result<(), StoreError> {
        self.run("scrub", Turn::Reading, Core::scrub).await?;
        match note {
            Some(note) => self.write(|write| write.note_deletions_scrubbed(&note)).await,
            None => Ok(()),
        }
    }

    /// Writes, in one transaction: all of it is kept when `work` succeeds, and nothing when it fails.
    pub async fn write<T>(
        &self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, StoreError> + Send,
    ) -> Result<T, StoreError> {
        self.run("write", Turn::Writing, |core| core.write(work)).await
    }

    /// Writes like [`Store::write`], where `work` may also fail for a reason of its own.
    pub async fn try_write<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E> + Send,
    ) -> Result<T, E> {
        self.run("write", Turn::Writing, |core| {
            let mut failed = None;
            let written = core.write(|transaction| {
                work(transaction).map_err(|error| {
                    failed = Some(error);
                    StoreError::Engine("the writer has given up".into())
                })
            });
            match failed {
                Some(error) => Err(error),
                None => written.map_err(E::from),
            }
        })
        .await
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.core.database().path())
            .finish_non_exhaustive()
    }
}
