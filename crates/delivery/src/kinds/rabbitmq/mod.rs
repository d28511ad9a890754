//! RabbitMQ: one exchange, over AMQP 0-9-1.
//!
//! Layout of a message, for consumers in any language:
//!
//! | part | value |
//! |---|---|
//! | exchange | that of the pipeline. It must exist: nothing is declared |
//! | routing key | the event type, such as `daily.data.steps.created` |
//! | body | the event as JSON |
//! | `content_type`, `content_encoding` | `application/json`, `utf-8` |
//! | `delivery_mode` | 2, persistent |
//! | `message_id` | the event id. A repeat has the same |
//! | `type` | the event type |
//! | `timestamp` | the time of the event, in seconds |
//! | `app_id` | `wearlab` |
//! | headers | `event-type`, `event-id`, `team-id`, and `user-id` where the event is about a user, all as text |
//!
//! A user's messages arrive in their order in each queue, apart from repeats: one is sent after the previous one is
//! confirmed.
//!
//! | fault | outcome |
//! |---|---|
//! | confirmed, and not returned | delivered |
//! | returned: no queue is bound for the routing key | retry |
//! | nack, such as from a full queue that rejects | retry |
//! | the channel is closed because of a message that is sent alone, such as one that is too large | refused |
//! | no such exchange or virtual host, login or write permission denied | down |
//! | no connection, it broke, no confirm in time, the broker blocks publishers | down: messages in flight may have arrived |
//!
//! The connection is made on demand, and kept until it fails; the next call then makes a new one. lapin has a thread for
//! each connection.

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
