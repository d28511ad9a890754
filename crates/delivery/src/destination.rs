//! What every kind of destination does.

use std::fmt;
use std::pin::Pin;

use chrono::{DateTime, Utc};

use crate::{Message, Reason};

/// Where events go: an endpoint, a topic, an exchange, a hub.
///
/// Making one does no I/O. It connects when it has something to send, and again after a connection was lost.
pub trait Destination: Send + Sync {
    /// Whether the messages of a user arrive in their order.
    fn ordered(&self) -> bool;

    /// How many messages are worth handing over together.
    fn batch(&self) -> usize;

    /// Sends messages, and says what became of each: as many outcomes as messages, in their order.
    ///
    /// Ends within a time that the destination bounds. Where it is dropped before, each message may have arrived or
    /// not. Nothing is tried twice in here.
    ///
    /// Where the destination is [ordered](Self::ordered), a user's messages are sent in the order they are given in, and
    /// after one that may not have arrived, the user's others are [behind](Outcome::Behind) it.
    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a>;

    /// Sends a message to everything that the destination may send to, whatever the message is, and says for each how it
    /// went.
    fn check<'a>(&'a self, message: &'a Message) -> Check<'a>;
}

/// What [`Destination::deliver`] returns. Boxed, so that one list holds destinations of all kinds; beside a round trip
/// that costs nothing.
pub type Delivery<'a> = Pin<Box<dyn Future<Output = Vec<Outcome>> + Send + 'a>>;

/// What [`Destination::check`] returns.
pub type Check<'a> = Pin<Box<dyn Future<Output = Vec<Checked>> + Send + 'a>>;

/// How a test message went to one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// What it was sent to, such as `exchange events`. Without secrets.
    pub target: String,
    /// How it went.
    pub outcome: Outcome,
}

/// What became of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The destination has it for good.
    Delivered,
    /// It failed this time. It may have arrived all the same.
    Retry {
        /// Why it failed.
        reason: Reason,
        /// The destination asks not to be tried before.
        not_before: Option<DateTime<Utc>>,
    },
    /// It failed this time, and so would any other: the destination gives no response, or keeps failing. The message has an
    /// attempt the less, as after [`Retry`](Self::Retry), but the destination counts as down.
    Unavailable {
        /// Why it failed.
        reason: Reason,
        /// The destination asks not to be tried before.
        not_before: Option<DateTime<Utc>>,
    },
    /// Nothing can be sent there now: it cannot be reached, it refuses the credentials, or it is not there at all. This
    /// says nothing about the message, which may have arrived.
    Down {
        /// Why, and what to mend.
        reason: Reason,
    },
    /// It was not sent, since the destination asked for a pause just before. This is no attempt.
    Deferred {
        /// When the pause ends.
        not_before: DateTime<Utc>,
    },
    /// It was not sent, since an earlier one of the same user may not have arrived. This is no attempt.
    Behind,
    /// This message will never be taken: park it.
    Refused {
        /// Why.
        reason: Reason,
    },
    /// The destination wants no more events: disable it. It did not take this one.
    Gone,
}

/// Why a pipeline or a setting cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct ConfigError {
    /// The invalid field, such as `rabbitmq.uri`.
    pub field: String,
    /// What is wrong, and how to fix it. Without the value.
    pub reason: String,
}

impl ConfigError {
    /// `reason` must not hold a secret.
    pub fn new(field: impl Into<String>, reason: impl fmt::Display) -> Self {
        Self {
            field: field.into(),
            reason: reason.to_string(),
        }
    }
}
