//! Conversion of errors of the server and the driver.

use deadpool_postgres::PoolError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::connection::Failure;
use crate::error::DatabaseError;

/// Error message of the server or the driver, without the server's details, which contain values.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct DriverError(String);

/// Converts a driver error to the errors that the store handles.
pub(super) fn failure(error: Error) -> Failure {
    let said = || Box::new(DriverError(text(&error)));
    let Some(code) = error.code() else {
        // An error of the driver itself, such as an invalid parameter, is permanent.
        let lost = error.is_closed() || causes(&error).any(|cause| cause.is::<std::io::Error>());
        return Failure::Other(match lost {
            true => DatabaseError::Unreachable(said()),
            false => DatabaseError::Engine(said()),
        });
    };
    let refused = |what| Failure::Other(DatabaseError::Refused { what });
    match *code {
        SqlState::FOREIGN_KEY_VIOLATION => Failure::Reference(DatabaseError::Engine(said())),
        SqlState::LOCK_NOT_AVAILABLE
        | SqlState::QUERY_CANCELED
        | SqlState::CHECK_VIOLATION
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED => Failure::Other(DatabaseError::Busy),
        SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        | SqlState::READ_ONLY_SQL_TRANSACTION => Failure::Other(DatabaseError::Unreachable(said())),
        SqlState::CHARACTER_NOT_IN_REPERTOIRE | SqlState::UNTRANSLATABLE_CHARACTER => {
            refused("PostgreSQL keeps no text with the character NUL")
        }
        SqlState::PROGRAM_LIMIT_EXCEEDED => refused("an id or a name is longer than PostgreSQL can look up"),
        _ => Failure::Other(DatabaseError::Engine(said())),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        failure(error)
    }
}

impl From<Failure> for Box<dyn std::error::Error + Send + Sync> {
    fn from(failure: Failure) -> Self {
        Box::new(DatabaseError::from(failure))
    }
}

/// Converts a pool error while the store is open.
pub(super) fn no_connection(error: PoolError) -> DatabaseError {
    match cannot_connect(error) {
        // Refused while connecting, for example for its password. The statement is not the cause.
        DatabaseError::Engine(source) => DatabaseError::Unreachable(source),
        other => other,
    }
}

/// Converts a pool error while the store is being opened. [`DatabaseError::Engine`] is permanent.
pub(super) fn cannot_connect(error: PoolError) -> DatabaseError {
    match error {
        // An untrusted certificate is reported as an error of the stream.
        PoolError::Backend(error) if causes(&error).any(is_of_tls) => {
            DatabaseError::Engine(Box::new(DriverError(text(&error))))
        }
        PoolError::Backend(error) => failure(error).into(),
        PoolError::Timeout(_) => no_connection_in_time(),
        other => DatabaseError::Unreachable(Box::new(DriverError(other.to_string()))),
    }
}

/// Error of a connection that was not available in time.
pub(super) fn no_connection_in_time() -> DatabaseError {
    DatabaseError::Unreachable(Box::new(DriverError("no connection in time".to_owned())))
}

/// Error of a response that did not arrive in time.
pub(super) fn no_response() -> DatabaseError {
    DatabaseError::Unreachable(Box::new(DriverError("no response in time".to_owned())))
}

fn is_of_tls(cause: &(dyn std::error::Error + 'static)) -> bool {
    let stream = cause.downcast_ref::<std::io::Error>();
    stream
        .and_then(std::io::Error::get_ref)
        .is_some_and(|inner| inner.is::<tokio_rustls::rustls::Error>())
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
