//! State of destinations: whether events are delivered, and the reason if not.

use chrono::{DateTime, Utc};
use wearlab_delivery::webhook::KIND;
use wearlab_delivery::{ConfigError, DestinationKey, Kinds, misconfigured};
use wearlab_models::{DeliveryKind, DestinationStatus as Status};
use wearlab_store::{DestinationBacklog, DestinationStatus, OrganisationDestinations, TeamPipeline, WebhookEndpoint};

/// A destination with its delivery state.
pub struct Described {
    /// Undelivered events.
    pub backlog: DestinationBacklog,
    /// State of the destination.
    pub status: Status,
    /// Reason why nothing is delivered, if so.
    pub reason: Option<String>,
    /// Time of the next attempt, if one is due.
    pub next_attempt: Option<DateTime<Utc>>,
}

/// Describes destinations. Without `kinds`, none is reported as unusable. A demo (`is_demo`) sends webhooks alone.
pub fn describe(
    listed: OrganisationDestinations,
    kinds: Option<&Kinds>,
    is_demo: bool,
    now: DateTime<Utc>,
) -> Vec<Described> {
    let OrganisationDestinations {
        destinations,
        pipelines,
        webhooks,
    } = listed;
    let unusable = kinds.map(|kinds| misconfigured(kinds, pipelines.clone(), webhooks.clone(), now));
    let routes = Routes {
        pipelines,
        webhooks,
        unusable: unusable.unwrap_or_default(),
        is_demo,
    };
    let described = destinations.into_iter().map(|known| {
        let (status, reason) = routes.status(&known.status);
        let works = matches!(status, Status::Up | Status::Down);
        Described {
            next_attempt: next_attempt(&known).filter(|_| works),
            backlog: known,
            status,
            reason,
        }
    });
    described.collect()
}

/// Settings that decide whether events are delivered to a destination.
struct Routes {
    pipelines: Vec<TeamPipeline>,
    webhooks: Vec<WebhookEndpoint>,
    unusable: Vec<(DestinationKey, ConfigError)>,
    is_demo: bool,
}

impl Routes {
    /// Returns the status of a destination, with the reason.
    fn status(&self, known: &DestinationStatus) -> (Status, Option<String>) {
        if let Some(reason) = self.disabled(known) {
            return (Status::Disabled, Some(reason));
        }
        if self.is_demo && known.kind != KIND {
            let reason = "a demo sends to webhooks alone: the hosts of its sample pipelines do not exist";
            return (Status::NotEnabled, Some(reason.to_owned()));
        }
        if !self.enables(known) {
            let reason = "the team's pipeline does not enable this kind";
            return (Status::NotEnabled, Some(reason.to_owned()));
        }
        let of = (known.team_id, &known.kind, &known.webhook_id);
        let mut unusable = self.unusable.iter();
        if let Some((_, error)) = unusable.find(|(key, _)| (key.team_id, &key.kind, &key.webhook_id) == of) {
            return (Status::Unusable, Some(error.to_string()));
        }
        match &known.outage {
            Some(outage) => (Status::Down, Some(outage.reason.clone())),
            None => (Status::Up, None),
        }
    }

    /// Returns the reason why its endpoint is disabled, if so.
    fn disabled(&self, known: &DestinationStatus) -> Option<String> {
        let id = known.webhook_id.as_ref()?;
        let endpoint = self.webhooks.iter().find(|of| of.webhook_id == *id)?;
        endpoint.disabled.clone()
    }

    /// Returns whether the team's pipeline enables its kind.
    fn enables(&self, known: &DestinationStatus) -> bool {
        // Pipelines name the kind of endpoints `svix`. A team without a pipeline gets all events.
        let kind = match known.kind.as_str() {
            KIND => DeliveryKind::Svix,
            kind => DeliveryKind::from(kind),
        };
        let pipeline = self.pipelines.iter().find(|of| of.pipeline.team_id == known.team_id);
        pipeline.map_or(known.kind == KIND, |of| of.pipeline.preferences.enabled.contains(&kind))
    }
}

/// Returns the time of the next attempt to a destination that is enabled.
fn next_attempt(known: &DestinationBacklog) -> Option<DateTime<Utc>> {
    // Brokers have one retry for all events; webhooks have one for each event.
    match &known.status.outage {
        Some(outage) if known.status.kind != KIND => Some(outage.next_attempt),
        _ => known.next_due,
    }
}
