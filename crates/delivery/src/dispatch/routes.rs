//! Routes of the events of each team.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use wearlab_models::{DeliveryKind, Pipeline, Uuid};
use wearlab_store::{TeamPipeline, WebhookEndpoint};

use super::observer::DestinationKey;
use crate::webhook;

/// A destination, with the filters of its events.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Route {
    pub(super) key: DestinationKey,
    /// The team's pipeline. None: all events are sent.
    pub(super) pipeline: Option<Arc<TeamPipeline>>,
    /// The endpoint, of webhooks.
    pub(super) endpoint: Option<WebhookEndpoint>,
    /// True if it is served before the team's others.
    pub(super) preferred: bool,
}

impl Route {
    pub(super) fn pipeline(&self) -> Option<&Pipeline> {
        self.pipeline.as_ref().map(|team| &team.pipeline)
    }
}

/// All destinations: the kinds that pipelines enable, and the built-in webhooks that replace Svix.
pub(super) fn routes(
    pipelines: Vec<TeamPipeline>,
    endpoints: Vec<WebhookEndpoint>,
    has_svix: bool,
    only_webhooks: bool,
    now: DateTime<Utc>,
) -> Vec<Route> {
    let pipelines: HashMap<_, _> = pipelines
        .into_iter()
        .map(|team| (team.pipeline.team_id, Arc::new(team)))
        .collect();
    let webhooks = endpoints.into_iter();
    let mut routes: Vec<_> = webhooks
        .filter_map(|endpoint| webhook_route(endpoint, &pipelines, has_svix, now))
        .collect();
    if !only_webhooks {
        routes.extend(pipelines.into_values().flat_map(|team| of_pipeline(team, has_svix)));
    }
    routes
}

/// The kinds that a pipeline enables, except the built-in webhooks.
fn of_pipeline(team: Arc<TeamPipeline>, has_svix: bool) -> impl Iterator<Item = Route> {
    let enabled = team.pipeline.preferences.enabled.clone().into_iter();
    enabled
        .filter(move |kind| has_svix || *kind != DeliveryKind::Svix)
        .map(move |kind| Route {
            key: DestinationKey {
                team_id: team.pipeline.team_id,
                kind: kind.as_str().to_owned(),
                webhook_id: None,
            },
            preferred: team.pipeline.preferences.preferred == kind,
            pipeline: Some(Arc::clone(&team)),
            endpoint: None,
        })
}

/// Route of an enabled endpoint, with the secrets that are valid at a time.
fn webhook_route(
    mut endpoint: WebhookEndpoint,
    pipelines: &HashMap<Uuid, Arc<TeamPipeline>>,
    has_svix: bool,
    now: DateTime<Utc>,
) -> Option<Route> {
    let team = pipelines.get(&endpoint.team_id);
    let preferences = team.map(|team| &team.pipeline.preferences);
    let serves = preferences.is_none_or(|given| !has_svix && given.enabled.contains(&DeliveryKind::Svix));
    if !serves || endpoint.disabled.is_some() {
        return None;
    }
    (endpoint.secrets).retain(|secret| secret.until.is_none_or(|until| now < until));
    Some(Route {
        key: DestinationKey {
            team_id: endpoint.team_id,
            kind: webhook::KIND.to_owned(),
            webhook_id: Some(endpoint.webhook_id.clone()),
        },
        preferred: preferences.is_none_or(|given| given.preferred == DeliveryKind::Svix),
        pipeline: team.cloned(),
        endpoint: Some(endpoint),
    })
}
