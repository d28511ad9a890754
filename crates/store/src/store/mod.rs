//! Asynchronous interface of the store: each operation waits for a permit, and runs where it may block.

mod destinations;
mod linking;
mod log;
mod shared;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use uuid::Uuid;
#[cfg(feature = "postgres")]
use wearlab_database::blocking;
#[cfg(feature = "postgres")]
use wearlab_database::postgres::{self, PostgresSettings};
use wearlab_database::sqlite::{self, FileCheck};
use wearlab_database::{Access, Database};

use crate::core::Core;
use crate::schema;
use crate::sql::Reader;
use crate::{EmbeddedSettings, Record, SecretKey, StoreError, TeamId, Transaction};

/// The store. Clones share it.
///
/// Methods are `async` because an engine may be remote. The embedded engine reads on the calling thread, which takes
/// microseconds. A write takes as long as the disk needs to make it durable. Other tasks of the thread move to other
/// threads, if the runtime has several.
#[derive(Clone)]
pub struct Store {
    core: Arc<Core>,
    observer: Option<Arc<Observer>>,
}

/// Called with the name of an operation and its duration.
type Observer = dyn Fn(&'static str, Duration) + Send + Sync;

impl Store {
    /// Opens the embedded store in a directory, which is created if it is missing.
    ///
    /// On Unix only the owner can access its files. Permissions of other users are removed.
    ///
    /// # Errors
    ///
    /// If the directory or the file in it cannot be used, or if the file is damaged, has a newer version or is not a
    /// store. The error names the directory or the file.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        Self::open_with(directory, &EmbeddedSettings::default(), &[])
    }

    /// Returns whether a directory contains an embedded store, valid or not. [`Store::open`] creates a new one in any
    /// other directory.
    pub fn is_in(directory: &Path) -> bool {
        sqlite::Database::is_in(directory, &schema::EMBEDDED)
    }

    /// Opens the embedded store like [`Store::open`], and encrypts the pipelines and the webhook endpoints in it if
    /// there are keys.
    ///
    /// The first key encrypts, each key decrypts: to rotate a key, put the new one before it. Values that are not
    /// encrypted with the first key are encrypted again on opening.
    ///
    /// # Errors
    ///
    /// Those of [`Store::open`], and if a value is encrypted with none of the keys.
    pub fn open_with(directory: &Path, settings: &EmbeddedSettings, keys: &[SecretKey]) -> Result<Self, StoreError> {
        let database = Database::Embedded(sqlite::Database::open(directory, &schema::EMBEDDED, settings)?);
        Ok(Self {
            core: Arc::new(Core::new(database, keys)?),
            observer: None,
        })
    }

    /// Opens the store in a database of a PostgreSQL server, which several processes may share, and creates its tables
    /// if they are missing. The keys are those of [`Store::open_with`].
    ///
    /// # Errors
    ///
    /// If the server cannot be reached ([`StoreError::Unavailable`]: a retry helps) or refuses the login, if the schema
    /// is newer or holds other tables, or if a value is encrypted with none of the keys. The error names the server,
    /// but not the password.
    #[cfg(feature = "postgres")]
    pub async fn connect(settings: &PostgresSettings, keys: &[SecretKey]) -> Result<Self, StoreError> {
        let core = blocking(|| {
            let database = Database::Postgres(postgres::Database::open(&schema::SERVER, settings)?);
            Core::new(database, keys)
        })?;
        Ok(Self {
            core: Arc::new(core),
            observer: None,
        })
    }

    /// Returns the same store, which reports its operations to `observer`: their names and durations, including waits.
    /// Operations of earlier clones are not reported.
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

    /// Runs an operation where it may block, once it has a permit. All operations except [cached
    /// reads](Self::read_cached) go through this function.
    pub(crate) async fn run<T, E: From<StoreError>>(
        &self,
        name: &'static str,
        access: Access,
        work: impl FnOnce(&Core) -> Result<T, E>,
    ) -> Result<T, E> {
        let started = Instant::now();
        let result = self.with_permit(access, work).await;
        self.note(name, started);
        result
    }

    async fn with_permit<T, E: From<StoreError>>(
        &self,
        access: Access,
        work: impl FnOnce(&Core) -> Result<T, E>,
    ) -> Result<T, E> {
        let database = self.core.database();
        let _permit = database.acquire(access).await.map_err(StoreError::from)?;
        database.blocking(access, || work(&self.core))
    }

    /// Reports the duration of an operation to the observer.
    fn note(&self, name: &'static str, started: Instant) {
        if let Some(observer) = &self.observer {
            observer(name, started.elapsed());
        }
    }

    /// Runs a read unless its result is cached. A cached result needs no permit and no thread.
    pub(crate) async fn read_cached<V, T: From<V>>(
        &self,
        name: &'static str,
        cached: impl Future<Output = Result<Option<V>, StoreError>>,
        read: impl FnOnce(&Core) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let started = Instant::now();
        let result = match cached.await {
            Ok(Some(value)) => Ok(value.into()),
            Ok(None) => self.with_permit(Access::Read, read).await,
            Err(error) => Err(error),
        };
        self.note(name, started);
        result
    }

    /// Runs `work`, which reads with one statement.
    pub(crate) async fn read<T>(
        &self,
        name: &'static str,
        work: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.run(name, Access::Read, |core| core.read(work)).await
    }

    /// Runs `work`, which reads with several statements from one snapshot.
    pub(crate) async fn snapshot<T>(
        &self,
        name: &'static str,
        work: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.run(name, Access::Read, |core| core.snapshot(work)).await
    }

    /// Writes a consistent copy of the store to a new file, while the store is in use.
    ///
    /// # Errors
    ///
    /// If the file exists or cannot be written.
    pub async fn backup(&self, file: &Path) -> Result<(), StoreError> {
        self.run("backup", Access::Read, |core| Ok(core.database().backup(file)?))
            .await
    }

    /// Creates a store in a directory that has none, from a copy of [`Store::backup`].
    ///
    /// # Errors
    ///
    /// If the copy is damaged or not a store, or if the directory already has a store.
    pub fn restore(file: &Path, directory: &Path) -> Result<(), StoreError> {
        Ok(sqlite::Database::restore(file, directory, &schema::EMBEDDED)?)
    }

    /// Checks that the embedded store's files are those that were opened, and that no operation found them damaged.
    /// Always succeeds on a server.
    ///
    /// # Errors
    ///
    /// If the files were removed or replaced, or are damaged.
    pub fn check_files(&self) -> Result<(), StoreError> {
        Ok(self.core.database().check(FileCheck::FilesAndLog)?)
    }

    /// Checks that the store can be read.
    ///
    /// # Errors
    ///
    /// If it cannot be read, if its files were removed or replaced, or if any operation since it was opened found
    /// damage.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.run("check", Access::Read, Core::check).await
    }

    /// Returns the size of the store on disk, in bytes.
    ///
    /// # Errors
    ///
    /// If the database cannot be queried.
    pub async fn bytes(&self) -> Result<u64, StoreError> {
        self.run("bytes", Access::Read, |core| Ok(core.database().bytes()?))
            .await
    }

    /// Calls `each` with everything in the store, from one snapshot, in an order in which another store can import it.
    ///
    /// Secrets are included. Records of one kind are sorted by id, users in the order of their list, each followed by
    /// their child rows.
    ///
    /// # Errors
    ///
    /// Those of the store, and the first error of `each`.
    pub async fn export<E: From<StoreError>>(&self, each: impl FnMut(Record) -> Result<(), E>) -> Result<(), E> {
        self.run("export", Access::Read, |core| core.export(each)).await
    }

    /// Deletes a user and all child rows, also from remnants in the store's files. Returns false if the team has no
    /// such user.
    ///
    /// The files are [scrubbed](Store::scrub) each time. For many users, delete all of them in one
    /// [write](Store::write) and scrub once.
    ///
    /// # Errors
    ///
    /// Those of the store. If it stays [busy](StoreError::Busy), the user is deleted, but traces of them may be left in
    /// the files until the next call of this or of [`Store::scrub_deletions`].
    pub async fn forget(&self, team: TeamId, user_id: Uuid) -> Result<bool, StoreError> {
        let found = self.write(|write| write.delete_user(team, user_id)).await?;
        self.scrub().await?;
        Ok(found)
    }

    /// Removes remnants of all deleted or replaced data from the store's files.
    ///
    /// The whole file is rewritten, which needs about twice its space. Reads continue meanwhile, other writes wait.
    ///
    /// # Errors
    ///
    /// Those of the store, also if it stays [busy](StoreError::Busy).
    pub async fn scrub(&self) -> Result<(), StoreError> {
        let note = self.deletions_to_scrub().await?;
        self.scrub_after(note).await
    }

    /// [Scrubs](Store::scrub) the files if any process deleted users since the last scrub. Returns whether it did.
    ///
    /// Use it for deletions whose process ended before it could scrub, and to scrub once after many deletions.
    ///
    /// # Errors
    ///
    /// Those of [`Store::scrub`]. The next call then scrubs.
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

    /// Scrubs, and deletes the note that was read before. A newer note stays, for the next scrub.
    async fn scrub_after(&self, note: Option<String>) -> Result<(), StoreError> {
        self.run("scrub", Access::Read, Core::scrub).await?;
        match note {
            Some(note) => self.write(|write| write.note_deletions_scrubbed(&note)).await,
            None => Ok(()),
        }
    }

    /// Writes in one transaction, which is committed if `work` succeeds, and rolled back if it fails.
    pub async fn write<T>(
        &self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, StoreError> + Send,
    ) -> Result<T, StoreError> {
        self.run("write", Access::Write, |core| core.write(work)).await
    }

    /// Writes like [`Store::write`], but `work` may also fail with an error of its own.
    pub async fn try_write<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E> + Send,
    ) -> Result<T, E> {
        self.run("write", Access::Write, |core| {
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
