//! Cloud Pub/Sub: one topic.
//!
//! # Messages
//!
//! | part | value |
//! |---|---|
//! | data | the event as JSON, UTF-8, not compressed |
//! | attribute `content-type` | `application/json` |
//! | attribute `event-type` | the event's type, such as `daily.data.steps.created` |
//! | attribute `event-id` | the event's id, the same at every repeat |
//! | attribute `team-id` | the team's id |
//! | attribute `user-id` | the user's id; absent where the event is about no user |
//! | ordering key | the user's id where the pipeline has `message_ordering`; else absent |
//!
//! A user's messages arrive in order where the subscription, too, has message ordering. The service keeps order within
//! a region: an operator who publishes from several places sets a regional [`endpoint`](Settings::endpoint).
//!
//! # Outcomes
//!
//! | fault | outcome |
//! |---|---|
//! | acknowledged, with a message id | delivered |
//! | longer than 10,000,000 bytes, an attribute longer than 1,024 | refused, and not sent |
//! | `INVALID_ARGUMENT`, such as a message that the topic's schema does not allow | refused |
//! | `UNKNOWN`, `INTERNAL`, `ABORTED` and the like | retry |
//! | no connection, no response in time, a connection that broke | down |
//! | `NOT_FOUND`, `PERMISSION_DENIED`, `UNAUTHENTICATED`, no token, `FAILED_PRECONDITION`, `UNIMPLEMENTED` | down |
//! | `RESOURCE_EXHAUSTED`, `UNAVAILABLE` | down |
//!
//! A request holds many messages, and fails as a whole. If that is due to one message, halves are sent until the
//! message is found, so that it blocks no other.
//!
//! A request is tried up to three times after transient faults, within [`Settings::timeout`]. One that takes longer
//! is cancelled; it may have arrived nevertheless, and then arrives again as a repeat.
//!
//! Credentials and their tokens are those of Google's library. Requests are our own, over gRPC: a publisher of Google's
//! library takes messages one by one, has a task and a channel for each, and copies their attributes for its retries,
//! which is more than half of its cost.

mod config;
#[cfg(feature = "cloud_pubsub")]
mod destination;
mod settings;

use wearlab_models::{CloudPubsub, DeliveryKind};

pub use self::config::TopicConfig;
#[cfg(feature = "cloud_pubsub")]
pub use self::destination::Topic;
pub use self::settings::Settings;
use super::kind::DestinationKind;
use crate::ConfigError;
use crate::egress::PipelinePolicy;

impl DestinationKind for CloudPubsub {
    const KIND: DeliveryKind = DeliveryKind::CloudPubsub;
    type Config = TopicConfig;
    type Settings = Settings;

    fn parse(&self) -> Result<TopicConfig, ConfigError> {
        TopicConfig::parse(self)
    }

    fn check_egress(config: &TopicConfig, organisation: &str, policy: &PipelinePolicy) -> Result<(), ConfigError> {
        policy.projects.check(organisation, &config.project)
    }
}
