//! What every kind of destination does.

use std::pin::Pin;

use chrono::{DateTime, Utc};

use crate::{Message, Reason};

/// Where events go: an endpoint, a topic, an exchange, a hub.
pub trait Destination: Send + Sync {
    /// Sends messages, and says what became of each: as many outcomes as messages, in their order.
    ///
    /// Ends within a time that the destination bounds. Where it is dropped before, each message may have arrived or
    /// not. Nothing is tried twice in here.
    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a>;
}

/// What [`Destination::deliver`] returns. Boxed, so that one list holds destinations of all kinds; beside a round trip
/// that costs nothing.
pub type Delivery<'a> = Pin<Box<dyn Future<Output = Vec<Outcome>> + Send + 'a>>;

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
    /// It was not sent, since the destination asked for a pause just before. This is no attempt.
    Deferred {
        /// When the pause ends.
        not_before: DateTime<Utc>,
    },
    /// This message will never be taken: park it.
    Refused {
        /// Why.
        reason: Reason,
    },
    /// The destination wants no more events: disable it. It did not take this one.
    Gone,
}
