//! The interface of all kinds of destinations.

use std::fmt;
use std::pin::Pin;

use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::time::Instant;

use crate::{Message, Reason};

/// Target of events: an endpoint, a topic, an exchange, a hub.
///
/// Making one does no I/O. It connects on demand, and again after a connection was lost.
pub trait Destination: Send + Sync {
    /// Returns whether the messages of a user arrive in their order.
    fn ordered(&self) -> bool;

    /// Maximum number of messages of one call.
    fn batch(&self) -> usize;

    /// Sends messages. Returns an outcome for each, in their order.
    ///
    /// Ends within a time that the destination bounds. If it is dropped before, each message may have arrived or
    /// not. There are no retries in here.
    ///
    /// If the destination is [ordered](Self::ordered), a user's messages are sent in the given order, and
    /// after one that may not have arrived, the user's others are [held](Outcome::Held) behind it.
    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a>;

    /// Variant of [`deliver`](Self::deliver) with details of each attempt. If a destination does not measure each
    /// message, all take as long as the call.
    fn attempt<'a>(&'a self, messages: &'a [Message]) -> Attempts<'a> {
        Box::pin(async move {
            let began = Instant::now();
            let outcomes = self.deliver(messages).await;
            let duration = began.elapsed();
            let attempted = outcomes.into_iter().map(|outcome| Attempted {
                duration,
                ..outcome.into()
            });
            attempted.collect()
        })
    }

    /// Sends a message to all targets of the destination, whatever the message is, and returns the result for
    /// each.
    fn check<'a>(&'a self, message: &'a Message) -> Check<'a>;
}

/// Result of [`Destination::deliver`]. Boxed, so that one list holds destinations of all kinds; beside a round trip
/// that costs nothing.
pub type Delivery<'a> = Pin<Box<dyn Future<Output = Vec<Outcome>> + Send + 'a>>;

/// Result of [`Destination::attempt`].
pub type Attempts<'a> = Pin<Box<dyn Future<Output = Vec<Attempted>> + Send + 'a>>;

/// Result of [`Destination::check`].
pub type Check<'a> = Pin<Box<dyn Future<Output = Vec<Checked>> + Send + 'a>>;

/// Result of a test message to one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The target, such as `exchange events`. Without secrets.
    pub target: String,
    /// Outcome of the message.
    pub outcome: Outcome,
}

/// The outcome of one message, with details of the attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempted {
    /// The outcome.
    pub outcome: Outcome,
    /// Time from the call to the begin of the attempt.
    pub began_after: Duration,
    /// Duration of the attempt.
    pub duration: Duration,
    /// The HTTP response, where there was one.
    pub response: Option<ResponseSummary>,
}

impl From<Outcome> for Attempted {
    fn from(outcome: Outcome) -> Self {
        Self {
            outcome,
            began_after: Duration::ZERO,
            duration: Duration::ZERO,
            response: None,
        }
    }
}

impl AsRef<Outcome> for Attempted {
    fn as_ref(&self) -> &Outcome {
        &self.outcome
    }
}

/// Summary of an HTTP response, without its content, which may repeat the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseSummary {
    /// The status.
    pub status: u16,
    /// The media type of the content, without its parameters.
    pub content_type: Option<String>,
    /// Length of the content, in bytes, if the response has it.
    pub content_length: Option<u64>,
}

/// The outcome of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The destination has stored it.
    Delivered,
    /// The attempt failed. The message may have arrived nevertheless.
    Retry {
        /// Reason for the failure.
        reason: Reason,
        /// Time before which the destination wants no retry.
        not_before: Option<DateTime<Utc>>,
    },
    /// The attempt failed, and others would, too: the destination gives no response, or keeps failing. Like
    /// [`Retry`](Self::Retry), but the destination counts as down.
    Unavailable {
        /// Reason for the failure.
        reason: Reason,
        /// Time before which the destination wants no retry.
        not_before: Option<DateTime<Utc>>,
    },
    /// The destination is down: it cannot be reached, rejects the credentials, or does not exist. This says
    /// nothing about the message, which may have arrived.
    Down {
        /// Reason and fix.
        reason: Reason,
    },
    /// The message was not sent, because the destination requested a pause just before. Not an attempt.
    Deferred {
        /// End of the pause.
        not_before: DateTime<Utc>,
    },
    /// The message was not sent, because an earlier one of the same user may not have arrived. Not an attempt.
    Held,
    /// This message will never be accepted: park it.
    Refused {
        /// Reason for the rejection.
        reason: Reason,
    },
    /// The destination wants no more events, this one included: disable it.
    Gone,
}

impl AsRef<Self> for Outcome {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// Error of a pipeline or a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct ConfigError {
    /// The invalid field, such as `rabbitmq.uri`.
    pub field: String,
    /// The error, and its fix. Without the value.
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
