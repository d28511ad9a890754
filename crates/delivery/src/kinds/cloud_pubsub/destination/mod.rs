//! Cloud Pub/Sub: one topic.
//!
//! # Messages
//!
//! | what | value |
//! |---|---|
//! | data | the event as JSON, UTF-8, not compressed |
//! | attribute `content-type` | `application/json` |
//! | attribute `event-type` | the event's type, such as `daily.data.steps.created` |
//! | attribute `event-id` | the event's id, the same at every repeat |
//! | attribute `team-id` | the team's id |
//! | attribute `user-id` | the user's id; absent where the event is about no user |
//! | ordering key | the user's id where the pipeline has `message_ordering`; else absent |
//!
//! A user's messages arrive in order where the subscription, too, has message ordering. The service keeps order within a
//! region: an operator who publishes from several places sets a regional [`endpoint`](Settings::endpoint).
//!
//! # What faults end in
//!
//! | fault | outcome |
//! |---|---|
//! | acknowledged, with a message id | delivered |
//! | longer than 10,000,000 bytes, an attribute longer than 1,024 | refused, and not sent |
//! | `INVALID_ARGUMENT`, such as a message that the topic's schema does not allow | refused |
//! | `UNKNOWN`, `INTERNAL`, `ABORTED` and the like | to be tried again |
//! | no connection, no response in time, a connection that broke | down |
//! | `NOT_FOUND`, `PERMISSION_DENIED`, `UNAUTHENTICATED`, no token, `FAILED_PRECONDITION`, `UNIMPLEMENTED` | down |
//! | `RESOURCE_EXHAUSTED`, `UNAVAILABLE` | down |
//!
//! A request holds many messages, and fails as a whole. Where that is for one message of it, halves are sent until the
//! message is found, so that it holds up no other.
//!
//! A request is tried up to three times where the fault may pass, within [`Settings::timeout`]. One that was given up is
//! cancelled; it may have arrived all the same, and does so again as a repeat.
//!
//! Credentials and their tokens are those of Google's library. Requests are our own, over gRPC: a publisher of Google's
//! library takes messages one by one, has a task and a channel for each, and copies their attributes for its retries, which is
//! more than half of what it costs.

mod client;
mod connection;
mod credentials;
mod fault;
mod publish;
mod request;
mod settings;
mod topic;
mod wire;

use self::publish::Publish;
use crate::{Check, Checked, Delivery, Destination, Message};

pub use self::settings::Settings;
pub use self::topic::Topic;

/// How many messages are handed over together: as many as a request may hold.
const BATCH: usize = 1000;

impl Destination for Topic {
    fn ordered(&self) -> bool {
        self.ordered
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        Box::pin(async move { Publish::new(self, messages).run().await })
    }

    fn check<'a>(&'a self, message: &'a Message) -> Check<'a> {
        Box::pin(async move {
            let outcomes = self.deliver(std::slice::from_ref(message)).await;
            let target = format!("topic {}", self.name);
            outcomes
                .into_iter()
                .map(|outcome| Checked {
                    target: target.clone(),
                    outcome,
                })
                .collect()
        })
    }
}
