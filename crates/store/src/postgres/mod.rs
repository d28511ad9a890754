//! PostgreSQL engine: a server that several processes may share.

mod driver;
mod error;
mod leases;
mod open;
mod partitions;
mod pipeline;
mod pipelined;
mod responses;
mod schema;
mod sequences;
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
use wearlab_clock::deadline;

use self::responses::Responses;
use self::server::Server;
use self::session::Session;
use self::settings::CONNECT_TIMEOUT;
pub use self::settings::{InvalidUrl, PostgresSettings};
use self::state::State;
use crate::StoreError;
use crate::access::Access;
use crate::sql::connection::Connection;

/// Locks writes, so that one transaction of all processes writes at a time, as in a file. Readers are not blocked.
///
/// Rows that a write reads do not change until it commits, and events commit in the order of their numbers: a cursor
/// behind an event has missed none. The lock of a process that is paused or lost within a write ends within seconds.
const LOCK_WRITES: &str = "SET LOCAL idle_in_transaction_session_timeout = '5s';
    LOCK TABLE revisions IN SHARE ROW EXCLUSIVE MODE";

/// Database on a server, with its connection pool.
pub(crate) struct Database {
    server: Server,
    pool: Pool,
    tls: MakeRustlsConnect,
    state: State,
    document_cache: usize,
    /// Permits for reads: as many as there are connections, less one for writes and one for queries of the state.
    reading: Semaphore,
    /// Permit for one write. Writes of all processes are serialized, and waiting ones must not take connections from
    /// reads.
    writing: Semaphore,
}

impl Database {
    /// Adds the database to an error that occurred while opening it, and marks a temporary one.
    pub(crate) fn with_path(&self, error: StoreError) -> StoreError {
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

    /// Waits for a permit, up to the deadline of the task, and at most as long as for a response.
    pub(crate) async fn acquire(&self, access: Access) -> Result<SemaphorePermit<'_>, StoreError> {
        let semaphore = match access {
            Access::Read => &self.reading,
            Access::Write => &self.writing,
        };
        let waiting = {
            // The timer of the runtime: the caller may have none.
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

    /// Display name of the database: its server and its name.
    pub(crate) fn path(&self) -> &Path {
        self.server.path()
    }

    /// Size limit of the document cache, in bytes.
    pub(crate) fn document_cache(&self) -> usize {
        self.document_cache
    }

    /// Returns the last version of the users. None while validating it is not worthwhile.
    pub(crate) fn cache_version(&self) -> Option<u64> {
        self.state.seen()
    }

    /// Returns whether a version of the users is still the current one.
    pub(crate) async fn validate(&self, state: u64) -> bool {
        match self.server.runtime() {
            Some(runtime) => self.state.now(runtime.handle()).await == Some(state),
            None => false,
        }
    }

    /// Runs `work` in one transaction. No other writer runs meanwhile.
    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transaction(LOCK_WRITES, work)
    }

    /// Runs `work` in one transaction that holds `lock`.
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
                // Discards the responses, so that the next user of the connection does not wait for them.
                drop(session.take_responses());
            }
            let result = result?;
            let made = session.finish()?;
            responses.commit(transaction)?;
            self.server.cached_partitions().extend(made);
            Ok(result)
        })
    }

    /// Runs `work`, which reads with one statement.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.lend(|client, responses| work(&Connection::new(&Session::alone(responses, client))))
    }

    /// Runs `work`, which reads with several statements from one snapshot.
    pub(crate) fn snapshot<T>(
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
            // Nothing was written, so the result is valid whether or not the commit succeeds.
            responses.get(transaction.commit())?;
            Ok(result)
        })
    }

    /// Makes the space of deleted or replaced rows reusable.
    ///
    /// Copies elsewhere, such as in the server's log, are the responsibility of its operator.
    pub(crate) fn scrub(&self) -> Result<(), StoreError> {
        // The session settings are changed, so the connection does not return to the pool.
        let client = Object::take(self.client()?);
        let responses = Responses::new(&self.server);
        let tables = responses.get(client.query(sequences::TABLES, &[]))?;
        let tables: Vec<String> = tables
            .iter()
            .map(|row| row.try_get(0))
            .collect::<Result<_, _>>()
            .map_err(error::failure)?;
        // VACUUM takes long on large tables, and blocks no other connection.
        responses.get(client.batch_execute("SET statement_timeout = 0"))?;
        let vacuum = format!("VACUUM {}", tables.join(", "));
        self.work(client.batch_execute(&vacuum))
    }

    /// Waits for a long statement on a connection without a statement time-out.
    fn work(&self, response: impl Future<Output = Result<(), tokio_postgres::Error>>) -> Result<(), StoreError> {
        let mut response = std::pin::pin!(response);
        loop {
            // The statement is assumed to be running as long as the server responds to other queries.
            match self.server.wait(self.server.response_timeout, response.as_mut()) {
                Some(done) => return Ok(done.map_err(error::failure)?),
                None => self.lend(|client, responses| responses.get(client.batch_execute("")))?,
            }
        }
    }

    /// Runs `work` with a connection. If a response is overdue, the connection is closed: its next user would wait
    /// behind the running statement.
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
                // The server need not finish a statement without a waiting task.
                let (token, tls) = (client.cancel_token(), self.tls.clone());
                runtime.spawn(tokio::time::timeout(CONNECT_TIMEOUT, async move {
                    token.cancel_query(tls).await
                }));
            }
        }
        result
    }

    /// Returns a connection from the pool. A lost one is replaced.
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
