//! What one connection is waited for: each response has its deadline.

use std::cell::Cell;

use deadpool_postgres::Transaction;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::error;
use super::server::Server;
use crate::StoreError;

/// The responses to what is sent on one connection.
pub(super) struct Responses<'a> {
    pub(super) server: &'a Server,
    /// True if one did not come in time. What comes later is nobody's.
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

    /// Returns whether the connection is of no more use.
    pub(super) fn are_overdue(&self) -> bool {
        self.overdue.get()
    }

    /// Returns whether it was a commit that was not responded to.
    pub(super) fn of_a_commit(&self) -> bool {
        self.committing.get()
    }

    /// Waits for what the server or the driver says.
    pub(super) fn wait<T>(
        &self,
        response: impl Future<Output = Result<T, Error>>,
    ) -> Result<Result<T, Error>, StoreError> {
        if self.overdue.get() {
            return Err(error::no_response());
        }
        let response = self.server.wait(self.server.response_timeout, response);
        self.overdue.set(response.is_none());
        response.ok_or_else(error::no_response)
    }

    /// Waits for a response that is no failure.
    pub(super) fn get<T>(&self, response: impl Future<Output = Result<T, Error>>) -> Result<T, StoreError> {
        Ok(self.wait(response)?.map_err(error::failure)?)
    }

    /// Commits a transaction that wrote.
    pub(super) fn commit(&self, transaction: Transaction<'_>) -> Result<(), StoreError> {
        self.committing.set(true);
        let failed = match self.wait(transaction.commit()) {
            Ok(Ok(())) => return Ok(()),
            // The server ended it before it came to that.
            Ok(Err(error)) if error.code() == Some(&SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT) => {
                return Err(error::failure(error).into());
            }
            Ok(Err(error)) => error::failure(error).into(),
            Err(overdue) => overdue,
        };
        Err(match failed {
            StoreError::Unreachable(source) => StoreError::CommitUnknown(source),
            other => other,
        })
    }
}
