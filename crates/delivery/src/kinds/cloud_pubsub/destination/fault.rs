//! Outcomes of errors of requests. Messages of the service are not repeated: they may quote the request.

use std::error::Error as _;
use std::io;

use tonic::{Code, Status, TimeoutExpired};

use super::client::RequestError;
use super::connection::{Connection, Renew};
use super::credentials::no_token;
use crate::Reason;

/// Fault of a request.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// A message in it will never be accepted.
    Unacceptable(Reason),
    /// A transient fault.
    Passing(Reason),
    /// The service is down for all messages.
    Down(Reason, Renew),
}

impl Fault {
    pub(super) fn of(error: &RequestError, connection: &Connection) -> Self {
        match error {
            RequestError::Status(status) => of_status(status, connection),
            RequestError::Token { transient } => {
                let file = connection.settings.credentials_file.is_some();
                Self::Down(no_token(file, *transient), Renew::Credentials)
            }
            RequestError::Ids => Self::Passing(Reason::new("no message id in the response")),
        }
    }

    pub(super) fn no_response(connection: &Connection) -> Self {
        let time = connection.settings.timeout;
        Self::Down(
            Reason::new(format!(
                "no response within {time:?}: the service or the network is slow"
            )),
            Renew::Connection,
        )
    }
}

fn of_status(status: &Status, connection: &Connection) -> Fault {
    if cause::<TimeoutExpired>(status).is_some() {
        return Fault::no_response(connection);
    }
    // A status of the service has no source. One of a proxy has.
    let content_type = status.metadata().get("content-type");
    let is_grpc = content_type.is_none_or(|value| value.as_bytes().starts_with(b"application/grpc"));
    if status.source().is_none() && is_grpc {
        return of_code(status.code(), connection);
    }
    let reason = match cause::<io::Error>(status) {
        Some(cause) if broke(cause) => Reason::new(format!("the connection broke: {cause}; check the network")),
        Some(cause) => connection.unreachable(cause),
        None => Reason::new("the connection broke, or the peer is not Pub/Sub: check the endpoint"),
    };
    Fault::Down(reason, Renew::Connection)
}

fn of_code(code: Code, connection: &Connection) -> Fault {
    let down = |text: &str, renew| Fault::Down(Reason::new(text), renew);
    match code {
        Code::InvalidArgument => Fault::Unacceptable(Reason::new(
            "Pub/Sub rejected the message (INVALID_ARGUMENT): check the schema of the topic",
        )),
        Code::NotFound => down(
            "no such topic: create it, or fix `project` and `topic` of the pipeline",
            Renew::Nothing,
        ),
        Code::PermissionDenied => down(
            "the account may not publish to the topic: grant it the role `roles/pubsub.publisher`, and \
             enable the Pub/Sub API of the project",
            // Or another account's credentials were meant.
            Renew::Credentials,
        ),
        Code::Unauthenticated => down(
            "the credentials were rejected: create a new key, and check the clock",
            Renew::Credentials,
        ),
        Code::FailedPrecondition => down(
            "the topic cannot be published to (FAILED_PRECONDITION): check its encryption key and its settings",
            Renew::Nothing,
        ),
        Code::ResourceExhausted => down(
            "throttled (RESOURCE_EXHAUSTED): the project's publish quota is used up",
            Renew::Nothing,
        ),
        Code::Unimplemented => down("the peer is not Pub/Sub: check the endpoint", Renew::Nothing),
        Code::Unavailable => down("the service is unavailable (UNAVAILABLE)", Renew::Connection),
        Code::DeadlineExceeded => Fault::no_response(connection),
        other => Fault::Passing(Reason::new(format!("Pub/Sub responded {}", name(other)))),
    }
}

/// Returns whether there was a connection.
fn broke(cause: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(
        cause.kind(),
        BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof
    )
}

/// The name of a transient code, as in the documentation of the service.
fn name(code: Code) -> &'static str {
    match code {
        Code::Cancelled => "CANCELLED",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Internal => "INTERNAL",
        Code::DataLoss => "DATA_LOSS",
        _ => "UNKNOWN",
    }
}

/// The cause of a type, such as the error of the system.
fn cause<T: std::error::Error + 'static>(status: &Status) -> Option<&T> {
    let mut cause = status.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<T>() {
            return Some(error);
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io;

    use tonic::{Code, Status};

    use super::{Connection, Fault, Renew, RequestError, of_status};
    use crate::cloud_pubsub::Settings;

    #[test]
    fn faults_say_what_to_do_and_quote_nothing() {
        let connection = Connection::new(Settings::default()).expect("settings");
        let responded = |code| Status::new(code, "hunter2");
        let failed = |kind: io::ErrorKind| Status::from_error(io::Error::from(kind).into());
        let service = "no connection to pubsub.googleapis.com:443: ";
        for (status, expected, says) in [
            (responded(Code::NotFound), Renew::Nothing, "no such topic"),
            (
                responded(Code::Unavailable),
                Renew::Connection,
                "the service is unavailable",
            ),
            (
                responded(Code::Unauthenticated),
                Renew::Credentials,
                "the credentials were rejected",
            ),
            (failed(io::ErrorKind::ConnectionRefused), Renew::Connection, service),
            (
                failed(io::ErrorKind::ConnectionReset),
                Renew::Connection,
                "the connection broke: ",
            ),
            (
                Status::from_error("hunter2".into()),
                Renew::Connection,
                "the connection broke, or the peer is not Pub/Sub",
            ),
        ] {
            let Fault::Down(reason, renew) = of_status(&status, &connection) else {
                panic!("{status}")
            };
            assert_eq!(renew, expected, "{reason}");
            assert!(reason.as_str().starts_with(says), "{reason}");
            assert!(!reason.as_str().contains("hunter2"), "{reason}");
        }
        assert!(matches!(
            of_status(&responded(Code::InvalidArgument), &connection),
            Fault::Unacceptable(_)
        ));
        for (code, name) in [
            (Code::Unknown, "UNKNOWN"),
            (Code::Internal, "INTERNAL"),
            (Code::Aborted, "ABORTED"),
            (Code::Cancelled, "CANCELLED"),
            (Code::DataLoss, "DATA_LOSS"),
        ] {
            let Fault::Passing(reason) = of_status(&responded(code), &connection) else {
                panic!("{code}")
            };
            assert_eq!(reason.as_str(), format!("Pub/Sub responded {name}"));
        }
        for transient in [true, false] {
            let fault = Fault::of(&RequestError::Token { transient }, &connection);
            assert!(matches!(fault, Fault::Down(_, Renew::Credentials)), "{fault:?}");
        }
    }

    #[test]
    fn a_response_of_a_proxy_is_none_of_the_service() {
        let connection = Connection::new(Settings::default()).expect("settings");
        let mut status = Status::internal("<html>");
        status
            .metadata_mut()
            .insert("content-type", "text/html".parse().expect("a value"));
        assert!(matches!(
            of_status(&status, &connection),
            Fault::Down(_, Renew::Connection)
        ));
    }
}
