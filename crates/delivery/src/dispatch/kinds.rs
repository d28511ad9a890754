//! Destinations of all kinds, from what pipelines say of them.

use chrono::{DateTime, Utc};
use wearlab_models::DeliveryKind;

use super::routes::Route;
use crate::pipeline::left_out;
use crate::webhook::{Sender, Webhook};
use crate::{Destination, Unusable};

/// What the operator decides of each kind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Kinds {
    /// What sends webhooks.
    pub webhooks: Sender,
    /// Whether nothing but webhooks is sent: for trials with pipelines that are none of the operator's.
    pub only_webhooks: bool,
    /// How Event Hubs are reached.
    #[cfg(feature = "azure_amqp")]
    pub azure_amqp: crate::azure_amqp::Settings,
    /// How Pub/Sub is reached.
    #[cfg(feature = "cloud_pubsub")]
    pub cloud_pubsub: crate::cloud_pubsub::Settings,
    /// How RabbitMQ is reached.
    #[cfg(feature = "rabbitmq")]
    pub rabbitmq: crate::rabbitmq::Settings,
    /// A Svix server. Without one, webhooks of our own stand in for it.
    #[cfg(feature = "svix")]
    pub svix: Option<crate::svix::Settings>,
}

impl Kinds {
    /// Kinds as they are by default.
    pub fn new(webhooks: Sender) -> Self {
        Self {
            webhooks,
            only_webhooks: false,
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

    /// Whether a Svix server is configured, so that endpoints of our own do not stand in for it.
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
    pub(super) fn destination(&self, route: &Route, now: DateTime<Utc>) -> Result<Box<dyn Destination>, Unusable> {
        match (&route.endpoint, route.pipeline()) {
            (Some(endpoint), _) => {
                let webhook = Webhook::of_endpoint(&self.webhooks, endpoint, now);
                Ok(Box::new(webhook.map_err(|error| Unusable::new("webhook", error))?))
            }
            (None, Some(pipeline)) => {
                crate::pipeline::check(pipeline)?;
                self.broker(route)
            }
            (None, None) => Err(Unusable::new("pipeline", "there is none")),
        }
    }

    fn broker(&self, route: &Route) -> Result<Box<dyn Destination>, Unusable> {
        #[cfg_attr(
            not(any(
                feature = "azure_amqp",
                feature = "cloud_pubsub",
                feature = "rabbitmq",
                feature = "svix"
            )),
            expect(unused_variables, reason = "this build has webhooks alone")
        )]
        let pipeline = route.pipeline();
        match DeliveryKind::from(route.lane.kind.as_str()) {
            #[cfg(feature = "azure_amqp")]
            DeliveryKind::AzureAmqp => {
                let block = given(pipeline.and_then(|pipeline| pipeline.azure_amqp.as_ref()), "azure_amqp")?;
                Ok(Box::new(crate::azure_amqp::Namespace::new(
                    block,
                    self.azure_amqp.clone(),
                )?))
            }
            #[cfg(feature = "cloud_pubsub")]
            DeliveryKind::CloudPubsub => {
                let block = given(
                    pipeline.and_then(|pipeline| pipeline.cloud_pubsub.as_ref()),
                    "cloud_pubsub",
                )?;
                Ok(Box::new(crate::cloud_pubsub::Topic::new(
                    block,
                    self.cloud_pubsub.clone(),
                )?))
            }
            #[cfg(feature = "rabbitmq")]
            DeliveryKind::Rabbitmq => {
                let block = given(pipeline.and_then(|pipeline| pipeline.rabbitmq.as_ref()), "rabbitmq")?;
                Ok(Box::new(crate::rabbitmq::Exchange::new(block, self.rabbitmq.clone())?))
            }
            #[cfg(feature = "svix")]
            DeliveryKind::Svix => {
                let block = given(pipeline.and_then(|pipeline| pipeline.svix.as_ref()), "svix")?;
                let mut settings = given(self.svix.clone(), "svix")?;
                settings.region = route.pipeline.as_ref().map(|team| team.region);
                Ok(Box::new(crate::svix::Application::new(
                    route.lane.team_id,
                    block,
                    &settings,
                )?))
            }
            kind => Err(left_out(&kind, 0)),
        }
    }
}

#[cfg(any(
    feature = "azure_amqp",
    feature = "cloud_pubsub",
    feature = "rabbitmq",
    feature = "svix"
))]
fn given<T>(block: Option<T>, field: &str) -> Result<T, Unusable> {
    block.ok_or_else(|| Unusable::new(field, "is missing"))
}
