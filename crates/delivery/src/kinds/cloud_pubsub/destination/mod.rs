//! Topic of Cloud Pub/Sub, as a destination.

mod client;
mod connection;
mod credentials;
mod fault;
mod publish;
mod request;
mod topic;
mod wire;

use wearlab_models::CloudPubsub;

use self::publish::Publish;
use super::config::TopicConfig;
use super::settings::Settings;
use crate::kinds::kind::{Connect, Target};
use crate::{Check, Checked, ConfigError, Delivery, Destination, Message};

pub use self::topic::Topic;

/// Maximum number of messages of one call: as many as a request may hold.
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

impl Connect for CloudPubsub {
    fn connect(
        config: TopicConfig,
        settings: &Settings,
        target: &Target<'_>,
    ) -> Result<Box<dyn Destination>, ConfigError> {
        if let Some(team) = target.team {
            let organisation = team.organisation.as_str();
            target.egress.projects.check(organisation, &config.project)?;
        }
        Ok(Box::new(Topic::from_config(config, settings.clone())?))
    }
}
