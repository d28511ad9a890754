//! PostgreSQL: a server that several processes share.

mod days;
mod driver;
mod error;
mod leases;
mod numbers;
mod schema;
mod settings;
mod tls;
mod value;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime as PoolRuntime};
use futures_executor::block_on;
use tokio::runtime::{Handle, Runtime, RuntimeFlavor};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::IsolationLevel;

use self::driver::Session;
pub use self::settings::PostgresSettings;
use crate::StoreError;
use crate::database::Turn;
use crate::sql::connection::Connection;

/// How long to wait for a connection to the server.
const PATIENCE: Duration = Duration::from_secs(5);

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
    place: PathBuf,
    pool: Pool,
    /// Where connections are looked after, whoever waits for what they bring.
    runtime: Option<Runtime>,
    /// As many reads at once as there are connections, less one.
    reading: Semaphore,
    /// One write: those of all processes follow one another, and those that wait shall keep no connections from reads.
    writing: Semaphore,
    /// The days whose events have a place to go.
    days: Mutex<BTreeSet<i64>>,
}

impl Database {
    /// Connects to a server, and brings the schema up to date.
    pub(crate) fn open(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let place = settings.place()?;
        let unusable = |source: Box<dyn std::error::Error + Send + Sync>| StoreError::Unusable {
            path: place.clone(),
            source,
        };
        let manager = Manager::from_config(
            settings.driver_config()?,
            tls::connector(settings)?,
            ManagerConfig {
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let pool = Pool::builder(manager)
            .max_size(settings.connections.max(2))
            .runtime(PoolRuntime::Tokio1)
            .wait_timeout(Some(PATIENCE))
            .create_timeout(Some(PATIENCE))
            .recycle_timeout(Some(PATIENCE))
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
            place: place.clone(),
            pool,
            runtime: Some(runtime),
            reading: Semaphore::new(settings.connections.saturating_sub(1).max(1)),
            writing: Semaphore::new(1),
            days: Mutex::default(),
        };
        schema::bring_up_to_date(&database).map_err(|error| match error {
            StoreError::Unreachable(source) | StoreError::Engine(source) => unusable(source),
            other => other,
        })?;
        Ok(database)
    }

    /// Waits for a turn. Nothing is returned where the store is about to go.
    pub(crate) async fn turn(&self, turn: Turn) -> Option<SemaphorePermit<'_>> {
        let semaphore = match turn {
            Turn::Reading => &self.reading,
            Turn::Writing => &self.writing,
        };
        semaphore.acquire().await.ok()
    }

    /// What names the database to people: its server and its name.
    pub(crate) fn place(&self) -> &Path {
        &self.place
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
        let mut client = self.client()?;
        let transaction = self.wait(client.transaction()).map_err(error::failure)?;
        self.wait(transaction.batch_execute(lock)).map_err(error::failure)?;
        let session = Session::writing(self, &transaction);
        let result = work(&Connection::new(&session))?;
        let made = session.finish()?;
        self.wait(transaction.commit()).map_err(error::failure)?;
        self.known_days().extend(made);
        Ok(result)
    }

    /// Reads what one statement answers.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let client = self.client()?;
        work(&Connection::new(&Session::alone(self, &client)))
    }

    /// Reads what several statements answer, all of them as of the same moment.
    pub(crate) fn read_together<T>(
        &self,
        work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut client = self.client()?;
        let begun = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true);
        let transaction = self.wait(begun.start()).map_err(error::failure)?;
        let result = work(&Connection::new(&Session::reading(self, &transaction)))?;
        self.wait(transaction.commit()).map_err(error::failure)?;
        Ok(result)
    }

    /// Has the server use the space again of what was deleted or replaced.
    ///
    /// What it keeps elsewhere, as in its log, is for those who run it.
    pub(crate) fn scrub(&self) -> Result<(), StoreError> {
        // With its settings, it does not go back to the pool.
        let client = Object::take(self.client()?);
        let done = self.wait(async {
            let tables = client.query(TABLES, &[]).await?;
            let tables: Vec<String> = tables.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
            // It takes as long as there is to read, and holds up nobody.
            client.batch_execute("SET statement_timeout = 0").await?;
            client.batch_execute(&format!("VACUUM {}", tables.join(", "))).await
        });
        Ok(done.map_err(error::failure)?)
    }

    /// A connection from the pool. One that was lost meanwhile is replaced.
    fn client(&self) -> Result<Object, StoreError> {
        self.wait(self.pool.get()).map_err(error::no_connection)
    }

    /// Waits on the calling thread, whatever runtime that is of.
    fn wait<F: Future>(&self, future: F) -> F::Output {
        let _context = self.runtime.as_ref().map(Runtime::enter);
        // Within a task, the runtime would have it give way to others, which here is nobody.
        block_on(tokio::task::unconstrained(future))
    }

    fn known_days(&self) -> std::sync::MutexGuard<'_, BTreeSet<i64>> {
        self.days.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs work that waits for a server. The other tasks of this thread go on elsewhere, where their runtime has more
/// threads.
pub(crate) fn waiting<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
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
