//! Faults: the target of a failure, and the outcome of its message.

use fe2o3_amqp::types::definitions::{Error, ErrorCondition};
use fe2o3_amqp::types::primitives::Symbol;

use crate::{Outcome, Reason};

/// Reason why a message did not reach a target.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// The namespace accepts nothing.
    Namespace(Reason),
    /// One hub or container accepts nothing. Others may.
    Target(Reason),
    /// This message was not accepted this time.
    Message(Reason),
    /// This message will never be accepted.
    Refused(Reason),
}

impl Fault {
    /// Returns the outcome of the message. `alone` is true if there is no other target.
    pub(super) fn outcome(self, alone: bool) -> Outcome {
        match self {
            Self::Namespace(reason) => Outcome::Down { reason },
            Self::Target(reason) if alone => Outcome::Down { reason },
            Self::Target(reason) | Self::Message(reason) => Outcome::Retry {
                reason,
                not_before: None,
            },
            Self::Refused(reason) => Outcome::Refused { reason },
        }
    }

    /// Fault of a missing or lost link to a hub.
    pub(super) fn link(hub: &str, error: Option<&Error>) -> Self {
        let Some(error) = error else {
            return Self::Namespace(Reason::new(format!("the link to event hub {hub} was closed")));
        };
        known(hub, error).unwrap_or_else(|| {
            Self::Namespace(Reason::new(format!(
                "the link to event hub {hub} was closed: {}",
                condition(error)
            )))
        })
    }

    /// Fault of a message that a hub rejected.
    pub(super) fn rejected(hub: &str, error: Option<&Error>) -> Self {
        let Some(error) = error else {
            return Self::Message(Reason::new(format!("event hub {hub} rejected it without a reason")));
        };
        known(hub, error).unwrap_or_else(|| {
            Self::Message(Reason::new(format!(
                "event hub {hub} rejected it: {}",
                condition(error)
            )))
        })
    }

    pub(super) fn missing(hub: &str) -> Self {
        Self::Target(Reason::new(format!(
            "event hub {hub} does not exist: create it in the namespace, or fix its name"
        )))
    }

    pub(super) fn too_large(hub: &str, size: usize, limit: usize) -> Self {
        Self::Refused(Reason::new(format!(
            "it has {size} bytes, and event hub {hub} takes {limit} at most"
        )))
    }
}

/// Fault that is the same for all requests.
fn known(hub: &str, error: &Error) -> Option<Fault> {
    let fault = match condition(error).as_str() {
        "amqp:not-found" | "com.microsoft:entity-disabled" => Fault::missing(hub),
        "amqp:unauthorized-access" => Fault::Namespace(Reason::new(format!(
            "the policy of the connection string may not send to event hub {hub}: it needs the claim Send"
        ))),
        "com.microsoft:server-busy" => Fault::Namespace(Reason::new(format!(
            "event hub {hub} is throttled (server-busy): give the namespace more throughput units"
        ))),
        "amqp:resource-limit-exceeded" => Fault::Target(Reason::new(format!(
            "event hub {hub} is at a limit (resource-limit-exceeded): see the quotas of the namespace"
        ))),
        "amqp:link:message-size-exceeded" => {
            Fault::Refused(Reason::new(format!("it is too large for event hub {hub}")))
        }
        _ => return None,
    };
    Some(fault)
}

/// The name of an error of AMQP or of Microsoft: free texts are not repeated.
pub(super) fn condition(error: &Error) -> String {
    let symbol = match &error.condition {
        ErrorCondition::AmqpError(error) => Symbol::from(error),
        ErrorCondition::ConnectionError(error) => Symbol::from(error),
        ErrorCondition::SessionError(error) => Symbol::from(error),
        ErrorCondition::LinkError(error) => Symbol::from(error),
        ErrorCondition::Custom(symbol) => symbol.clone(),
    };
    let name = symbol.as_str();
    let plain = |name: &str| name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'-' | b':'));
    match name
        .strip_prefix("amqp:")
        .or_else(|| name.strip_prefix("com.microsoft:"))
    {
        Some(rest) if plain(rest) && rest.len() < 64 => name.to_owned(),
        _ => "unknown error".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use fe2o3_amqp::types::definitions::{AmqpError, Error, ErrorCondition, LinkError};
    use fe2o3_amqp::types::primitives::Symbol;

    use super::{Fault, condition};
    use crate::Outcome;

    fn custom(name: &str) -> Error {
        Error::new(ErrorCondition::Custom(Symbol::from(name)), "hunter2".to_owned(), None)
    }

    #[test]
    fn faults_end_as_documented() {
        let not_found = Error::new(AmqpError::NotFound, None, None);
        let large = Error::new(LinkError::MessageSizeExceeded, None, None);
        let busy = custom("com.microsoft:server-busy");
        let table = [
            (Fault::link("h", Some(&not_found)), "Down", "Retry"),
            (Fault::rejected("h", Some(&not_found)), "Down", "Retry"),
            (Fault::rejected("h", Some(&busy)), "Down", "Down"),
            (Fault::rejected("h", Some(&large)), "Refused", "Refused"),
            (
                Fault::rejected("h", Some(&custom("com.microsoft:timeout"))),
                "Retry",
                "Retry",
            ),
            (Fault::rejected("h", None), "Retry", "Retry"),
            (
                Fault::link("h", Some(&custom("amqp:link:detach-forced"))),
                "Down",
                "Down",
            ),
            (Fault::link("h", None), "Down", "Down"),
        ];
        for (fault, alone, among_others) in table {
            for (alone, expected) in [(true, alone), (false, among_others)] {
                let outcome = format!("{:?}", fault.clone().outcome(alone));
                assert!(outcome.starts_with(expected), "{fault:?}: {outcome}");
            }
        }
        assert!(matches!(
            Fault::too_large("h", 2, 1).outcome(true),
            Outcome::Refused { .. }
        ));
    }

    #[test]
    fn only_names_of_errors_are_repeated() {
        assert_eq!(
            condition(&custom("com.microsoft:server-busy")),
            "com.microsoft:server-busy"
        );
        for name in ["hunter2", "amqp:hunter2", "com.microsoft:Hunter", ""] {
            assert_eq!(condition(&custom(name)), "unknown error");
        }
    }
}
