//! Reasons and outcomes of faults. Texts of servers are not repeated: they may quote what was sent.

use std::time::Duration;

use async_nats::{ConnectError, ConnectErrorKind, Event, ServerError};
use serde_json::Value;

use crate::{Outcome, Reason};

/// Codes of errors of JetStream.
const INSUFFICIENT_RESOURCES: u64 = 10023;
const MEMORY_EXCEEDED: u64 = 10028;
const NOT_ENABLED_FOR_ACCOUNT: u64 = 10039;
const STORAGE_EXCEEDED: u64 = 10047;
const MESSAGE_TOO_LARGE: u64 = 10054;
const OTHER_STREAM: u64 = 10060;
const NOT_ENABLED: u64 = 10076;
const STORE_FAILED: u64 = 10077;
const HEADERS_TOO_LARGE: u64 = 10097;
const SEALED: u64 = 10109;

/// Failed attempt to connect.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) reason: Reason,
    /// True if other servers would fail alike.
    pub(super) is_final: bool,
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Self {
            reason,
            is_final: false,
        }
    }
}

/// Reason of a failed attempt to connect, with a fix.
pub(super) fn connecting(error: &ConnectError, limit: Duration) -> Failure {
    let source = std::error::Error::source(error);
    let server_error = source.and_then(|source| source.downcast_ref::<ServerError>());
    match (error.kind(), server_error) {
        (ConnectErrorKind::AuthorizationViolation, _) => rejected(login()),
        (_, Some(error)) if is_login(error) => rejected(login()),
        (_, Some(error)) => of_server(error).into(),
        (ConnectErrorKind::Authentication, _) => rejected(Reason::new(
            "the nonce of the server cannot be signed: fix the seed in nats.credentials",
        )),
        (ConnectErrorKind::TimedOut, _) => no_connection_within(limit).into(),
        (kind, _) => match source.and_then(|source| source.downcast_ref::<std::io::Error>()) {
            Some(error) if is_of_transport(error) => Reason::cause("no connection to the server", error).into(),
            _ if kind == ConnectErrorKind::Tls => {
                Reason::new("no TLS with the server: check the system's certificates").into()
            }
            _ => no_nats().into(),
        },
    }
}

fn rejected(reason: Reason) -> Failure {
    Failure { reason, is_final: true }
}

/// Returns true for errors of sockets and TLS. The client puts others of its own into the same type, which quote lines of
/// the server or name files of this machine.
fn is_of_transport(error: &std::io::Error) -> bool {
    error
        .get_ref()
        .is_none_or(|inner| inner.is::<tokio_rustls::rustls::Error>())
}

/// Reason for a peer that is not a NATS server.
pub(super) fn no_nats() -> Reason {
    Reason::new("the peer does not speak NATS: fix the host and port in nats.url")
}

/// Reason for no response to an attempt to connect.
pub(super) fn no_connection_within(limit: Duration) -> Reason {
    Reason::new(format!("no connection to the server within {limit:?}"))
}

/// Reason for a connection that broke, without a known cause.
pub(super) fn broken() -> Reason {
    Reason::new("the connection to the server broke")
}

/// Reason for a server that sends more than servers do.
pub(super) fn too_much() -> Reason {
    Reason::new("the server sent more than acknowledgements need: fix the host and port in nats.url")
}

/// Reason for a message that is not acknowledged in time.
pub(super) fn silence(subject: &str) -> Reason {
    Reason::new(format!(
        "no acknowledgement in time: the server may be overloaded, or something else than a stream listens to {subject}"
    ))
}

/// Reason for a subject that the user may not publish to.
pub(super) fn denied(subject: &str) -> Reason {
    Reason::new(format!(
        "the user may not publish to {subject}: grant it the permission for nats.subject"
    ))
}

/// Reason for a subject that nobody listens to.
pub(super) fn no_responders(subject: &str) -> Reason {
    Reason::new(format!(
        "no stream listens to {subject}: create one with this subject, or fix nats.subject; JetStream must be enabled"
    ))
}

/// The subject that the user may not publish to, as the server quotes it.
pub(super) fn denied_subject(event: &Event) -> Option<&str> {
    const DENIED: &str = "permissions violation for publish to ";
    let Event::ServerError(ServerError::Other(text)) = event else {
        return None;
    };
    let (begin, subject) = text.split_at_checked(DENIED.len())?;
    begin.eq_ignore_ascii_case(DENIED).then_some(subject)
}

/// Reason of a fault of the connection that an event reports. Nothing, if it reports none.
pub(super) fn of_event(event: &Event) -> Option<Reason> {
    match event {
        Event::Disconnected | Event::Closed => Some(broken()),
        Event::ServerError(error) => Some(of_server(error)),
        _ => None,
    }
}

fn login() -> Reason {
    Reason::new("the server rejected the login: fix the user and password or token in nats.url, or nats.credentials")
}

fn is_login(error: &ServerError) -> bool {
    match error {
        ServerError::AuthorizationViolation => true,
        ServerError::Other(text) => {
            let text = text.to_ascii_lowercase();
            let is_late = text.contains("authentication timeout");
            !is_late && (text.contains("authenti") || text.contains("authoriz"))
        }
        ServerError::SlowConsumer(_) => false,
    }
}

fn of_server(error: &ServerError) -> Reason {
    let text = match error {
        error if is_login(error) => return login(),
        ServerError::Other(text) => text.to_ascii_lowercase(),
        _ => return broken(),
    };
    if text.starts_with("permissions violation") {
        Reason::new("the user may not receive acknowledgements: grant it the permission to subscribe to _INBOX.>")
    } else if text.contains("authentication timeout") {
        Reason::new("the server did not receive the login in time: it may be overloaded, or the network slow")
    } else if text.starts_with("maximum connections") || text.starts_with("maximum account") {
        Reason::new("the server takes no more connections: see its limits")
    } else {
        Reason::new("the server reported an error and may have closed the connection: see its log")
    }
}

/// Outcome of a fault that depends on the subject: where subjects differ, it concerns this one alone.
pub(super) fn of_subject(reason: Reason, is_constant: bool) -> Outcome {
    match is_constant {
        true => Outcome::Down { reason },
        false => retry(reason),
    }
}

/// Outcome of a response.
pub(super) fn outcome(response: &[u8], stream: Option<&str>, is_constant: bool) -> Outcome {
    let of_subject = |reason: &str| of_subject(Reason::new(reason), is_constant);
    let down = |reason: &str| Outcome::Down {
        reason: Reason::new(reason),
    };
    let retry = |reason: &str| retry(Reason::new(reason));
    let response: Value = serde_json::from_slice(response).unwrap_or_default();
    let Some(error) = response.get("error") else {
        return match response.get("stream").zip(response.get("seq")) {
            Some(_) => Outcome::Delivered,
            None => {
                of_subject("something else than a stream responded: fix nats.subject, or remove what listens to it")
            }
        };
    };
    let code = error.get("err_code").and_then(Value::as_u64).unwrap_or_default();
    match code {
        MESSAGE_TOO_LARGE | HEADERS_TOO_LARGE => Outcome::Refused {
            reason: Reason::new("the stream rejected the message as too large: check its max_msg_size"),
        },
        OTHER_STREAM => of_subject(&format!(
            "another stream than {} listens to the subject: fix nats.stream or nats.subject",
            stream.unwrap_or("the expected one")
        )),
        INSUFFICIENT_RESOURCES | MEMORY_EXCEEDED | STORAGE_EXCEEDED => {
            down("JetStream has no storage left: see the limits of the server and the account")
        }
        NOT_ENABLED | NOT_ENABLED_FOR_ACCOUNT => {
            down("JetStream is not enabled: enable it for the server and the account")
        }
        SEALED => of_subject("the stream is sealed: fix nats.subject, or create another stream"),
        STORE_FAILED => retry("the stream did not store the message: it may be full and discard new messages"),
        _ => retry(&format!(
            "the stream rejected the message with error {code}: see its log"
        )),
    }
}

fn retry(reason: Reason) -> Outcome {
    Outcome::Retry {
        reason,
        not_before: None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind};
    use std::time::Duration;

    use async_nats::{ConnectError, ConnectErrorKind, Event, ServerError};

    use super::{connecting, denied_subject, of_event, of_subject, outcome};
    use crate::{Outcome, Reason};

    fn of_text(text: &str) -> String {
        let event = Event::ServerError(ServerError::Other(text.to_owned()));
        of_event(&event).expect("a fault").to_string()
    }

    #[test]
    fn reasons_name_a_fix_and_quote_nothing() {
        for (text, part) in [
            (
                "Permissions Violation for Publish with Reply of \"hunter2\"",
                "subscribe to _INBOX.>",
            ),
            (
                "Permissions Violation for Subscription to \"hunter2\"",
                "subscribe to _INBOX.>",
            ),
            ("User Authentication Expired", "rejected the login"),
            ("Authentication Timeout", "did not receive the login in time"),
            ("maximum connections exceeded", "takes no more connections"),
            ("hunter2", "see its log"),
        ] {
            let reason = of_text(text);
            assert!(reason.contains(part) && !reason.contains("hunter2"), "{reason}");
        }
        assert_eq!(of_event(&Event::Connected), None);
        assert_eq!(of_event(&Event::LameDuckMode), None);
        assert!(of_event(&Event::Disconnected).is_some());
        let denied = Event::ServerError(ServerError::Other(
            "Permissions Violation for Publish to \"a.b\"".to_owned(),
        ));
        assert_eq!(denied_subject(&denied), Some("\"a.b\""));
        assert_eq!(
            denied_subject(&Event::ServerError(ServerError::Other("é".to_owned()))),
            None
        );
    }

    #[test]
    fn failed_connections_are_told_apart() {
        let second = Duration::from_secs(1);
        let io = |kind: ErrorKind| ConnectError::from(io::Error::from(kind));
        let quoting = |kind: ErrorKind| ConnectError::from(io::Error::new(kind, "'hunter2'"));
        let server = |text: &str| ConnectError::with_source(ConnectErrorKind::Io, ServerError::Other(text.to_owned()));
        let tls = tokio_rustls::rustls::Error::DecryptError;
        for (error, part, is_final) in [
            (
                ConnectError::new(ConnectErrorKind::AuthorizationViolation),
                "rejected the login",
                true,
            ),
            (server("User Authentication Expired"), "rejected the login", true),
            (server("Authentication Timeout"), "did not receive the login", false),
            (server("hunter2"), "see its log", false),
            (
                ConnectError::new(ConnectErrorKind::Authentication),
                "fix the seed",
                true,
            ),
            (ConnectError::new(ConnectErrorKind::TimedOut), "within 1s", false),
            (io(ErrorKind::ConnectionRefused), "connection refused", false),
            (
                io::Error::new(ErrorKind::InvalidData, tls).into(),
                "no connection to the server: cannot decrypt",
                false,
            ),
            (quoting(ErrorKind::InvalidInput), "does not speak NATS", false),
            (quoting(ErrorKind::Other), "does not speak NATS", false),
            (
                ConnectError::with_source(ConnectErrorKind::Tls, io::Error::other("/etc/hunter2.pem")),
                "check the system's certificates",
                false,
            ),
            (
                ConnectError::with_source(ConnectErrorKind::Io, "expected INFO, got hunter2"),
                "does not speak NATS",
                false,
            ),
        ] {
            let failure = connecting(&error, second);
            let reason = failure.reason.as_str();
            assert!(reason.contains(part) && !reason.contains("hunter2"), "{reason}");
            assert_eq!(failure.is_final, is_final, "{reason}");
        }
    }

    #[test]
    fn acknowledgements_of_streams_alone_are_deliveries() {
        let of = |response: &str| match outcome(response.as_bytes(), Some("EVENTS"), true) {
            Outcome::Delivered => "delivered".to_owned(),
            Outcome::Down { reason } => format!("down: {reason}"),
            Outcome::Refused { reason } => format!("refused: {reason}"),
            Outcome::Retry { reason, .. } => format!("retry: {reason}"),
            other => panic!("{other:?}"),
        };
        let error = |code: u32| {
            let error = serde_json::json!({"error": {"code": 400, "err_code": code, "description": "hunter2"}});
            of(&error.to_string())
        };
        assert_eq!(of(r#"{"stream":"EVENTS","seq":1}"#), "delivered");
        assert_eq!(of(r#"{"stream":"EVENTS","seq":1,"duplicate":true}"#), "delivered");
        for response in ["", "+OK", "{}", r#"{"stream":"EVENTS"}"#, "[1]"] {
            assert!(
                of(response).starts_with("down: something else than a stream"),
                "{response}"
            );
        }
        for (code, expected) in [
            (10054, "refused: the stream rejected the message as too large"),
            (10097, "refused: "),
            (10060, "down: another stream than EVENTS listens"),
            (10047, "down: JetStream has no storage left"),
            (10039, "down: JetStream is not enabled"),
            (10109, "down: the stream is sealed"),
            (10077, "retry: the stream did not store the message"),
            (10008, "retry: the stream rejected the message with error 10008"),
        ] {
            let outcome = error(code);
            assert!(
                outcome.starts_with(expected) && !outcome.contains("hunter2"),
                "{outcome}"
            );
        }
    }

    #[test]
    fn faults_of_one_subject_stop_only_its_own_events() {
        for response in [
            "+OK",
            r#"{"error":{"err_code":10060}}"#,
            r#"{"error":{"err_code":10109}}"#,
        ] {
            assert!(matches!(outcome(response.as_bytes(), None, true), Outcome::Down { .. }));
            assert!(matches!(
                outcome(response.as_bytes(), None, false),
                Outcome::Retry { .. }
            ));
        }
        let reason = || Reason::new("a fault");
        assert!(matches!(of_subject(reason(), true), Outcome::Down { .. }));
        assert!(matches!(of_subject(reason(), false), Outcome::Retry { .. }));
    }
}
