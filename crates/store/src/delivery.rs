//! Destinations of events, and delivery cursors.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_models::{Pipeline, Region, Secret};

use crate::{LoggedEvent, OrganisationId};

/// An endpoint that a team's webhooks are sent to. `Debug` shows no secret.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WebhookEndpoint {
    /// The id of the endpoint.
    pub webhook_id: String,
    /// The team whose events it gets.
    pub team_id: Uuid,
    /// URL of the endpoint.
    pub url: String,
    /// Prefixes of event types to send. Empty for all events.
    pub event_type_prefixes: Vec<String>,
    /// Secrets that sign the webhooks, newest first. An older one stays while both are valid.
    pub secrets: Vec<SigningSecret>,
    /// Time of creation.
    pub created_on: DateTime<Utc>,
    /// Reason why the endpoint is disabled, if it is.
    pub disabled: Option<String>,
}

/// A secret that webhooks are signed with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct SigningSecret {
    /// The secret, such as `whsec_...`.
    pub secret: Secret,
    /// Expiry time. None for the newest secret, which is used until there is a newer one.
    pub until: Option<DateTime<Utc>>,
}

/// The pipeline of a team, with its secrets and the routing data of its events.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamPipeline {
    /// The pipeline.
    pub pipeline: Pipeline,
    /// The team's organisation.
    pub organisation: OrganisationId,
    /// The team's region.
    pub region: Region,
}

/// A destination that the store keeps a cursor of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DestinationId(pub(crate) i64);

/// An event that a destination does not have yet.
#[derive(Clone, Debug)]
pub struct PendingEvent {
    /// The event.
    pub event: LoggedEvent,
    /// Number of attempts so far.
    pub attempts: u32,
    /// True if an earlier event of its user is not delivered yet.
    pub behind: bool,
}

/// Result of processing one event for a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The destination has the event, or does not want events of its kind.
    Done,
    /// The event is retried.
    Waiting {
        /// Number of attempts so far.
        attempts: u32,
        /// Time of the next attempt.
        due: DateTime<Utc>,
        /// Reason of the failure.
        reason: String,
    },
    /// The event waits for an earlier one of its user.
    Held,
    /// The event is not retried until it is replayed.
    Parked {
        /// Number of attempts.
        attempts: u32,
        /// Reason of the failure.
        reason: String,
    },
}

/// Progress of a delivery cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advance {
    /// Results by event number.
    pub results: Vec<(i64, Progress)>,
    /// All events up to this number were processed. 0 if there were no new ones.
    pub cursor: i64,
    /// True if a waiting event holds back the later ones of its user.
    pub ordered: bool,
    /// New reachability of the destination, if it changed.
    pub reachability: Option<Reachability>,
    /// Attempts to record, by event number.
    pub attempts: Vec<(i64, DeliveryAttempt)>,
}

/// An attempt to deliver an event to a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// Number of the attempt since the event was last sent again, from 1.
    pub attempt: u32,
    /// Start time.
    pub attempted_on: DateTime<Utc>,
    /// Duration.
    pub duration: Duration,
    /// Outcome.
    pub outcome: AttemptOutcome,
    /// The status of the HTTP response, if there was one.
    pub status: Option<u16>,
    /// Reason of the failure, in one line without secrets.
    pub reason: Option<String>,
    /// The media type of the response, without its parameters.
    pub content_type: Option<String>,
    /// Content length of the response.
    pub content_length: Option<u64>,
}

/// Outcome of an attempt to deliver an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The destination has the event.
    Delivered,
    /// The attempt failed, and another one follows.
    Failed,
    /// The attempt failed, and none follows.
    Undelivered,
}

/// An attempt to deliver an event, with its destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedAttempt {
    /// The kind of destination.
    pub kind: String,
    /// The webhook, of the kind `webhook`. It may not exist any more.
    pub webhook_id: Option<String>,
    /// The attempt.
    pub attempt: DeliveryAttempt,
}

/// Reachability of a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reachability {
    /// Events are sent.
    Up,
    /// No event can be sent.
    Down {
        /// Reason, in one line without secrets.
        reason: String,
        /// Time of the next attempt.
        next_attempt: DateTime<Utc>,
    },
}

/// A destination that could not be reached when it was last tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Time of the first failure.
    pub since: DateTime<Utc>,
    /// Time of the next attempt. It may be in the past while no process delivers.
    pub next_attempt: DateTime<Utc>,
    /// Reason, in one line without secrets.
    pub reason: String,
}

/// A destination, as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestinationStatus {
    /// The destination.
    pub id: DestinationId,
    /// The team whose events it gets.
    pub team_id: Uuid,
    /// The kind: that of the pipeline, or `webhook`.
    pub kind: String,
    /// The webhook, of the kind `webhook`.
    pub webhook_id: Option<String>,
    /// Current outage, if there is one.
    pub outage: Option<Outage>,
}

/// Change counters. A number that differs from the previous one tells a dispatcher that there is work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Number of the last event of the log.
    pub last_event: i64,
    /// Counter of changes to pipelines and webhook endpoints.
    pub routes: i64,
    /// Counter of replays.
    pub replays: i64,
}

/// An event that a destination does not have yet, as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// Number in the log.
    pub number: i64,
    /// The id of the event.
    pub event_id: String,
    /// Type of the event.
    pub event_type: String,
    /// The team.
    pub team_id: Uuid,
    /// The kind of destination.
    pub kind: String,
    /// The webhook, of the kind `webhook`.
    pub webhook_id: Option<String>,
    /// Number of attempts.
    pub attempts: u32,
    /// Delivery state.
    pub state: DeliveryState,
    /// Reason of the failure.
    pub reason: String,
}

/// Filter of failed deliveries of an organisation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndeliveredFilter<'a> {
    /// Only those of this team.
    pub team_id: Option<Uuid>,
    /// Only those in this state: `waiting`, `held` or `parked`.
    pub state: Option<&'a str>,
    /// Only those after this position, taken from a page.
    pub after: Option<(i64, i64)>,
}

/// Filter of events to send again, and their destinations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayFilter {
    /// Only those of this team.
    pub team_id: Option<Uuid>,
    /// Only those about this user.
    pub user_id: Option<Uuid>,
    /// Only those whose type begins with this.
    pub event_type_prefix: Option<String>,
    /// Only those written at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Only those written before this time.
    pub to: Option<DateTime<Utc>>,
    /// Only those after this position of the log.
    pub after: i64,
    /// Only those up to this position of the log.
    pub up_to: Option<i64>,
    /// Only to these destinations.
    pub target: ReplayTarget,
    /// Only parked events, rather than all that were sent before.
    pub parked: bool,
}

impl ReplayFilter {
    /// Returns whether the filter matches an event of a type, written at a time in nanoseconds.
    pub(crate) fn takes(&self, event_type: &str, created_on: i64) -> bool {
        let written = DateTime::from_timestamp_nanos(created_on);
        (self.event_type_prefix.as_deref()).is_none_or(|prefix| event_type.starts_with(prefix))
            && self.from.is_none_or(|from| written >= from)
            && self.to.is_none_or(|to| written < to)
    }
}

/// Filter of destinations that get events again. All given conditions must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayTarget {
    /// The kind, `webhook` or that of a pipeline.
    pub kind: Option<String>,
    /// The webhook.
    pub webhook_id: Option<String>,
}

/// Position in a selection of events to replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayPosition {
    pub(crate) destination: i64,
    pub(crate) number: i64,
}

impl From<(i64, i64)> for ReplayPosition {
    fn from((destination, number): (i64, i64)) -> Self {
        Self { destination, number }
    }
}

impl From<ReplayPosition> for (i64, i64) {
    fn from(position: ReplayPosition) -> Self {
        (position.destination, position.number)
    }
}

/// Deliveries to repeat. [`Transaction::replay_all`](crate::Transaction::replay_all) schedules them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayPart {
    /// Destinations, with the numbers of events.
    pub(crate) deliveries: Vec<(i64, i64)>,
    pub(crate) parked: bool,
    /// The position to continue from, if there may be more.
    pub next: Option<ReplayPosition>,
}

impl ReplayPart {
    pub(crate) fn of(parked: bool) -> Self {
        Self {
            deliveries: Vec::new(),
            parked,
            next: None,
        }
    }
}

/// Result of reading a selection of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayRead {
    /// A part of the selection.
    Part(ReplayPart),
    /// The organisation has no such team.
    NoTeam,
    /// The organisation, or the team, has no such user.
    NoUser,
}

/// Failed deliveries of an organisation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndeliveredPage {
    /// The events, by destination, and in each by their numbers.
    pub events: Vec<Undelivered>,
    /// The position to continue from, if others follow.
    pub next: Option<(i64, i64)>,
}

/// The destinations of an organisation, with their pipelines and webhook endpoints.
#[derive(Clone, Debug, PartialEq)]
pub struct OrganisationDestinations {
    /// The destinations, by team and kind. Counts of their events stop at 10,000, which means at least that many.
    pub destinations: Vec<DestinationBacklog>,
    /// The pipelines of its teams, with their secrets.
    pub pipelines: Vec<TeamPipeline>,
    /// The endpoints of its teams, with their secrets.
    pub webhooks: Vec<WebhookEndpoint>,
}

/// A destination with its backlog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestinationBacklog {
    /// The destination.
    pub status: DestinationStatus,
    /// The events that it does not have yet.
    pub backlog: Backlog,
    /// Time of the next retry, if an event waits.
    pub next_due: Option<DateTime<Utc>>,
}

/// State of an event that a destination does not have yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// The event is retried at a time.
    Waiting(DateTime<Utc>),
    /// The event is sent after an earlier one of its user.
    Held,
    /// The event is not retried until it is replayed.
    Parked,
}

/// Backlog of a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Number of waiting events, including those that were never tried.
    pub waiting: i64,
    /// Number of parked events.
    pub parked: i64,
    /// Time when the oldest waiting event was written.
    pub oldest: Option<DateTime<Utc>>,
}
