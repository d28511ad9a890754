//! Test messages to destinations, before there are events.

use chrono::{DateTime, Utc};
use wearlab_store::{TeamPipeline, WebhookEndpoint};

use super::kinds::Kinds;
use super::observer::DestinationKey;
use super::routes::routes;
use crate::{Checked, ConfigError, Message};

/// The result of checking one destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedDestination {
    /// The destination.
    pub key: DestinationKey,
    /// The outcome for each of its targets, or why the configuration is invalid.
    pub result: Result<Vec<Checked>, ConfigError>,
}

/// Sends each destination of some teams a test message, which `message` makes. Nothing is retried or saved.
pub async fn check(
    kinds: &Kinds,
    pipelines: Vec<TeamPipeline>,
    endpoints: Vec<WebhookEndpoint>,
    now: DateTime<Utc>,
    message: impl Fn(&DestinationKey) -> Message,
) -> Vec<CheckedDestination> {
    let mut routes = routes(pipelines, endpoints, kinds.has_svix(), kinds.only_webhooks, now);
    routes.sort_by_key(|route| (route.key.team_id, !route.preferred, route.key.clone()));
    let mut checked = Vec::with_capacity(routes.len());
    for route in routes {
        let result = match kinds.destination(&route, now) {
            Ok(destination) => Ok(destination.check(&message(&route.key)).await),
            Err(error) => Err(error),
        };
        let key = route.key;
        checked.push(CheckedDestination { key, result });
    }
    checked
}
