//! Outcomes of errors of lapin, with texts of our own: brokers quote names of users and virtual hosts.

use lapin::{Error, ErrorKind};

use crate::Reason;

/// The codes of brokers, by AMQP 0-9-1.
const CONNECTION_FORCED: u16 = 320;
const ACCESS_REFUSED: u16 = 403;
const NOT_FOUND: u16 = 404;
const PRECONDITION_FAILED: u16 = 406;
const NOT_ALLOWED: u16 = 530;

/// Reason for a failed connection, with the fix.
pub(super) fn login(error: &Error) -> Reason {
    match code(error) {
        Some(ACCESS_REFUSED) => Reason::new("the broker rejected the login: fix the user and password in rabbitmq.uri"),
        Some(NOT_ALLOWED) => Reason::new(
            "no such vhost, or the user may not access it: fix rabbitmq.uri, or grant the user \
             permissions there",
        ),
        _ => broken(error),
    }
}

/// Reason for a failed publish, with the fix.
pub(super) fn publishing(error: &Error, exchange: &str) -> Reason {
    match code(error) {
        Some(ACCESS_REFUSED) => Reason::new(format!(
            "the user may not write to the exchange: grant it write permission for {exchange}"
        )),
        Some(NOT_FOUND) => Reason::new(format!(
            "no such exchange in the vhost: declare it, or fix rabbitmq.exchange: {exchange}"
        )),
        Some(PRECONDITION_FAILED) => Reason::new(
            "the broker closed the channel over a message, as it does where one is too large: the largest is sent \
             alone from now on",
        ),
        _ => broken(error),
    }
}

/// Returns whether the broker closed the channel because of a message's content.
pub(super) fn is_about_a_message(error: &Error) -> bool {
    code(error) == Some(PRECONDITION_FAILED)
}

fn broken(error: &Error) -> Reason {
    match error.kind() {
        ErrorKind::ProtocolError(_) => match code(error) {
            Some(CONNECTION_FORCED) => Reason::new("the broker closed the connection, as it does when it shuts down"),
            code => Reason::new(format!(
                "the broker closed the connection with code {}: see its log",
                code.unwrap_or_default()
            )),
        },
        ErrorKind::IOError(error) => Reason::cause("the connection to the broker broke", error),
        ErrorKind::MissingHeartbeatError => Reason::new("the broker sent no heartbeat"),
        ErrorKind::InvalidProtocolVersion(_) | ErrorKind::ParsingError(_) => {
            Reason::new("the peer does not speak AMQP 0-9-1: fix the host and port in rabbitmq.uri")
        }
        _ => Reason::new("the connection to the broker was closed"),
    }
}

fn code(error: &Error) -> Option<u16> {
    match error.kind() {
        ErrorKind::ProtocolError(error) => Some(error.get_id()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use lapin::protocol::AMQPError;
    use lapin::{Error, ErrorKind};

    use super::{is_about_a_message, login, publishing};

    fn error(code: u16) -> Error {
        let error = AMQPError::from_id(code, "user 'hunter2' in vhost 'hunter3'".into()).expect("a code");
        ErrorKind::ProtocolError(error).into()
    }

    #[test]
    fn reasons_say_what_to_mend_and_quote_nothing() {
        let longest = "x".repeat(40);
        for (reason, part) in [
            (login(&error(403)), "the user and password in rabbitmq.uri"),
            (login(&error(530)), "grant the user permissions there"),
            (login(&error(541)), "with code 541: see its log"),
            (publishing(&error(403), "events"), "write permission for events"),
            (
                publishing(&error(404), &longest),
                &format!("rabbitmq.exchange: {longest}"),
            ),
            (publishing(&error(406), "events"), "sent alone from now on"),
            (publishing(&error(320), "events"), "as it does when it shuts down"),
        ] {
            assert!(
                reason.as_str().ends_with(part) || reason.as_str().contains(part),
                "{reason}"
            );
            assert!(!reason.as_str().contains("hunter"), "{reason}");
        }
        assert!(is_about_a_message(&error(406)) && !is_about_a_message(&error(404)));
    }
}
