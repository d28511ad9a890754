//! RabbitMQ: one exchange, over AMQP 0-9-1.
//!
//! A message, so that a consumer in any language can be written from this:
//!
//! | what | where |
//! |---|---|
//! | exchange | that of the pipeline. It is there already: nothing is declared |
//! | routing key | the event type, such as `daily.data.steps.created` |
//! | body | the event as JSON |
//! | `content_type`, `content_encoding` | `application/json`, `utf-8` |
//! | `delivery_mode` | 2, persistent |
//! | `message_id` | the event id. A repeat has the same |
//! | `type` | the event type |
//! | `timestamp` | when the event came to be, in seconds |
//! | `app_id` | `wearlab` |
//! | headers | `event-type`, `event-id`, `team-id`, and `user-id` where the event is about a user, all as text |
//!
//! A user's messages arrive in their order in each queue, apart from repeats: one is sent when the one before is
//! confirmed.
//!
//! | what happens | outcome |
//! |---|---|
//! | confirmed, and not returned | delivered |
//! | returned: no queue is bound for the routing key | retry |
//! | nack, as of a queue that is full and rejects | retry |
//! | the channel is closed over a message that is sent alone, as one that is too large | refused |
//! | no such exchange or virtual host, login or write permission refused | down |
//! | no connection, it broke, no confirm in time, the broker blocks publishers | down: what was in flight may have arrived |
//!
//! The connection is made when there is something to send, and kept until it fails; the next call then makes a new one.
//! lapin has a thread for each connection.

mod config;
#[cfg(feature = "rabbitmq")]
mod destination;
mod settings;

use wearlab_models::{DeliveryKind, Rabbitmq};

pub use self::config::{AmqpUri, ExchangeConfig};
#[cfg(feature = "rabbitmq")]
pub use self::destination::Exchange;
pub use self::settings::Settings;
use super::kind::{DestinationKind, at};
use crate::ConfigError;
use crate::egress::PipelinePolicy;

impl DestinationKind for Rabbitmq {
    const KIND: DeliveryKind = DeliveryKind::Rabbitmq;
    type Config = ExchangeConfig;
    type Settings = Settings;

    fn parse(&self) -> Result<ExchangeConfig, ConfigError> {
        ExchangeConfig::parse(self)
    }

    fn check_egress(config: &ExchangeConfig, _: &str, policy: &PipelinePolicy) -> Result<(), ConfigError> {
        at(
            "rabbitmq.uri",
            policy.hosts.check_host(&config.uri.host, config.uri.tls),
        )
    }

    fn trust(settings: &mut Settings, roots: &[u8]) {
        settings.extra_roots.push(roots.to_owned());
    }
}
