//! Destinations of all kinds, from parsed pipelines.

use chrono::{DateTime, Utc};
use wearlab_models::DeliveryKind;

use super::routes::Route;
use crate::egress::PipelinePolicy;
use crate::pipeline::DestinationConfig;
use crate::webhook::{Sender, Webhook};
use crate::{ConfigError, Destination};

/// The settings of each kind of destination.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Kinds {
    /// The sender of webhooks.
    pub webhooks: Sender,
    /// Whether only webhooks are sent: for trials with the pipelines of others.
    pub only_webhooks: bool,
    /// What pipelines may reach, of whatever kind.
    pub egress: PipelinePolicy,
    /// How Event Hubs are reached.
    #[cfg(feature = "azure_amqp")]
    pub azure_amqp: crate::azure_amqp::Settings,
    /// How Pub/Sub is reached.
    #[cfg(feature = "cloud_pubsub")]
    pub cloud_pubsub: crate::cloud_pubsub::Settings,
    /// How RabbitMQ is reached.
    #[cfg(feature = "rabbitmq")]
    pub rabbitmq: crate::rabbitmq::Settings,
    /// A Svix server. Without one, the built-in webhooks replace it.
    #[cfg(feature = "svix")]
    pub svix: Option<crate::svix::Settings>,
}

impl Kinds {
    /// Default settings.
    pub fn new(webhooks: Sender) -> Self {
        Self {
            webhooks,
            only_webhooks: false,
            egress: PipelinePolicy::default(),
            #[cfg(feature = "azure_amqp")]
            azure_amqp: crate::azure_amqp::Settings::default(),
            #[cfg(feature = "cloud_pubsub")]
            cloud_pubsub: crate::cloud_pubsub::Settings::default(),
            #[cfg(feature = "rabbitmq")]
            rabbitmq: crate::rabbitmq::Settings::default(),
            #[cfg(feature = "svix")]
            svix: None,
        }
    }

    /// Whether a Svix server is configured, so that the built-in webhooks do not replace it.
    #[cfg_attr(
        not(feature = "svix"),
        expect(clippy::unused_self, reason = "a build without Svix has no server of it")
    )]
    pub(super) fn has_svix(&self) -> bool {
        #[cfg(feature = "svix")]
        return self.svix.is_some();
        #[cfg(not(feature = "svix"))]
        false
    }

    /// The destination of a route.
    pub(super) fn destination(&self, route: &Route, now: DateTime<Utc>) -> Result<Box<dyn Destination>, ConfigError> {
        match (&route.endpoint, route.pipeline()) {
            (Some(endpoint), _) => {
                let webhook = Webhook::of_endpoint(&self.webhooks, endpoint, now);
                Ok(Box::new(webhook.map_err(|error| ConfigError::new("webhook", error))?))
            }
            (None, Some(pipeline)) => {
                let kind = DeliveryKind::from(route.key.kind.as_str());
                self.broker(DestinationConfig::from_pipeline(pipeline, &kind)?, route)
            }
            (None, None) => Err(ConfigError::new("pipeline", "is missing")),
        }
    }

    #[cfg_attr(
        not(all(
            feature = "azure_amqp",
            feature = "cloud_pubsub",
            feature = "rabbitmq",
            feature = "svix"
        )),
        expect(
            unused_variables,
            reason = "the configuration of a kind that this build does not support"
        )
    )]
    fn broker(&self, config: DestinationConfig, route: &Route) -> Result<Box<dyn Destination>, ConfigError> {
        Ok(match config {
            #[cfg(feature = "azure_amqp")]
            DestinationConfig::AzureAmqp(config) => {
                let mut settings = self.azure_amqp.clone();
                settings.policy.clone_from(&self.egress.hosts);
                Box::new(crate::azure_amqp::Namespace::from_config(*config, settings)?)
            }
            #[cfg(feature = "cloud_pubsub")]
            DestinationConfig::CloudPubsub(config) => {
                if let Some(team) = &route.pipeline {
                    self.egress
                        .projects
                        .check(team.organisation.as_str(), &config.project)?;
                }
                Box::new(crate::cloud_pubsub::Topic::from_config(
                    config,
                    self.cloud_pubsub.clone(),
                )?)
            }
            #[cfg(feature = "rabbitmq")]
            DestinationConfig::Rabbitmq(config) => {
                let mut settings = self.rabbitmq.clone();
                settings.policy.clone_from(&self.egress.hosts);
                Box::new(crate::rabbitmq::Exchange::from_config(config, settings)?)
            }
            #[cfg(feature = "svix")]
            DestinationConfig::Svix { regional } => {
                let settings = self.svix.clone();
                let mut settings = settings.ok_or_else(|| ConfigError::new("svix", "no server is configured"))?;
                settings.region = route.pipeline.as_ref().map(|team| team.region);
                let team_id = route.key.team_id;
                Box::new(crate::svix::Application::from_config(team_id, regional, &settings)?)
            }
            #[cfg(not(all(
                feature = "azure_amqp",
                feature = "cloud_pubsub",
                feature = "rabbitmq",
                feature = "svix"
            )))]
            _ => {
                return Err(crate::pipeline::unsupported(
                    &DeliveryKind::from(route.key.kind.as_str()),
                    0,
                ));
            }
        })
    }
}
