//! Checks of destinations: their configuration, and test messages to them.

use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::{StreamExt, stream};
use tokio::time::timeout;
use wearlab_store::{TeamPipeline, WebhookEndpoint};

use super::observer::DestinationKey;
use super::routes::{Route, routes};
use crate::kinds::Kinds;
use crate::reason::Reason;
use crate::{Checked, ConfigError, Message, Outcome};

/// Maximum number of destinations that are checked concurrently.
const AT_ONCE: usize = 64;
/// Timeout of one: longer than any destination waits for its responses.
const LONGEST: Duration = Duration::from_secs(45);

/// The result of checking one destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedDestination {
    /// The destination.
    pub key: DestinationKey,
    /// The outcome for each of its targets, or the error of the configuration.
    pub result: Result<Vec<Checked>, ConfigError>,
}

/// Sends each destination of some teams a test message by `message`. Nothing is retried or saved.
pub async fn check(
    kinds: &Kinds,
    pipelines: Vec<TeamPipeline>,
    endpoints: Vec<WebhookEndpoint>,
    now: DateTime<Utc>,
    message: impl Fn(&DestinationKey) -> Message,
) -> Vec<CheckedDestination> {
    let routes = sorted(kinds, pipelines, endpoints, now);
    // Concurrently: an unreachable destination takes until its timeout.
    let checks = routes.into_iter().map(async |route| {
        let result = match kinds.destination(&route, now) {
            Ok(destination) => {
                let message = message(&route.key);
                let checked = timeout(LONGEST, destination.check(&message)).await;
                Ok(checked.unwrap_or_else(|_| vec![unanswered(&route.key)]))
            }
            Err(error) => Err(error),
        };
        CheckedDestination { key: route.key, result }
    });
    stream::iter(checks).buffered(AT_ONCE).collect().await
}

/// The result of a destination after its timeout.
fn unanswered(key: &DestinationKey) -> Checked {
    let reason = Reason::new(format!("no response within {} seconds", LONGEST.as_secs()));
    Checked {
        target: key.kind.clone(),
        outcome: Outcome::Retry {
            reason,
            not_before: None,
        },
    }
}

/// The destinations with an invalid configuration, and its errors. Nothing is sent.
pub fn misconfigured(
    kinds: &Kinds,
    pipelines: Vec<TeamPipeline>,
    endpoints: Vec<WebhookEndpoint>,
    now: DateTime<Utc>,
) -> Vec<(DestinationKey, ConfigError)> {
    let routes = sorted(kinds, pipelines, endpoints, now).into_iter();
    routes
        .filter_map(|route| {
            let error = kinds.destination(&route, now).err()?;
            Some((route.key, error))
        })
        .collect()
}

/// All routes, those of a team together, with the preferred one first.
fn sorted(
    kinds: &Kinds,
    pipelines: Vec<TeamPipeline>,
    endpoints: Vec<WebhookEndpoint>,
    now: DateTime<Utc>,
) -> Vec<Route> {
    let mut routes = routes(pipelines, endpoints, kinds.has_svix(), kinds.only_webhooks, now);
    routes.sort_by_key(|route| (route.key.team_id, !route.preferred, route.key.clone()));
    routes
}
