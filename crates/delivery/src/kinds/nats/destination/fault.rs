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

/// Why there is no connection, with what to fix.
pub(super) fn connecting(error: &ConnectError, limit: Duration) -> Reason {
    let source = std::error::Error::source(error);
    let server_error = source.and_then(|source| source.downcast_ref::<ServerError>());
    match (error.kind(), server_error) {
        (ConnectErrorKind::AuthorizationViolation, _) => login(),
        (_, Some(error)) => of_server(error),
        (ConnectErrorKind::Authentication, _) => {
            Reason::new("the nonce of the server cannot be signed: fix the seed in nats.credentials")
        }
        (ConnectErrorKind::TimedOut, _) => no_connection_within(limit),
        _ => match source.and_then(|source| source.downcast_ref::<std::io::Error>()) {
            Some(error) => Reason::cause("no connection to the server", error),
            None => Reason::new("the peer does not speak NATS: fix the host and port in nats.url"),
        },
    }
}

/// Why there is no connection, where nothing came back.
pub(super) fn no_connection_within(limit: Duration) -> Reason {
    Reason::new(format!("no connection to the server within {limit:?}"))
}

/// Why a connection is of no use any more, where nothing else is known.
pub(super) fn broken() -> Reason {
    Reason::new("the connection to the server broke")
}

/// Why nothing more is sent, where a message is not acknowledged in time.
pub(super) fn silence(subject: &str) -> Reason {
    Reason::new(format!(
        "no acknowledgement in time: the server may be overloaded, or something else than a stream listens to {subject}"
    ))
}

/// Why a connection is of no use after an event. Nothing, if it still is.
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

fn of_server(error: &ServerError) -> Reason {
    let ServerError::Other(text) = error else {
        return match error {
            ServerError::AuthorizationViolation => login(),
            _ => broken(),
        };
    };
    let text = text.to_ascii_lowercase();
    if text.starts_with("permissions violation for publish") {
        Reason::new("the user may not publish to the subject: grant it the permission for nats.subject")
    } else if text.starts_with("permissions violation for subscription") {
        Reason::new("the user may not receive acknowledgements: grant it the permission to subscribe to _INBOX.>")
    } else if text.contains("authenti") || text.contains("authoriz") {
        login()
    } else if text.starts_with("maximum connections") || text.starts_with("maximum account") {
        Reason::new("the server takes no more connections: see its limits")
    } else {
        Reason::new("the server reported an error and may have closed the connection: see its log")
    }
}

/// The outcome of a message that nobody listens to.
pub(super) fn no_responders(subject: &str, is_constant: bool) -> Outcome {
    let reason = Reason::new(format!(
        "no stream listens to {subject}: create one with this subject, or fix nats.subject; JetStream must be enabled"
    ));
    match is_constant {
        true => Outcome::Down { reason },
        false => Outcome::Retry {
            reason,
            not_before: None,
        },
    }
}

/// The outcome of a response, by what a stream says in an acknowledgement.
pub(super) fn outcome(response: &[u8], stream: Option<&str>) -> Outcome {
    let response: Value = serde_json::from_slice(response).unwrap_or_default();
    let Some(error) = response.get("error") else {
        return match response.get("stream").zip(response.get("seq")) {
            Some(_) => Outcome::Delivered,
            None => down("something else than a stream responded: fix nats.subject, or remove what listens to it"),
        };
    };
    let code = error.get("err_code").and_then(Value::as_u64).unwrap_or_default();
    match code {
        MESSAGE_TOO_LARGE | HEADERS_TOO_LARGE => Outcome::Refused {
            reason: Reason::new("the stream rejected the message as too large: check its max_msg_size"),
        },
        OTHER_STREAM => down(&format!(
            "another stream than {} listens to the subject: fix nats.stream or nats.subject",
            stream.unwrap_or("the expected one")
        )),
        INSUFFICIENT_RESOURCES | MEMORY_EXCEEDED | STORAGE_EXCEEDED => {
            down("JetStream has no storage left: see the limits of the server and the account")
        }
        NOT_ENABLED | NOT_ENABLED_FOR_ACCOUNT => {
            down("JetStream is not enabled: enable it for the server and the account")
        }
        SEALED => down("the stream is sealed: fix nats.subject, or create another stream"),
        STORE_FAILED => retry("the stream did not store the message: it may be full and discard new messages"),
        _ => retry(&format!(
            "the stream rejected the message with error {code}: see its log"
        )),
    }
}

fn down(reason: &str) -> Outcome {
    Outcome::Down {
        reason: Reason::new(reason),
    }
}

fn retry(reason: &str) -> Outcome {
    Outcome::Retry {
        reason: Reason::new(reason),
        not_before: None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use async_nats::{ConnectError, ConnectErrorKind, Event, ServerError};

    use super::{connecting, no_responders, of_event, outcome};
    use crate::Outcome;

    fn of_text(text: &str) -> String {
        let event = Event::ServerError(ServerError::Other(text.to_owned()));
        of_event(&event).expect("a fault").to_string()
    }

    #[test]
    fn reasons_name_a_fix_and_quote_nothing() {
        for (text, part) in [
            (
                "Permissions Violation for Publish to \"hunter2\"",
                "grant it the permission for nats.subject",
            ),
            (
                "Permissions Violation for Subscription to \"hunter2\"",
                "subscribe to _INBOX.>",
            ),
            ("User Authentication Expired", "rejected the login"),
            ("maximum connections exceeded", "takes no more connections"),
            ("hunter2", "see its log"),
        ] {
            let reason = of_text(text);
            assert!(reason.contains(part) && !reason.contains("hunter2"), "{reason}");
        }
        assert_eq!(of_event(&Event::Connected), None);
        assert_eq!(of_event(&Event::LameDuckMode), None);
        assert!(of_event(&Event::Disconnected).is_some());
    }

    #[test]
    fn failed_connections_are_told_apart() {
        let second = Duration::from_secs(1);
        let io = |kind: std::io::ErrorKind| ConnectError::from(std::io::Error::from(kind));
        for (error, part) in [
            (
                ConnectError::new(ConnectErrorKind::AuthorizationViolation),
                "rejected the login",
            ),
            (ConnectError::new(ConnectErrorKind::Authentication), "fix the seed"),
            (ConnectError::new(ConnectErrorKind::TimedOut), "within 1s"),
            (io(std::io::ErrorKind::ConnectionRefused), "connection refused"),
            (
                ConnectError::with_source(ConnectErrorKind::Io, "expected INFO, got hunter2"),
                "does not speak NATS",
            ),
            (
                ConnectError::with_source(ConnectErrorKind::Io, ServerError::Other("hunter2".to_owned())),
                "see its log",
            ),
        ] {
            let reason = connecting(&error, second).to_string();
            assert!(reason.contains(part) && !reason.contains("hunter2"), "{reason}");
        }
    }

    #[test]
    fn acknowledgements_of_streams_alone_are_deliveries() {
        let of = |response: &str| match outcome(response.as_bytes(), Some("EVENTS")) {
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
    fn a_subject_without_a_stream_stops_only_its_own_events() {
        assert!(matches!(no_responders("events", true), Outcome::Down { .. }));
        assert!(matches!(no_responders("events.a", false), Outcome::Retry { .. }));
    }
}
