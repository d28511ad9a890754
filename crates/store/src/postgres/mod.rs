//! PostgreSQL: a server that several processes share.

mod ahead;
mod days;
mod driver;
mod error;
mod leases;
mod numbers;
mod responses;
mod schema;
mod session;
mod settings;
mod state;
mod tls;
mod value;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime as PoolRuntime};
use futures_executor::block_on;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout_at;
use tokio_postgres::IsolationLevel;
use tokio_postgres_rustls::MakeRustlsConnect;

use self::responses::Responses;
use self::session::Session;
pub use self::settings::{InvalidUrl, PostgresSettings};
use self::state::{Connections, State};
use crate::sql::connection::Connection;
use crate::turn::Turn;
use crate::{StoreError, deadline};

/// How long to wait for a connection to the server, new or from the pool.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How much longer than the server may work on a statement this process waits for its response.
const RESPONSE_MARGIN: Duration = Duration::from_secs(5);

/// Lets one transaction of all processes write at a time, as a file does. Whoever reads is not held up.
///
/// What a write finds stays as it is until it commits, and events commit in the order of their numbers: a cursor that
/// has passed one has missed none. Whoever is paused or lost within a write lets go of it within seconds.
const ALONE: &str = "SET LOCAL idle_in_transaction_session_timeout = '5s';
    LOCK TABLE revisions IN SHARE ROW EXCLUSIVE MODE";

/// All tables of the store; the log stands for its parts.
const TABLES: &str = "SELECT quote_ident(relname) FROM pg_class
    WHERE relnamespace = CAST(current_schema() AS REGNAMESPACE) AND relkind IN ('r', 'p') AND NOT relispartition";

/// A database on a server, and the connections to it.
pub(crate) struct Database {
    location: PathBuf,
    pool: Pool,
    tls: MakeRustlsConnect,
    state: State,
    document_cache: usize,
    /// How long to wait for each response, whatever the server does.
    response_timeout: Duration,
    /// Where connections are looked after, whoever waits for what they bring.
    runtime: Option<Runtime>,
    /// As many reads at once as there are connections, less one that writes and one that asks for the state.
    reading: Semaphore,
    /// One write: those of all processes follow one another, and those that wait shall keep no connections from reads.
    writing: Semaphore,
    /// The days that there is a partition for.
    days: Mutex<BTreeSet<i64>>,
}

impl Database {
    /// Connects to a server, and brings the schema up to date.
    pub(crate) fn open(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let location = settings.location()?;
        let unusable = |source: Box<dyn std::error::Error + Send + Sync>| StoreError::Unusable {
            path: location.clone(),
            source,
        };
        let tls = tls::connector(settings)?;
        let manager = Manager::from_config(
            settings.driver_config()?,
            tls.clone(),
            ManagerConfig {
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let connections = Connections::default();
        let pool = Pool::builder(manager)
            .post_create(connections.hook())
            .max_size(settings.connections.max(2))
            .runtime(PoolRuntime::Tokio1)
            .wait_timeout(Some(CONNECT_TIMEOUT))
            .create_timeout(Some(CONNECT_TIMEOUT))
            .recycle_timeout(Some(CONNECT_TIMEOUT))
            .build()
            .map_err(|error| unusable(error.into()))?;
        // Last: it may not be dropped here, where nobody may wait.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|error| unusable(error.into()))?;
        let database = Self {
            location,
            state: State::new(pool.clone(), connections),
            document_cache: settings.document_cache(),
            pool,
            tls,
            response_timeout: settings.statement_timeout.saturating_add(RESPONSE_MARGIN),
            runtime: Some(runtime),
            reading: Semaphore::new(settings.connections.saturating_sub(2).max(1)),
            writing: Semaphore::new(1),
            days: Mutex::default(),
        };
        schema::bring_up_to_date(&database).map_err(|error| database.on_opening(error))?;
        Ok(database)
    }

    /// Says of which database an error is that came up while it was opened, and whether it passes.
    pub(crate) fn on_opening(&self, error: StoreError) -> StoreError {
        let path = self.location.clone();
        match error {
            StoreError::Unreachable(source) | StoreError::CommitUnknown(source) => {
                StoreError::Unavailable { path, source }
            }
            StoreError::Busy => StoreError::Unavailable {
                path,
                source: "another process uses it for long".into(),
            },
            StoreError::Engine(source) => StoreError::Unusable { path, source },
            other => other,
        }
    }

    /// Waits for a turn, up to the deadline of the task and no longer than for a response.
    pub(crate) async fn turn(&self, turn: Turn) -> Result<SemaphorePermit<'_>, StoreError> {
        let semaphore = match turn {
            Turn::Reading => &self.reading,
            Turn::Writing => &self.writing,
        };
        let waiting = {
            // Its clock: the caller may have none.
            let _context = self.runtime.as_ref().map(Runtime::enter);
            timeout_at(deadline::earliest(self.response_timeout).into(), semaphore.acquire())
        };
        match waiting.await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(StoreError::Busy),
        }
    }

    /// What names the database to people: its server and its name.
    pub(crate) fn path(&self) -> &Path {
        &self.location
    }

    /// How many bytes the documents may have that are kept as they were read.
    pub(crate) fn document_cache(&self) -> usize {
        self.document_cache
    }

    /// A state that the database had, which is not later than now; none while it does not pay to ask whether it is that of
    /// now.
    pub(crate) fn seen_state(&self) -> Option<u64> {
        self.state.seen()
    }

    /// Whether the database still has a state.
    pub(crate) async fn is_still(&self, state: u64) -> bool {
        match &self.runtime {
            Some(runtime) => self.state.now(runtime.handle()).await == Some(state),
            None => false,
        }
    }

    /// Runs `work` in one transaction, with no other writer beside it.
    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transaction(ALONE, work)
    }

    /// Runs `work` in one transaction, beside no other one with this lock.
    fn transaction<T>(
        &self,
        lock: &str,
        work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.lend(|client, responses| {
            let transaction = responses.get(client.transaction())?;
            responses.get(transaction.batch_execute(lock))?;
            let session = Session::writing(responses, &transaction);
            let result = work(&Connection::writing(&session));
            if result.is_err() {
                // Whoever has the connection next need not wait for them.
                drop(session.take_responses());
            }
            let result = result?;
            let made = session.finish()?;
            responses.commit(transaction)?;
            self.known_days().extend(made);
            Ok(result)
        })
    }

    /// Reads what one statement returns.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.lend(|client, responses| work(&Connection::new(&Session::alone(responses, client))))
    }

    /// Reads what several statements return, all of them as of the same moment.
    pub(crate) fn read_together<T>(
        &self,
        work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.lend(|client, responses| {
            let begun = client
                .build_transaction()
                .isolation_level(IsolationLevel::RepeatableRead)
                .read_only(true);
            let transaction = responses.get(begun.start())?;
            let result = work(&Connection::new(&Session::reading(responses, &transaction)))?;
            // Nothing was written: however it ends, what was read holds.
            responses.get(transaction.commit())?;
            Ok(result)
        })
    }

    /// Has the server use the space again of what was deleted or replaced.
    ///
    /// What it keeps elsewhere, as in its log, is for those who run it.
    pub(crate) fn scrub(&self) -> Result<(), StoreError> {
        // With its settings, it does not go back to the pool.
        let client = Object::take(self.client()?);
        let responses = Responses::new(self);
        let tables = responses.get(client.query(TABLES, &[]))?;
        let tables: Vec<String> = tables
            .iter()
            .map(|row| row.try_get(0))
            .collect::<Result<_, _>>()
            .map_err(error::failure)?;
        // It takes as long as there is to read, and holds up nobody.
        responses.get(client.batch_execute("SET statement_timeout = 0"))?;
        let vacuum = format!("VACUUM {}", tables.join(", "));
        self.work(client.batch_execute(&vacuum))
    }

    /// Waits for what takes as long as there are rows, on a connection without a time-out of statements.
    fn work(&self, response: impl Future<Output = Result<(), tokio_postgres::Error>>) -> Result<(), StoreError> {
        let mut response = std::pin::pin!(response);
        loop {
            // As long as the server responds at all, it is at work.
            match self.wait(self.response_timeout, response.as_mut()) {
                Some(done) => return Ok(done.map_err(error::failure)?),
                None => self.lend(|client, responses| responses.get(client.batch_execute("")))?,
            }
        }
    }

    /// Lends a connection to `work`. One that was not responded to in time is closed: whoever had it next would be
    /// behind what the server still works on.
    fn lend<T>(
        &self,
        work: impl FnOnce(&mut Object, &Responses<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut client = self.client()?;
        let responses = Responses::new(self);
        let result = work(&mut client, &responses);
        if responses.are_overdue() {
            let client = Object::take(client);
            if let Some(runtime) = self.runtime.as_ref().filter(|_| !responses.of_a_commit()) {
                // It need not end what nobody waits for.
                let (token, tls) = (client.cancel_token(), self.tls.clone());
                runtime.spawn(tokio::time::timeout(CONNECT_TIMEOUT, async move {
                    token.cancel_query(tls).await
                }));
            }
        }
        result
    }

    /// A connection from the pool. One that was lost meanwhile is replaced.
    fn client(&self) -> Result<Object, StoreError> {
        let client = self.wait(CONNECT_TIMEOUT, self.pool.get());
        client
            .ok_or_else(error::no_connection_in_time)?
            .map_err(error::no_connection)
    }

    /// Waits on the calling thread, whatever runtime that is of, up to the deadline of the task and no longer than
    /// `limit`.
    fn wait<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let _context = self.runtime.as_ref().map(Runtime::enter);
        let waiting = timeout_at(deadline::earliest(limit).into(), future);
        // Within a task, the runtime would have it give way to others, which here is nobody.
        block_on(tokio::task::unconstrained(waiting)).ok()
    }

    fn known_days(&self) -> std::sync::MutexGuard<'_, BTreeSet<i64>> {
        self.days.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.pool.close();
        if let Some(runtime) = self.runtime.take() {
            // Stores are dropped where nobody may wait.
            runtime.shutdown_background();
        }
    }
}
