//! Destinations of routes.

use chrono::{DateTime, Utc};
use wearlab_models::DeliveryKind;

use super::routes::Route;
use crate::kinds::Kinds;
use crate::kinds::kind::Target;
use crate::webhook::Webhook;
use crate::{ConfigError, Destination};

impl Kinds {
    /// Returns whether a Svix server is configured, so that the built-in webhooks do not replace it.
    pub(super) fn has_svix(&self) -> bool {
        self.svix.is_some()
    }

    /// The destination of a route.
    pub(super) fn destination(&self, route: &Route, now: DateTime<Utc>) -> Result<Box<dyn Destination>, ConfigError> {
        match (&route.endpoint, route.pipeline()) {
            (Some(endpoint), _) => {
                let webhook = Webhook::of_endpoint(&self.webhooks, endpoint, now);
                Ok(Box::new(webhook.map_err(|error| ConfigError::new("webhook", error))?))
            }
            (None, Some(pipeline)) => {
                let target = Target {
                    team_id: route.key.team_id,
                    team: route.pipeline.as_deref(),
                    egress: &self.egress,
                };
                self.connect(&DeliveryKind::from(route.key.kind.as_str()), pipeline, &target)
            }
            (None, None) => Err(ConfigError::new("pipeline", "is missing")),
        }
    }
}
