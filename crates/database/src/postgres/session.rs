//! Session on a connection, with or without a transaction.

use std::cell::{Cell, RefCell};
use std::future::ready;
use std::pin::pin;

use deadpool_postgres::{Object, Transaction};
use futures_util::FutureExt;
use tokio_postgres::Statement;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::FromSqlOwned;

use super::pipeline::Pipeline;
use super::responses::Responses;
use crate::connection::Failure;
use crate::error::DatabaseError;
use crate::value::Value;

/// Prefix of the statement that rolls back to a savepoint.
pub(super) const ROLLBACK_TO: &str = "ROLLBACK TO ";

/// A borrowed connection, with or without a transaction.
pub(super) struct Session<'a> {
    pub(super) responses: &'a Responses<'a>,
    pub(super) executor: Executor<'a>,
    /// True if it is read-only.
    reads: bool,
    /// True if a statement failed. The server then refuses statements until a rollback.
    failed: Cell<bool>,
    /// True if the connection is lost, and the transaction with it.
    pub(super) lost: Cell<bool>,
    /// Partitions that this transaction created, by table and day.
    pub(super) made: RefCell<Vec<(&'static str, i64)>>,
    pub(super) pipeline: Pipeline<'a>,
}

pub(super) enum Executor<'a> {
    Client(&'a Object),
    Transaction(&'a Transaction<'a>),
}

impl<'a> Session<'a> {
    /// Creates a session for one statement that reads.
    pub(super) fn alone(responses: &'a Responses<'a>, client: &'a Object) -> Self {
        Self::new(responses, Executor::Client(client), true)
    }

    /// Creates a session for statements that read from one snapshot.
    pub(super) fn reading(responses: &'a Responses<'a>, transaction: &'a Transaction<'a>) -> Self {
        Self::new(responses, Executor::Transaction(transaction), true)
    }

    /// Creates a session for statements that write.
    pub(super) fn writing(responses: &'a Responses<'a>, transaction: &'a Transaction<'a>) -> Self {
        Self::new(responses, Executor::Transaction(transaction), false)
    }

    fn new(responses: &'a Responses<'a>, executor: Executor<'a>, reads: bool) -> Self {
        Self {
            responses,
            executor,
            reads,
            failed: Cell::new(false),
            lost: Cell::new(false),
            made: RefCell::default(),
            pipeline: Pipeline::default(),
        }
    }

    /// Fails if an earlier failure was ignored: the server would roll back everything, and report success. Returns the
    /// new partitions.
    pub(super) fn finish(self) -> Result<Vec<(&'static str, i64)>, DatabaseError> {
        self.check_active()?;
        self.finish_pipeline()?;
        Ok(self.made.into_inner())
    }

    /// Waits for all responses. Fails if an earlier failure was ignored.
    pub(super) fn finish_pipeline(&self) -> Result<(), Failure> {
        self.take_responses()?;
        if self.failed.get() {
            let what = "the transaction was rolled back by an earlier error";
            return Err(Failure::Other(DatabaseError::Engine(what.into())));
        }
        Ok(())
    }

    /// Runs a request, and records whether it failed. Earlier responses are taken first.
    pub(super) fn run<T>(&self, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Failure> {
        if !self.has_outstanding() {
            return self.response(work);
        }
        let mut work = pin!(work);
        // Polls once, so that the server receives the request before it has finished the earlier ones.
        let at_once = work.as_mut().now_or_never();
        self.take_responses()?;
        match at_once {
            Some(response) => self.response(ready(response)),
            None => self.response(work),
        }
    }

    /// Waits for a response, and records whether it is a failure.
    pub(super) fn response<T>(
        &self,
        response: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        let failure = match self.responses.wait(response) {
            Ok(Ok(response)) => return Ok(response),
            Ok(Err(error)) => {
                if error.code() == Some(&SqlState::CHECK_VIOLATION) {
                    // Another process dropped the partition of a cached day. The store relies on no other check
                    // constraint of the server.
                    self.responses.server.cached_partitions().clear();
                }
                Failure::from(error)
            }
            Err(overdue) => Failure::Other(overdue),
        };
        self.failed.set(true);
        if matches!(failure, Failure::Other(DatabaseError::Unreachable(_))) {
            self.lost.set(true);
        }
        Err(failure)
    }

    /// Runs SQL without preparing it, because it contains names that change by the day.
    pub(super) fn execute_unprepared(&self, sql: &str) -> Result<(), Failure> {
        self.run(async {
            match self.executor {
                Executor::Client(client) => client.batch_execute(sql).await,
                Executor::Transaction(transaction) => transaction.batch_execute(sql).await,
            }
        })?;
        if sql.starts_with(ROLLBACK_TO) {
            self.rolled_back();
        }
        Ok(())
    }

    /// Runs a query without caching its statement. Returns the first column of each row.
    pub(super) fn query_unprepared<T: FromSqlOwned>(&self, sql: &str) -> Result<Vec<T>, Failure> {
        self.run(async {
            let rows = match self.executor {
                Executor::Client(client) => client.query(sql, &[]).await,
                Executor::Transaction(transaction) => transaction.query(sql, &[]).await,
            };
            rows?.iter().map(|row| row.try_get(0)).collect()
        })
    }

    /// Resets the session after a rollback: the server accepts statements again, and the new partitions and prefetched
    /// queries are gone.
    pub(super) fn rolled_back(&self) {
        self.failed.set(false);
        self.clear_questions();
        self.made.borrow_mut().clear();
    }

    /// Returns whether a read can match nothing because a parameter contains NUL, which the server neither stores nor
    /// accepts.
    pub(super) fn finds_nothing(&self, values: &[Value<'_>]) -> bool {
        self.reads && values.iter().any(has_nul)
    }

    /// Returns a statement, which is prepared once for each connection.
    pub(super) fn statement(&self, sql: &str) -> Result<Statement, Failure> {
        let mut prepared = pin!(self.prepared(sql));
        let at_once = prepared.as_mut().now_or_never();
        if let Some(Ok(statement)) = at_once {
            return Ok(statement);
        }
        // Also if it was refused immediately: an earlier response may contain the cause.
        self.take_responses()?;
        match at_once {
            Some(refused) => self.response(ready(refused)),
            None => self.response(prepared),
        }
    }

    pub(super) async fn prepared(&self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        let sql = numbered(sql);
        match self.executor {
            Executor::Client(client) => client.prepare_cached(&sql).await,
            Executor::Transaction(transaction) => transaction.prepare_cached(&sql).await,
        }
    }

    /// Fails if the connection is lost, and the transaction with it.
    pub(super) fn check_active(&self) -> Result<(), DatabaseError> {
        let closed = match self.executor {
            Executor::Client(client) => client.is_closed(),
            Executor::Transaction(transaction) => transaction.client().is_closed(),
        };
        if closed || self.lost.get() {
            let what = "the connection was lost, and the transaction with it";
            return Err(DatabaseError::Unreachable(what.into()));
        }
        Ok(())
    }
}

/// Returns whether a value is a text with NUL, which the server cannot store.
pub(super) fn has_nul(value: &Value<'_>) -> bool {
    matches!(value, Value::Text(text) if text.contains('\0'))
}

/// Replaces parameters with the server's syntax. No text within the store's statements has a question mark.
fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}
