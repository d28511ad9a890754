//! PostgreSQL: a server that several processes share.

mod days;
mod driver;
mod error;
mod leases;
mod numbers;
mod open;
mod pipeline;
mod pipelined;
mod responses;
mod schema;
mod server;
mod session;
mod settings;
mod state;
mod tls;
mod value;

use std::path::Path;

use deadpool_postgres::{Object, Pool};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout_at;
use tokio_postgres::IsolationLevel;
use tokio_postgres_rustls::MakeRustlsConnect;

use self::responses::Responses;
use self::server::Server;
use self::session::Session;
use self::settings::CONNECT_TIMEOUT;
pub use self::settings::{InvalidUrl, PostgresSettings};
use self::state::State;
use crate::sql::connection::Connection;
use crate::turn::Turn;
use crate::{StoreError, deadline};

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
    server: Server,
    pool: Pool,
    tls: MakeRustlsConnect,
    state: State,
    document_cache: usize,
    /// As many reads at once as there are connections, less one that writes and one that asks for the state.
    reading: Semaphore,
    /// One write: those of all processes follow one another, and those that wait shall keep no connections from reads.
    writing: Semaphore,
}

impl Database {
    /// Says of which database an error is that came up while it was opened, and whether it passes.
    pub(crate) fn on_opening(&self, error: StoreError) -> StoreError {
        let path = self.server.path().to_owned();
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
            let _context = self.server.enter();
            timeout_at(
                deadline::earliest(self.server.response_timeout).into(),
                semaphore.acquire(),
            )
        };
        match waiting.await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(StoreError::Busy),
        }
    }

    /// What names the database to people: its server and its name.
    pub(crate) fn path(&self) -> &Path {
        self.server.path()
    }

    /// How many bytes the documents may have that are kept as they were read.
    pub(crate) fn document_cache(&self) -> usize {
        self.document_cache
    }

    /// A state that the database had, which is not later than now; none while it does not pay to ask whether it is that
    /// of now.
    pub(crate) fn seen_state(&self) -> Option<u64> {
        self.state.seen()
    }

    /// Returns whether the database still has a state.
    pub(crate) async fn is_still(&self, state: u64) -> bool {
        match self.server.runtime() {
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
            self.server.known_days().extend(made);
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
        let responses = Responses::new(&self.server);
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
            match self.server.wait(self.server.response_timeout, response.as_mut()) {
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
        let responses = Responses::new(&self.server);
        let result = work(&mut client, &responses);
        if responses.are_overdue() {
            let client = Object::take(client);
            if let Some(runtime) = self.server.runtime().filter(|_| !responses.of_a_commit()) {
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
        let client = self.server.wait(CONNECT_TIMEOUT, self.pool.get());
        client
            .ok_or_else(error::no_connection_in_time)?
            .map_err(error::no_connection)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.pool.close();
    }
}
