//! Synchronous core of the store: a database with its caches and encryption keys.

use std::cell::Cell;
use std::hash::Hash;

use uuid::Uuid;
use wearlab_database::Database;
use wearlab_database::sqlite::FileCheck;
use wearlab_models::{Encoded, User, UserList};

use crate::seal::Seal;
use crate::sql::access::key_cache::ApiKeyCache;
use crate::sql::admin::migration;
use crate::sql::connection::Connection;
use crate::sql::users::cache::{Cache, Value};
use crate::sql::users::order::BlockSizes;
use crate::sql::{Reader, Transaction};
use crate::{KeyHash, KeyOwner, Record, SecretKey, StoreError, TeamId, UserPage};

/// Lends [`Reader`]s and [`Transaction`]s, which own the statements, to work that may block.
pub(crate) struct Core {
    database: Database,
    seal: Seal,
    block_sizes: BlockSizes,
    api_keys: ApiKeyCache,
    user_cache: Cache<(TeamId, Uuid), Encoded<User>>,
    /// Pages of users, by team, offset and limit.
    user_list_cache: Cache<(TeamId, i64, i64), Encoded<UserList>>,
}

impl Core {
    pub(crate) fn new(database: Database, keys: &[SecretKey]) -> Result<Self, StoreError> {
        let note = database
            .read(migration::note)
            .map_err(|error| database.with_path(error))?;
        if note.is_some() {
            let path = database.path().to_owned();
            return Err(StoreError::Unfinished { path });
        }
        let cache_bytes = database.document_cache();
        let core = Self {
            database,
            seal: Seal::new(keys),
            block_sizes: BlockSizes::USUAL,
            api_keys: ApiKeyCache::default(),
            user_cache: Cache::new(cache_bytes / 4 * 3, 1 << 10),
            user_list_cache: Cache::new(cache_bytes / 4, 1 << 16),
        };
        core.seal_all().map_err(|error| core.database.with_path(error))?;
        Ok(core)
    }

    /// Returns the same core with other block sizes.
    #[cfg(test)]
    pub(crate) fn with_block_sizes(self, block_sizes: BlockSizes) -> Self {
        Self { block_sizes, ..self }
    }

    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    pub(crate) fn seal(&self) -> &Seal {
        &self.seal
    }

    /// Runs `work`, which reads with one statement.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.database.read(|connection| work(&self.reader(connection)))
    }

    /// Runs `work`, whose statements all read from one snapshot.
    pub(crate) fn snapshot<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.database.snapshot(|connection| work(&self.reader(connection)))
    }

    fn reader<'a>(&'a self, connection: &'a Connection<'a>) -> Reader<'a> {
        Reader::new(connection, &self.seal, self.database.path())
    }

    /// Runs `work` in one transaction. No other writer runs meanwhile.
    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let keys_changed = Cell::new(false);
        let written = self.database.write(|connection| {
            let mut transaction = Transaction::new(connection, &self.seal, self.block_sizes, &keys_changed);
            let result = work(&mut transaction)?;
            transaction.finish()?;
            Ok(result)
        });
        // Cleared after the commit: from here on, a lookup reads the new rows.
        if keys_changed.get() {
            self.api_keys.clear();
        }
        written
    }

    /// Returns the team and the scopes of a key from the cache.
    pub(crate) fn cached_team_key(&self, hash: &KeyHash) -> Result<Option<KeyOwner<TeamId>>, StoreError> {
        let Some(team) = self.api_keys.team(hash) else {
            return Ok(None);
        };
        // A cheap check is enough: operations that use the key check the files themselves.
        self.database.check_previous()?;
        Ok(Some(team))
    }

    /// Looks up the team and the scopes of a key, and caches them for a moment.
    pub(crate) fn team_key(&self, hash: &KeyHash) -> Result<Option<KeyOwner<TeamId>>, StoreError> {
        let lookup = self.api_keys.lookup();
        let team = self.read(|reader| reader.team_key(hash))?;
        if let Some(team) = team {
            self.api_keys.insert(hash, team, &lookup);
        }
        Ok(team)
    }

    /// Returns a user from the cache, if no user has changed since.
    pub(crate) async fn cached_user(&self, team: TeamId, user_id: Uuid) -> Result<Option<Encoded<User>>, StoreError> {
        self.cached(&self.user_cache, &(team, user_id)).await
    }

    /// Reads a user, and caches it until the state of the store changes.
    pub(crate) fn user(&self, team: TeamId, user_id: Uuid) -> Result<Option<Encoded<User>>, StoreError> {
        self.find(&self.user_cache, (team, user_id), || {
            self.read(|reader| reader.user(team, user_id))
        })
    }

    /// Returns a page of users from the cache, if no user has changed since.
    pub(crate) async fn cached_user_list(
        &self,
        team: TeamId,
        offset: i64,
        limit: i64,
    ) -> Result<Option<Encoded<UserList>>, StoreError> {
        self.cached(&self.user_list_cache, &(team, offset, limit)).await
    }

    /// Reads a page of users, and caches it until the state of the store changes.
    pub(crate) fn user_list(&self, team: TeamId, offset: i64, limit: i64) -> Result<Encoded<UserList>, StoreError> {
        let list = self.find(&self.user_list_cache, (team, offset, limit), || {
            let UserPage { users, total } = self.users(team, offset, limit)?;
            let envelope = UserList::builder().users(Vec::new()).total(total);
            let envelope = envelope.offset(offset).limit(limit).build();
            let list = Encoded::page(&envelope, &users);
            list.map(Some).map_err(|error| StoreError::Engine(error.into()))
        });
        list?.ok_or_else(|| StoreError::Engine("there is no page".into()))
    }

    /// A page of users.
    pub(crate) fn users(&self, team: TeamId, offset: i64, limit: i64) -> Result<UserPage, StoreError> {
        // On a server, each statement is a round trip.
        match self.database.is_shared() {
            true => self.read(|reader| reader.users_at_once(team, offset, limit)),
            false => self.snapshot(|reader| reader.users(team, offset, limit)),
        }
    }

    /// Removes remnants of deleted data from the files, and clears the caches.
    pub(crate) fn scrub(&self) -> Result<(), StoreError> {
        self.user_cache.clear();
        self.user_list_cache.clear();
        Ok(self.database.scrub()?)
    }

    /// Returns a cached value, if it is of the current state.
    async fn cached<K: Eq + Hash, V: Value>(&self, cache: &Cache<K, V>, key: &K) -> Result<Option<V>, StoreError> {
        let Some(state) = self.database.cache_version()? else {
            return Ok(None);
        };
        let Some(value) = cache.get(key, state) else {
            return Ok(None);
        };
        Ok(self.database.validate(state).await.then_some(value))
    }

    /// Reads a value, and caches it with the state before the read.
    fn find<K: Eq + Hash, V: Value>(
        &self,
        cache: &Cache<K, V>,
        key: K,
        find: impl FnOnce() -> Result<Option<V>, StoreError>,
    ) -> Result<Option<V>, StoreError> {
        // The state from before the read: a write meanwhile changes it.
        let state = self.database.cache_version()?;
        let found = find()?;
        if let (Some(value), Some(state)) = (&found, state) {
            cache.insert(key, value, state);
        }
        Ok(found)
    }

    /// Calls `each` with all records, from one snapshot. Fails with the first error of `each`.
    pub(crate) fn export<E: From<StoreError>>(&self, mut each: impl FnMut(Record) -> Result<(), E>) -> Result<(), E> {
        let mut ended = None;
        let outcome = self.snapshot(|reader| {
            reader.export(&mut |record| {
                each(record).map_err(|error| {
                    ended = Some(error);
                    StoreError::Engine("whoever takes the records has ended it".into())
                })
            })
        });
        match ended {
            Some(error) => Err(error),
            None => outcome.map_err(E::from),
        }
    }

    /// Fails if the store cannot be read, or if any operation found damage.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.database.check(FileCheck::Files)?;
        self.read(|reader| reader.is_empty()).map(drop)
    }

    /// Encrypts everything with the current key. Fails if a text cannot be decrypted.
    ///
    /// Older versions of the texts stay readable in the file until the next scrub. A note in the database records that
    /// the scrub is due, in case it fails.
    fn seal_all(&self) -> Result<(), StoreError> {
        if !self.snapshot(|reader| reader.is_sealing_due())? {
            return Ok(());
        }
        self.write(|transaction| transaction.seal_all())?;
        self.scrub()?;
        self.write(|transaction| transaction.note_scrubbed())
    }
}
