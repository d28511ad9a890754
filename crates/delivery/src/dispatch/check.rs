//! Whether destinations take events, before there are any.

use chrono::{DateTime, Utc};
use wearlab_store::{TeamPipeline, WebhookEndpoint};

use super::routes::routes;
use super::{Kinds, Lane};
use crate::{Checked, ConfigError, Message};

/// What a check of one destination found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLane {
    /// The destination.
    pub lane: Lane,
    /// How the test message went to each of its targets, or why there is no such destination.
    pub result: Result<Vec<Checked>, ConfigError>,
}

/// Sends each destination of some teams a test message, which `message` makes, and says what became of it. Nothing is
/// tried twice, and nothing is written down.
pub async fn check(
    kinds: &Kinds,
    pipelines: Vec<TeamPipeline>,
    endpoints: Vec<WebhookEndpoint>,
    now: DateTime<Utc>,
    message: impl Fn(&Lane) -> Message,
) -> Vec<CheckedLane> {
    let mut routes = routes(pipelines, endpoints, kinds, now);
    routes.sort_by_key(|route| (route.lane.team_id, !route.preferred, route.lane.clone()));
    let mut checked = Vec::with_capacity(routes.len());
    for route in routes {
        let result = match kinds.destination(&route, now) {
            Ok(destination) => Ok(destination.check(&message(&route.lane)).await),
            Err(unusable) => Err(unusable),
        };
        let lane = route.lane;
        checked.push(CheckedLane { lane, result });
    }
    checked
}
