//! PostgreSQL: a server that several processes may share.

mod driver;
mod error;
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
use crate::access::Access;
use crate::connection::Connection;
use crate::error::{DatabaseError, WorkError};
use crate::schema::PostgresSchema;

/// Database on a server, with its connection pool.
pub struct Database {
    server: Server,
    schema: &'static PostgresSchema,
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
    pub fn with_path(&self, error: DatabaseError) -> DatabaseError {
        let path = self.server.path().to_owned();
        match error {
            DatabaseError::Unreachable(source) | DatabaseError::CommitUnknown(source) => {
                DatabaseError::Unavailable { path, source }
            }
            DatabaseError::Busy => DatabaseError::Unavailable {
                path,
                source: "another process uses it for long".into(),
            },
            DatabaseError::Engine(source) => DatabaseError::Unusable { path, source },
            other => other,
        }
    }

    /// Waits for a permit, up to the deadline of the task, and at most as long as for a response.
    pub async fn acquire(&self, access: Access) -> Result<SemaphorePermit<'_>, DatabaseError> {
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
            _ => Err(DatabaseError::Busy),
        }
    }

    /// Display name of the database: its server and its name.
    pub fn path(&self) -> &Path {
        self.server.path()
    }

    /// Memory for documents that the caller caches, in bytes.
    pub fn document_cache(&self) -> usize {
        self.document_cache
    }

    /// Returns the last version of cached rows. None while validating it is not worthwhile.
    pub fn cache_version(&self) -> Option<u64> {
        self.state.seen()
    }

    /// Returns whether a version of cached rows is still the current one.
    pub async fn validate(&self, state: u64) -> bool {
        match self.server.runtime() {
            Some(runtime) => self.state.now(runtime.handle()).await == Some(state),
            None => false,
        }
    }

    /// Runs `work` in one transaction. No other writer runs meanwhile.
    pub fn write<T, E: WorkError>(&self, work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>) -> Result<T, E> {
        self.transaction(self.schema.lock_writes, work)
    }

    /// Runs `work` in one transaction that begins with the statements of `lock`.
    pub fn transaction<T, E: WorkError>(
        &self,
        lock: &str,
        work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>,
    ) -> Result<T, E> {
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
    pub fn read<T, E: WorkError>(&self, work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>) -> Result<T, E> {
        self.lend(|client, responses| work(&Connection::new(&Session::alone(responses, client))))
    }

    /// Runs `work`, which reads with several statements from one snapshot.
    pub fn snapshot<T, E: WorkError>(&self, work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>) -> Result<T, E> {
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
    pub fn scrub(&self) -> Result<(), DatabaseError> {
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
    fn work(&self, response: impl Future<Output = Result<(), tokio_postgres::Error>>) -> Result<(), DatabaseError> {
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
    fn lend<T, E: From<DatabaseError>>(
        &self,
        work: impl FnOnce(&mut Object, &Responses<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
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
    fn client(&self) -> Result<Object, DatabaseError> {
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
