//! What the library's errors mean. Messages of the service are not repeated: they may quote what was sent.

use std::error::Error as _;
use std::io;

use google_cloud_gax::error::Error;
use google_cloud_gax::error::rpc::Code;
use google_cloud_pubsub::error::PublishError;

use super::connection::{Connection, Renew};
use super::credentials::no_token;
use crate::Reason;

/// Why a request failed.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// A message in it will never be taken.
    Unacceptable(Reason),
    /// This time.
    Passing(Reason),
    /// Nothing else would get through, either.
    Down(Reason, Renew),
}

impl Fault {
    pub(super) fn of(error: &PublishError, connection: &Connection) -> Self {
        match error {
            PublishError::Rpc(error) => of_request(error, connection),
            // Each request has a publisher of its own, which holds nothing back: the runtime ends, or a response lacked ids.
            _ => Self::Passing(Reason::new("no message id in the response")),
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

fn of_request(error: &Error, connection: &Connection) -> Fault {
    if error.is_exhausted()
        && let Some(last) = error.source().and_then(|source| source.downcast_ref::<Error>())
    {
        return of_request(last, connection);
    }
    if let Some(status) = error.status() {
        return of_code(status.code, connection);
    }
    if error.is_timeout() {
        return Fault::no_response(connection);
    }
    if error.is_authentication() {
        let file = connection.settings.credentials_file.is_some();
        return Fault::Down(no_token(file, false), Renew::Credentials);
    }
    let reason = match system_error(error) {
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
        other => Fault::Passing(Reason::new(format!("Pub/Sub responded {other}"))),
    }
}

/// Whether there was a connection.
fn broke(cause: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(
        cause.kind(),
        BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof
    )
}

/// What the system said, where that is the cause.
fn system_error(error: &Error) -> Option<&io::Error> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error);
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use google_cloud_gax::error::Error;
    use google_cloud_gax::error::rpc::{Code, Status};

    use super::{Connection, Fault, Renew, of_request};
    use crate::cloud_pubsub::Settings;

    #[test]
    fn the_last_attempt_says_why() {
        let connection = Connection::new(Settings::default()).expect("settings");
        let answered = |code| Error::service(Status::default().set_code(code).set_message("hunter2"));
        let refused = || std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        for (error, expected) in [
            (answered(Code::NotFound), Renew::Nothing),
            (Error::exhausted(answered(Code::Unavailable)), Renew::Connection),
            (Error::timeout(refused()), Renew::Connection),
            (Error::exhausted("too often"), Renew::Connection),
        ] {
            let Fault::Down(reason, renew) = of_request(&error, &connection) else {
                panic!("{error}")
            };
            assert_eq!(renew, expected, "{reason}");
            assert!(!reason.as_str().contains("hunter2"), "{reason}");
        }
        let Fault::Down(reason, Renew::Connection) = of_request(&Error::exhausted(Error::io(refused())), &connection)
        else {
            panic!("a connection is refused")
        };
        assert!(
            reason
                .as_str()
                .starts_with("no connection to pubsub.googleapis.com:443: "),
            "{reason}"
        );
        assert!(matches!(
            of_request(&answered(Code::InvalidArgument), &connection),
            Fault::Unacceptable(_)
        ));
        for code in [
            Code::Unknown,
            Code::Internal,
            Code::Aborted,
            Code::Cancelled,
            Code::DataLoss,
        ] {
            let Fault::Passing(reason) = of_request(&answered(code), &connection) else {
                panic!("{code}")
            };
            assert_eq!(reason.as_str(), format!("Pub/Sub responded {code}"));
        }
    }
}
