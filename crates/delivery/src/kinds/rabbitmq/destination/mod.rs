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

mod batch;
mod fault;
mod frames;
mod link;
mod properties;
mod runtime;
mod settings;

use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use wearlab_models::Rabbitmq;

use self::batch::Batch;
use self::link::Link;
use self::runtime::quiet;
use crate::fan_out::in_order;
use crate::pipeline::ExchangeConfig;
use crate::{Check, Checked, ConfigError, Delivery, Destination, Message, Outcome, Reason};

pub use settings::Settings;

/// Messages of one call.
const BATCH: usize = 1000;
/// Users with a message in flight.
const IN_FLIGHT: usize = 500;

/// An exchange of a RabbitMQ broker. `Debug` shows its name alone.
pub struct Exchange {
    config: ExchangeConfig,
    settings: Settings,
    /// The connection, when nobody uses it.
    link: Mutex<Option<Link>>,
    /// Messages larger than this are sent alone.
    alone_above: AtomicUsize,
}

impl Exchange {
    /// The exchange that a pipeline names.
    ///
    /// # Errors
    ///
    /// For a URI or a name that cannot be used.
    pub fn new(block: &Rabbitmq, settings: Settings) -> Result<Self, ConfigError> {
        Self::from_config(ExchangeConfig::parse(block)?, settings)
    }

    /// An exchange from parsed configuration.
    ///
    /// # Errors
    ///
    /// For a masked password.
    pub fn from_config(config: ExchangeConfig, settings: Settings) -> Result<Self, ConfigError> {
        config.require_secrets()?;
        Ok(Self {
            config,
            settings,
            link: Mutex::new(None),
            alone_above: AtomicUsize::new(batch::ALONE_ABOVE),
        })
    }

    async fn send(&self, messages: &[Message]) -> Vec<Outcome> {
        if messages.is_empty() {
            return Vec::new();
        }
        let mut kept = self.link.lock().await;
        // If this future is dropped, so is the link: the next call would mistake its confirms.
        let mut link = match self.ready(&mut kept).await {
            Ok(link) => link,
            Err(reason) => return vec![Outcome::Down { reason }; messages.len()],
        };
        let name = self.config.exchange.as_str();
        let batch = Batch::new(&link, name, self.settings.timeout, &self.alone_above);
        let outcomes = in_order(messages, IN_FLIGHT, |message| batch.send(message)).await;
        let settled = batch.is_settled();
        drop(batch);
        link.spent = !settled;
        // A broker that blocks would block a new connection, too; this one is notified when that ends.
        if settled || link.is_blocked() {
            *kept = Some(link);
        }
        outcomes
    }

    /// The connection that is kept, or a new one.
    async fn ready(&self, kept: &mut Option<Link>) -> Result<Link, Reason> {
        if let Some(link) = kept.take() {
            if link.spent && link.is_blocked() {
                *kept = Some(link);
                return Err(batch::blocked());
            }
            if link.is_active() && !link.spent {
                return Ok(link);
            }
        }
        let asked = self.config.uri.connection_timeout.map(Duration::from_millis);
        let limit = self.settings.connect_timeout;
        let limit = asked.map_or(limit, |asked| asked.min(limit));
        match timeout(limit, Link::open(&self.config, &self.settings)).await {
            Ok(link) => link,
            Err(_) => Err(Reason::new(format!("no connection to the broker within {limit:?}"))),
        }
    }
}

impl Destination for Exchange {
    fn ordered(&self) -> bool {
        true
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        Box::pin(quiet(self.send(messages)))
    }

    fn check<'a>(&'a self, message: &'a Message) -> Check<'a> {
        Box::pin(async move {
            let target = format!("exchange {}", self.config.exchange);
            let outcomes = self.deliver(std::slice::from_ref(message)).await;
            let checked = outcomes.into_iter().map(|outcome| Checked {
                target: target.clone(),
                outcome,
            });
            checked.collect()
        })
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("exchange", &self.config.exchange)
            .finish_non_exhaustive()
    }
}
