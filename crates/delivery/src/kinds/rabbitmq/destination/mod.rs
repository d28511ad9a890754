//! Exchange of a RabbitMQ broker, as a destination.

mod batch;
mod fault;
mod frames;
mod link;
mod properties;
mod runtime;

use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use wearlab_models::Rabbitmq;

use self::batch::Batch;
use self::link::Link;
use self::runtime::quiet;
use super::{ExchangeConfig, Settings};
use crate::fan_out::in_order;
use crate::kinds::kind::{Connect, Target};
use crate::{Check, Checked, ConfigError, Delivery, Destination, Message, Outcome, Reason};

/// Maximum number of messages of one call.
const BATCH: usize = 1000;
/// Maximum number of users with a message in flight.
const IN_FLIGHT: usize = 500;

/// An exchange of a RabbitMQ broker. `Debug` shows only its name.
pub struct Exchange {
    config: ExchangeConfig,
    settings: Settings,
    /// The connection, while it is unused.
    link: Mutex<Option<Link>>,
    /// Messages larger than this are sent alone.
    alone_above: AtomicUsize,
}

impl Exchange {
    /// The exchange of a pipeline.
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

    /// The existing connection, or a new one.
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

impl Connect for Rabbitmq {
    fn connect(
        config: ExchangeConfig,
        settings: &Settings,
        target: &Target<'_>,
    ) -> Result<Box<dyn Destination>, ConfigError> {
        let mut settings = settings.clone();
        settings.policy.clone_from(&target.egress.hosts);
        Ok(Box::new(Exchange::from_config(config, settings)?))
    }
}
