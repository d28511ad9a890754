//! The store: who is calling, and what belongs to no team.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use uuid::Uuid;
use wearlab_models::{CancellationReason, Encoded, Environment, OAuthProvider, Pipeline, Region, SupportedProvider};

use crate::database::{Database, Turn};
#[cfg(feature = "postgres")]
use crate::postgres::{self, PostgresSettings};
use crate::sql::Engine;
use crate::sqlite;
use crate::{
    Backlog, Changes, DestinationId, DestinationStatus, EmbeddedSettings, EventFilter, KeyInfo, Lease, LoggedEvent,
    OrganisationId, PendingEvent, PipelineFilter, PipelinePage, Record, SecretKey, Share, StoreError, TeamId,
    TeamPipeline, TeamStore, Undelivered, WebhookEndpoint, Write,
};

/// The store. Clones share it.
///
/// Methods are `async` because an engine may be somewhere else. The embedded engine answers on the calling thread: a
/// read takes microseconds, a write as long as the disk needs to make it durable.
#[derive(Clone)]
pub struct Store {
    engine: Arc<Engine>,
    observer: Option<Arc<Observer>>,
}

/// Hears the name of an operation, and how long it took.
type Observer = dyn Fn(&'static str, Duration) + Send + Sync;

impl Store {
    /// Opens the embedded store in a folder, which is made if it is missing.
    ///
    /// On Unix its files are for their owner alone: a store that others may read or write is closed to them.
    ///
    /// # Errors
    ///
    /// Where the folder or the file in it cannot be used, or the file is damaged, of a newer version or no store at
    /// all. The error names the folder or the file.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::open_with(folder, &EmbeddedSettings::default(), &[])
    }

    /// Whether there is an embedded store in a folder, good or not: opening another folder would make a new one.
    pub fn is_in(folder: &Path) -> bool {
        sqlite::Database::is_in(folder)
    }

    /// Opens the embedded store like [`Store::open`], and encrypts the pipelines and the endpoints of webhooks in it where
    /// there are keys.
    ///
    /// The first key encrypts, each opens: a key is changed by putting the new one before it. What is not encrypted
    /// with the first key yet is encrypted now.
    ///
    /// # Errors
    ///
    /// Those of [`Store::open`], and where something is encrypted with none of the keys.
    pub fn open_with(folder: &Path, settings: &EmbeddedSettings, keys: &[SecretKey]) -> Result<Self, StoreError> {
        let database = Database::Embedded(sqlite::Database::open(folder, settings)?);
        Ok(Self {
            engine: Arc::new(Engine::new(database, keys)?),
            observer: None,
        })
    }

    /// Opens the store in a database of a PostgreSQL server, which several processes may share, and makes its tables if
    /// they are missing. The keys are those of [`Store::open_with`].
    ///
    /// # Errors
    ///
    /// Where the server cannot be reached ([`StoreError::Unavailable`]: trying again helps) or lets nobody in, the schema is of a newer version or holds tables of
    /// somebody else, and where something is encrypted with none of the keys. The error names the server, and not the
    /// password.
    #[cfg(feature = "postgres")]
    pub async fn connect(settings: &PostgresSettings, keys: &[SecretKey]) -> Result<Self, StoreError> {
        let engine = postgres::waiting(|| {
            let database = Database::Postgres(postgres::Database::open(settings)?);
            Engine::new(database, keys)
        })?;
        Ok(Self {
            engine: Arc::new(engine),
            observer: None,
        })
    }

    /// The same store, whose operations `observer` hears of: their names, and how long each took, waiting included.
    /// Those of clones that were made before are not heard.
    #[must_use]
    pub fn observed(self, observer: impl Fn(&'static str, Duration) + Send + Sync + 'static) -> Self {
        Self {
            observer: Some(Arc::new(observer)),
            ..self
        }
    }

    /// Runs an operation, once it is its turn. All of them go this way.
    pub(crate) async fn run<T, E: From<StoreError>>(
        &self,
        name: &'static str,
        work: impl FnOnce(&Engine) -> Result<T, E>,
    ) -> Result<T, E> {
        self.timed(name, Turn::Reading, work).await
    }

    async fn timed<T, E: From<StoreError>>(
        &self,
        name: &'static str,
        turn: Turn,
        work: impl FnOnce(&Engine) -> Result<T, E>,
    ) -> Result<T, E> {
        let started = Instant::now();
        let database = self.engine.database();
        let result = match database.turn(turn).await {
            Ok(_turn) => database.waiting(|| work(&self.engine)),
            Err(error) => Err(error.into()),
        };
        if let Some(observer) = &self.observer {
            observer(name, started.elapsed());
        }
        result
    }

    /// Writes a copy of the store, as of one moment, to a new file, while the store is in use.
    ///
    /// # Errors
    ///
    /// Where the file exists or cannot be written.
    pub async fn backup(&self, file: &Path) -> Result<(), StoreError> {
        self.run("backup", |engine| engine.backup(file)).await
    }

    /// Makes a store in a folder that has none, from a copy that [`Store::backup`] wrote.
    ///
    /// # Errors
    ///
    /// Where the copy is damaged or no store, or the folder has a store already.
    pub fn restore(file: &Path, folder: &Path) -> Result<(), StoreError> {
        sqlite::Database::restore(file, folder)
    }

    /// Whether the embedded store's files are still those that were opened, and nothing since then found them damaged.
    /// Of a database, there is nothing to say.
    ///
    /// # Errors
    ///
    /// Where the files were removed or replaced, or are damaged.
    pub fn check_files(&self) -> Result<(), StoreError> {
        self.engine.database().check()
    }

    /// Whether the store can answer.
    ///
    /// # Errors
    ///
    /// Where it cannot be read, its files were removed or replaced, or any operation since it was opened found them
    /// damaged.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.run("check", Engine::check).await
    }

    /// Whether the store holds nothing but notes.
    pub async fn is_empty(&self) -> Result<bool, StoreError> {
        self.run("is_empty", |engine| engine.is_empty()).await
    }

    /// A note that was left in the store by [`Write::put_meta`].
    pub async fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.run("meta", |engine| engine.meta(name)).await
    }

    /// The team that a team key stands for, unless the key is unknown or revoked.
    pub async fn team_of_key(&self, key: &str) -> Result<Option<TeamId>, StoreError> {
        self.run("team_of_key", |engine| engine.team_of_key(key)).await
    }

    /// The organisation that a management key stands for, unless the key is unknown or revoked.
    pub async fn organisation_of_key(&self, key: &str) -> Result<Option<OrganisationId>, StoreError> {
        self.run("organisation_of_key", |engine| engine.organisation_of_key(key))
            .await
    }

    /// The team that a link token stands for, unless the token is unknown or expired at `now`.
    pub async fn team_of_link_token(&self, token: &str, now: DateTime<Utc>) -> Result<Option<TeamId>, StoreError> {
        self.run("team_of_link_token", |engine| engine.team_of_link_token(token, now))
            .await
    }

    /// What belongs to a team.
    pub fn team(&self, team: TeamId) -> TeamStore<'_> {
        TeamStore::new(self, team)
    }

    /// The catalogue of providers by slug, or those of one kind of source.
    pub async fn providers(&self, source_type: Option<&str>) -> Result<Vec<Encoded<SupportedProvider>>, StoreError> {
        self.run("providers", |engine| engine.providers(source_type)).await
    }

    /// The description of a provider for linking, if there is such a provider and it links by OAuth.
    pub async fn oauth_provider(&self, slug: &str) -> Result<Option<Encoded<OAuthProvider>>, StoreError> {
        self.run("oauth_provider", |engine| engine.oauth_provider(slug)).await
    }

    /// All reasons for cancelling an appointment, by name.
    pub async fn cancellation_reasons(&self) -> Result<Vec<Encoded<CancellationReason>>, StoreError> {
        self.run("cancellation_reasons", |engine| engine.cancellation_reasons())
            .await
    }

    /// The pipelines of an organisation's teams in one environment and region, by team id.
    pub async fn pipelines(
        &self,
        organisation: &OrganisationId,
        environment: Environment,
        region: Region,
        filter: &PipelineFilter,
        limit: usize,
    ) -> Result<PipelinePage, StoreError> {
        self.run("pipelines", |engine| {
            engine.pipelines(organisation, environment, region, filter, limit)
        })
        .await
    }

    /// The next events of the log, oldest first.
    pub async fn events(&self, filter: &EventFilter, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        self.run("events", |engine| engine.events(filter, limit)).await
    }

    /// The last events of the log, oldest first.
    pub async fn last_events(&self, filter: &EventFilter, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        self.run("last_events", |engine| engine.last_events(filter, limit))
            .await
    }

    /// The number of the last event of the log, or 0.
    pub async fn last_event(&self) -> Result<i64, StoreError> {
        self.run("last_event", |engine| engine.last_event()).await
    }

    /// An event of the log, by its id.
    pub async fn event(&self, event_id: &str) -> Result<Option<LoggedEvent>, StoreError> {
        self.run("event", |engine| engine.event(event_id)).await
    }

    /// All endpoints of webhooks, by team.
    pub async fn webhooks(&self) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.run("webhooks", |engine| engine.webhooks()).await
    }

    /// The pipeline of a team, with its secrets.
    pub async fn pipeline(&self, team_id: Uuid) -> Result<Option<Pipeline>, StoreError> {
        self.run("pipeline", |engine| engine.pipeline(team_id)).await
    }

    /// The pipelines of all teams, with their secrets.
    pub async fn all_pipelines(&self) -> Result<Vec<TeamPipeline>, StoreError> {
        self.run("all_pipelines", |engine| engine.all_pipelines()).await
    }

    /// What tells whether a dispatcher has something to do.
    pub async fn changes(&self) -> Result<Changes, StoreError> {
        self.run("changes", |engine| engine.changes()).await
    }

    /// The teams that events after a place in the log are for.
    pub async fn teams_with_events(&self, after: i64) -> Result<Vec<Uuid>, StoreError> {
        self.run("teams_with_events", |engine| engine.teams_with_events(after))
            .await
    }

    /// Whether several processes may use the store at once, so that they must [share](Store::share) the destinations.
    pub fn is_shared(&self) -> bool {
        self.engine.database().is_shared()
    }

    /// Says that a process goes on working for destinations, and which of those it wants it has for the next span: what
    /// it had, and what nobody has, up to its part of all. Called again well before the span is over, it keeps them.
    ///
    /// What a process had stays its own when the span is over, until another one takes it.
    pub async fn share(&self, holder: Uuid, wanted: &[DestinationId], span: Duration) -> Result<Share, StoreError> {
        self.run("share", |engine| engine.database().share(holder, wanted, span))
            .await
    }

    /// Leaves destinations to others.
    pub async fn release(&self, leases: &[Lease]) -> Result<(), StoreError> {
        self.run("release", |engine| engine.database().release(leases)).await
    }

    /// Leaves all destinations that a process has to others, and its part as well.
    pub async fn leave(&self, holder: Uuid) -> Result<(), StoreError> {
        self.run("leave", |engine| engine.database().leave(holder)).await
    }

    /// Events that a destination was not sent yet, oldest first.
    pub async fn fresh_events(
        &self,
        destination: DestinationId,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        self.fresh_events_after(destination, 0, limit).await
    }

    /// Those of them after a number of the log: what comes before is under way.
    pub async fn fresh_events_after(
        &self,
        destination: DestinationId,
        after: i64,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        self.run("fresh_events", |engine| engine.fresh(destination, after, limit))
            .await
    }

    /// Events that a destination is to be sent again by now, oldest first.
    pub async fn due_events(
        &self,
        destination: DestinationId,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        self.run("due_events", |engine| engine.due(destination, now, limit))
            .await
    }

    /// When the next event is to be sent again, if one waits.
    pub async fn next_due(&self, destination: DestinationId) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.run("next_due", |engine| engine.next_due(destination)).await
    }

    /// How many events wait to be sent again.
    pub async fn retried_events(&self, destination: DestinationId) -> Result<i64, StoreError> {
        self.run("retried_events", |engine| engine.retried(destination)).await
    }

    /// How far a destination is behind.
    pub async fn backlog(&self, destination: DestinationId) -> Result<Backlog, StoreError> {
        self.run("backlog", |engine| engine.backlog(destination)).await
    }

    /// All destinations, by team and kind, and which of them cannot be reached.
    pub async fn destinations(&self) -> Result<Vec<DestinationStatus>, StoreError> {
        self.run("destinations", |engine| engine.destinations()).await
    }

    /// Events that destinations were sent in vain, oldest first.
    pub async fn undelivered(&self, limit: usize) -> Result<Vec<Undelivered>, StoreError> {
        self.run("undelivered", |engine| engine.undelivered(limit)).await
    }

    /// All keys, by owner and then by age. The store knows their hashes alone.
    pub async fn keys(&self) -> Result<Vec<KeyInfo>, StoreError> {
        self.run("keys", |engine| engine.keys()).await
    }

    /// Hands on everything in the store, as of one moment, in the order in which it can be put into another store.
    ///
    /// Secrets are among it. Records of one kind come in the order of their ids, users in that of their list, each
    /// followed by what hangs on them.
    ///
    /// # Errors
    ///
    /// Where the store fails, and the first error of `each`.
    pub async fn export<E: From<StoreError>>(&self, each: impl FnMut(Record) -> Result<(), E>) -> Result<(), E> {
        self.run("export", |engine| engine.export(each)).await
    }

    /// Deletes a user and all that hangs on them, also from what the store's files keep of the past. False if the team
    /// has no such user.
    ///
    /// The files are [scrubbed](Store::scrub) each time. For many users, delete all of them in one
    /// [write](Store::write) and scrub once.
    ///
    /// # Errors
    ///
    /// Where the store fails. When it stays [busy](StoreError::Busy) the user is deleted, and traces of them may be
    /// left in the files until the next call.
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
        self.run("scrub", Engine::scrub).await
    }

    /// Writes, in one transaction: all of it is kept when `work` succeeds, and nothing when it fails.
    pub async fn write<T>(
        &self,
        work: impl FnOnce(&mut Write<'_>) -> Result<T, StoreError> + Send,
    ) -> Result<T, StoreError> {
        self.timed("write", Turn::Writing, |engine| {
            engine.write(|writer| work(&mut Write::new(writer)))
        })
        .await
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.engine.database().place())
            .finish_non_exhaustive()
    }
}
