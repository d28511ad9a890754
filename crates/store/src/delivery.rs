//! Where events go, and how far they came.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_models::{Pipeline, Region, Secret};

use crate::{LoggedEvent, OrganisationId};

/// An endpoint that a team's webhooks are sent to. `Debug` shows no secret.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WebhookEndpoint {
    /// What names it.
    pub webhook_id: String,
    /// The team whose events it gets.
    pub team_id: Uuid,
    /// Its address.
    pub url: String,
    /// What the types of its events begin with; all events, where there is none.
    pub event_type_prefixes: Vec<String>,
    /// What its webhooks are signed with: the newest first, and an older one for as long as both are good.
    pub secrets: Vec<SigningSecret>,
    /// When it was added.
    pub created_on: DateTime<Utc>,
    /// Why no more webhooks are sent to it, if so.
    pub disabled: Option<String>,
}

/// A secret that webhooks are signed with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct SigningSecret {
    /// The secret, such as `whsec_...`.
    pub secret: Secret,
    /// When it is no longer used; the newest is used until there is a newer one.
    pub until: Option<DateTime<Utc>>,
}

/// The pipeline of a team, with its secrets, and what else decides where its events go.
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
    /// How often it was tried.
    pub attempts: u32,
    /// True if an earlier event of its user is still to be sent.
    pub behind: bool,
}

/// How it went with one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The destination has it, or does not want events of its kind.
    Done,
    /// It is to be tried again.
    Waiting {
        /// How often it was tried.
        attempts: u32,
        /// When to try again.
        due: DateTime<Utc>,
        /// Why it failed.
        reason: String,
    },
    /// It waits for an earlier one of its user.
    Held,
    /// It is tried no more, until somebody asks for it.
    Parked {
        /// How often it was tried.
        attempts: u32,
        /// Why it failed.
        reason: String,
    },
}

/// How far a destination came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advance {
    /// How it went with events, by their numbers.
    pub results: Vec<(i64, Progress)>,
    /// All events up to this number were looked at; 0 where no new ones were.
    pub cursor: i64,
    /// True if an event that waits holds back the later ones of its user.
    pub ordered: bool,
    /// True if the destination can be reached, where that changed.
    pub reachability: Option<Reachability>,
    /// Attempts to keep, by the numbers of their events.
    pub attempts: Vec<(i64, DeliveryAttempt)>,
}

/// An attempt to deliver an event to a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// Which one it was since the event was last sent again, from 1.
    pub attempt: u32,
    /// When it began.
    pub attempted_on: DateTime<Utc>,
    /// How long it took.
    pub duration: Duration,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// The status of the HTTP response, if there was one.
    pub status: Option<u16>,
    /// Why it failed, in one line without secrets.
    pub reason: Option<String>,
    /// The media type of the response, without its parameters.
    pub content_type: Option<String>,
    /// How long the content of the response was.
    pub content_length: Option<u64>,
}

/// How an attempt to deliver an event ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The destination has the event.
    Delivered,
    /// It failed, and another one follows.
    Failed,
    /// It failed, and none follows.
    Undelivered,
}

/// An attempt to deliver an event, and where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedAttempt {
    /// The kind of destination.
    pub kind: String,
    /// The webhook, of the kind `webhook`. It may not exist any more.
    pub webhook_id: Option<String>,
    /// The attempt.
    pub attempt: DeliveryAttempt,
}

/// Whether a destination can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reachability {
    /// Events go out.
    Up,
    /// No event can be sent.
    Down {
        /// Why, in one line without secrets.
        reason: String,
        /// When it is tried again.
        next_attempt: DateTime<Utc>,
    },
}

/// A destination that could not be reached when it was last tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When that was found first.
    pub since: DateTime<Utc>,
    /// When it is tried again. In the past where nothing delivers.
    pub next_attempt: DateTime<Utc>,
    /// Why, in one line without secrets.
    pub reason: String,
}

/// A destination, as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestinationStatus {
    /// The destination.
    pub id: DestinationId,
    /// The team whose events it gets.
    pub team_id: Uuid,
    /// Its kind: that of the pipeline, or `webhook`.
    pub kind: String,
    /// The webhook, of the kind `webhook`.
    pub webhook_id: Option<String>,
    /// Why nothing can be sent there, if so.
    pub outage: Option<Outage>,
}

/// Shows a dispatcher that it has something to do: a number that differs from before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The last event of the log.
    pub last_event: i64,
    /// Pipelines and endpoints of webhooks.
    pub routes: i64,
    /// Events that are to be sent again.
    pub replays: i64,
}

/// An event that a destination does not have, as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// Its number in the log.
    pub number: i64,
    /// The id of the event.
    pub event_id: String,
    /// Its type.
    pub event_type: String,
    /// The team.
    pub team_id: Uuid,
    /// The kind of destination.
    pub kind: String,
    /// The webhook, of the kind `webhook`.
    pub webhook_id: Option<String>,
    /// How often it was tried.
    pub attempts: u32,
    /// What becomes of it.
    pub state: DeliveryState,
    /// Why it failed.
    pub reason: String,
}

/// Which failed deliveries of an organisation to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndeliveredFilter<'a> {
    /// Only those of this team.
    pub team_id: Option<Uuid>,
    /// Only those in this state: `waiting`, `held` or `parked`.
    pub state: Option<&'a str>,
    /// Only those behind this position, which a page said.
    pub after: Option<(i64, i64)>,
}

/// Which events to send again, and where to.
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
    /// Only those behind this position of the log.
    pub after: i64,
    /// Only those up to this position of the log.
    pub up_to: Option<i64>,
    /// Only to these destinations.
    pub target: ReplayTarget,
    /// Only those that are parked, rather than all that were sent before.
    pub parked: bool,
}

impl ReplayFilter {
    /// Returns whether an event of a type, written at a time in nanoseconds, is one of them.
    pub(crate) fn takes(&self, event_type: &str, created_on: i64) -> bool {
        let written = DateTime::from_timestamp_nanos(created_on);
        (self.event_type_prefix.as_deref()).is_none_or(|prefix| event_type.starts_with(prefix))
            && self.from.is_none_or(|from| written >= from)
            && self.to.is_none_or(|to| written < to)
    }
}

/// Which destinations get events again. Those that have all that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayTarget {
    /// The kind, `webhook` or that of a pipeline.
    pub kind: Option<String>,
    /// The webhook.
    pub webhook_id: Option<String>,
}

/// How far a selection of events was read.
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

/// Deliveries to repeat, as they were read: [`Transaction::replay_all`](crate::Transaction::replay_all) has them sent
/// again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayPart {
    /// Destinations, with the numbers of events.
    pub(crate) deliveries: Vec<(i64, i64)>,
    pub(crate) parked: bool,
    /// Where to continue, if there may be more.
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

/// What was read of a selection of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayRead {
    /// A part of it.
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
    /// The position to continue from, where others follow.
    pub next: Option<(i64, i64)>,
}

/// The destinations of an organisation, and what decides which events go there.
#[derive(Clone, Debug, PartialEq)]
pub struct OrganisationDestinations {
    /// The destinations, by team and kind. No count of their events is above 10,000: it is then at least that many.
    pub destinations: Vec<DestinationBacklog>,
    /// The pipelines of its teams, with their secrets.
    pub pipelines: Vec<TeamPipeline>,
    /// The endpoints of its teams, with their secrets.
    pub webhooks: Vec<WebhookEndpoint>,
}

/// A destination, and how far it is behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestinationBacklog {
    /// The destination.
    pub status: DestinationStatus,
    /// What it does not have.
    pub backlog: Backlog,
    /// When the next event is to be sent again, if one waits.
    pub next_due: Option<DateTime<Utc>>,
}

/// What becomes of an event that a destination does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is tried again at a time.
    Waiting(DateTime<Utc>),
    /// It is sent after an earlier one of its user.
    Held,
    /// It is tried no more, until somebody asks for it.
    Parked,
}

/// How far a destination is behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Events that wait, those that were never tried among them.
    pub waiting: i64,
    /// Events that are tried no more.
    pub parked: i64,
    /// When the oldest event that waits was written.
    pub oldest: Option<DateTime<Utc>>,
}
