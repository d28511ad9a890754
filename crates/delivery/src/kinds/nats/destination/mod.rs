//! Subject of NATS JetStream, as a destination.

mod batch;
mod connect;
mod fault;
mod headers;
mod link;
mod runtime;
mod verifier;

use std::fmt;
use std::sync::Arc;

use tokio::sync::Mutex;
use wearlab_models::Nats;

use self::batch::Batch;
use self::link::Link;
use self::verifier::Trust;
use super::{Settings, SubjectConfig};
use crate::fan_out::in_order;
use crate::kinds::kind::{Connect, Target};
use crate::{Check, Checked, ConfigError, Delivery, Destination, Message, Outcome, Reason};

/// Messages of one call.
const BATCH: usize = 1000;
/// The most messages in flight, each of another user.
const IN_FLIGHT: usize = 500;

/// A subject of NATS JetStream. `Debug` shows the subject alone.
pub struct Subject {
    config: SubjectConfig,
    settings: Settings,
    trust: Arc<Trust>,
    /// The connection of the last call, unless it failed or a call uses it.
    link: Mutex<Option<Link>>,
}

impl Subject {
    /// The subject that a pipeline names.
    ///
    /// # Errors
    ///
    /// For a URL, a name or credentials that cannot be used.
    pub fn new(block: &Nats, settings: Settings) -> Result<Self, ConfigError> {
        Self::from_config(SubjectConfig::parse(block)?, settings)
    }

    /// A subject from parsed configuration.
    ///
    /// # Errors
    ///
    /// For a masked secret, or credentials that cannot be used.
    pub fn from_config(config: SubjectConfig, settings: Settings) -> Result<Self, ConfigError> {
        config.require_secrets()?;
        connect::options(config.login.as_ref())?;
        Ok(Self {
            trust: Arc::new(Trust::new(settings.extra_roots.clone())),
            config,
            settings,
            link: Mutex::new(None),
        })
    }

    async fn send(&self, messages: &[Message]) -> Vec<Outcome> {
        if messages.is_empty() {
            return Vec::new();
        }
        let mut kept = self.link.lock().await;
        // If this future is dropped, so is the link, with all that is in flight.
        let link = match self.ready(kept.take()).await {
            Ok(link) => link,
            Err(reason) => return vec![Outcome::Down { reason }; messages.len()],
        };
        let batch = Batch::new(&link, &self.config, self.settings.timeout);
        let outcomes = in_order(messages, IN_FLIGHT, |message| batch.send(message)).await;
        if !batch.is_down() {
            *kept = Some(link);
        }
        outcomes
    }

    /// The connection that was kept, or a new one.
    async fn ready(&self, kept: Option<Link>) -> Result<Link, Reason> {
        match kept.filter(Link::is_active) {
            Some(link) => Ok(link),
            None => connect::connect(&self.config, &self.settings, &self.trust).await,
        }
    }
}

impl Destination for Subject {
    fn ordered(&self) -> bool {
        true
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        Box::pin(self.send(messages))
    }

    fn check<'a>(&'a self, message: &'a Message) -> Check<'a> {
        Box::pin(async move {
            let target = format!("subject {}", self.config.subject.as_str());
            let outcomes = self.deliver(std::slice::from_ref(message)).await;
            let checked = outcomes.into_iter().map(|outcome| Checked {
                target: target.clone(),
                outcome,
            });
            checked.collect()
        })
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject")
            .field("subject", &self.config.subject.as_str())
            .finish_non_exhaustive()
    }
}

impl Connect for Nats {
    fn connect(
        config: SubjectConfig,
        settings: &Settings,
        target: &Target<'_>,
    ) -> Result<Box<dyn Destination>, ConfigError> {
        let mut settings = settings.clone();
        settings.policy.clone_from(&target.egress.hosts);
        Ok(Box::new(Subject::from_config(config, settings)?))
    }
}
