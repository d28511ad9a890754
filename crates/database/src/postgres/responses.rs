//! Responses of one connection, each with a deadline.

use std::cell::Cell;

use deadpool_postgres::Transaction;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::error;
use super::server::Server;
use crate::error::DatabaseError;

/// Responses to the requests on one connection.
pub(super) struct Responses<'a> {
    pub(super) server: &'a Server,
    /// True if a response was overdue. The connection is then useless, because a late response has no receiver.
    overdue: Cell<bool>,
    committing: Cell<bool>,
}

impl<'a> Responses<'a> {
    pub(super) fn new(server: &'a Server) -> Self {
        Self {
            server,
            overdue: Cell::new(false),
            committing: Cell::new(false),
        }
    }

    /// Returns whether a response was overdue, so that the connection must be closed.
    pub(super) fn are_overdue(&self) -> bool {
        self.overdue.get()
    }

    /// Returns whether the overdue response is that of a commit.
    pub(super) fn of_a_commit(&self) -> bool {
        self.committing.get()
    }

    /// Waits for the result of a request.
    pub(super) fn wait<T>(
        &self,
        response: impl Future<Output = Result<T, Error>>,
    ) -> Result<Result<T, Error>, DatabaseError> {
        if self.overdue.get() {
            return Err(error::no_response());
        }
        let response = self.server.wait(self.server.response_timeout, response);
        self.overdue.set(response.is_none());
        response.ok_or_else(error::no_response)
    }

    /// Waits for a successful response.
    pub(super) fn get<T>(&self, response: impl Future<Output = Result<T, Error>>) -> Result<T, DatabaseError> {
        Ok(self.wait(response)?.map_err(error::failure)?)
    }

    /// Commits a transaction that wrote.
    pub(super) fn commit(&self, transaction: Transaction<'_>) -> Result<(), DatabaseError> {
        self.committing.set(true);
        let failed = match self.wait(transaction.commit()) {
            Ok(Ok(())) => return Ok(()),
            // The server ended the session before the commit.
            Ok(Err(error)) if error.code() == Some(&SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT) => {
                return Err(error::failure(error).into());
            }
            Ok(Err(error)) => error::failure(error).into(),
            Err(overdue) => overdue,
        };
        Err(match failed {
            DatabaseError::Unreachable(source) => DatabaseError::CommitUnknown(source),
            other => other,
        })
    }
}
