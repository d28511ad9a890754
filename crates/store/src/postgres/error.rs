//! The server's and the driver's errors in the store's terms.

use deadpool_postgres::PoolError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::StoreError;
use crate::sql::connection::Failure;

/// What the server or the driver says. Details of the server's are left out: they show values.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Said(String);

/// Tells apart what the store does.
pub(super) fn failure(error: Error) -> Failure {
    let said = || Box::new(Said(text(&error)));
    let Some(code) = error.code() else {
        // What the driver itself refuses, such as a parameter, fails as often as it is tried.
        let lost = error.is_closed() || causes(&error).any(|cause| cause.is::<std::io::Error>());
        return Failure::Other(match lost {
            true => StoreError::Unreachable(said()),
            false => StoreError::Engine(said()),
        });
    };
    let refused = |what| Failure::Other(StoreError::Conflict { what });
    match *code {
        SqlState::FOREIGN_KEY_VIOLATION => Failure::Reference(StoreError::Engine(said())),
        SqlState::LOCK_NOT_AVAILABLE
        | SqlState::QUERY_CANCELED
        | SqlState::CHECK_VIOLATION
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED => Failure::Other(StoreError::Busy),
        SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        | SqlState::READ_ONLY_SQL_TRANSACTION => Failure::Other(StoreError::Unreachable(said())),
        SqlState::CHARACTER_NOT_IN_REPERTOIRE | SqlState::UNTRANSLATABLE_CHARACTER => {
            refused("PostgreSQL keeps no text with the character NUL")
        }
        SqlState::PROGRAM_LIMIT_EXCEEDED => refused("an id or a name is longer than PostgreSQL can look up"),
        _ => Failure::Other(StoreError::Engine(said())),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        failure(error)
    }
}

impl From<Failure> for Box<dyn std::error::Error + Send + Sync> {
    fn from(failure: Failure) -> Self {
        Box::new(StoreError::from(failure))
    }
}

/// Why the pool lends no connection.
pub(super) fn no_connection(error: PoolError) -> StoreError {
    match error {
        PoolError::Backend(error) => match failure(error).into() {
            // Refused while connecting, as by its password: nothing that a statement does wrong.
            StoreError::Engine(source) => StoreError::Unreachable(source),
            other => other,
        },
        PoolError::Timeout(_) => StoreError::Unreachable(Box::new(Said("no connection within 5 seconds".to_owned()))),
        other => StoreError::Unreachable(Box::new(Said(other.to_string()))),
    }
}

fn text(error: &Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} ({})", said.message(), said.code().code()),
        None => causes(error).fold(error.to_string(), |text, cause| format!("{text}: {cause}")),
    }
}

fn causes(error: &Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(std::error::Error::source(error), |cause| cause.source())
}
