//! `wearlab events undelivered`: which events destinations do not have, and which destinations are behind.

use anyhow::Result;
use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;
use wearlab_delivery::webhook::KIND;
use wearlab_delivery::{ConfigError, DestinationKey, Kinds, misconfigured};
use wearlab_models::DeliveryKind;
use wearlab_store::{DeliveryState, DestinationStatus, Store, TeamPipeline, Undelivered, WebhookEndpoint};

use crate::administration::destinations::next_attempt;
use crate::cli::output::{age, print_line, time};
use crate::cli::store_args::failed;
use crate::cli::table::{Format, Row};

/// Writes the failed deliveries, and then the destinations that have a backlog.
pub(super) async fn run(
    store: &Store,
    kinds: Option<&Kinds>,
    team: Option<Uuid>,
    limit: usize,
    format: Format,
    now: DateTime<Utc>,
) -> Result<()> {
    let events = store.undelivered(limit).await.map_err(failed)?;
    let destinations = behind(store, kinds, &events, team, now).await?;
    format.head::<Event>()?;
    let events = events
        .into_iter()
        .filter(|event| team.is_none_or(|team| event.team_id == team));
    format.rows(events.map(|event| {
        let of = destinations.iter().find(|destination| destination.is_of(&event));
        Event::new(event, of.map(|destination| destination.state))
    }))?;
    if destinations.is_empty() {
        return Ok(());
    }
    if !format.is_json() {
        print_line("")?;
    }
    format.head::<Destination>()?;
    format.rows(destinations)
}

/// An event that a destination does not have.
#[derive(Serialize)]
#[serde(rename_all = "snake_case", tag = "row", rename = "event")]
struct Event {
    event_id: String,
    event_type: String,
    team_id: Uuid,
    kind: String,
    webhook_id: Option<String>,
    attempts: u32,
    state: &'static str,
    next_attempt: Option<DateTime<Utc>>,
    reason: String,
}

impl Event {
    fn new(event: Undelivered, destination: Option<State>) -> Self {
        let (state, next_attempt) = match event.state {
            // Nothing is sent there until somebody changes that.
            DeliveryState::Waiting(_) | DeliveryState::Held if destination.is_some_and(State::is_stopped) => {
                (destination.map_or("waiting", State::as_str), None)
            }
            DeliveryState::Waiting(due) => ("waiting", Some(due)),
            DeliveryState::Held => ("held", None),
            DeliveryState::Parked => ("parked", None),
        };
        Self {
            event_id: event.event_id,
            event_type: event.event_type,
            team_id: event.team_id,
            kind: event.kind,
            webhook_id: event.webhook_id,
            attempts: event.attempts,
            state,
            next_attempt,
            reason: event.reason,
        }
    }
}

impl Row for Event {
    fn head() -> String {
        format!(
            "{:36}  {:35}  {:>8}  {:20}  type: reason",
            "id", "destination", "attempts", "again"
        )
    }

    fn line(&self) -> String {
        let Self {
            event_id,
            event_type,
            attempts,
            reason,
            ..
        } = self;
        let endpoint = self.webhook_id.as_ref().unwrap_or(&self.kind);
        let again = self.next_attempt.map_or_else(|| self.state.to_owned(), time);
        format!("{event_id:36}  {endpoint:35}  {attempts:>8}  {again:20}  {event_type}: {reason}")
    }
}

/// A destination that is behind.
#[derive(Serialize)]
#[serde(rename_all = "snake_case", tag = "row", rename = "destination")]
struct Destination {
    team_id: Uuid,
    kind: String,
    webhook_id: Option<String>,
    state: State,
    /// Events that it does not have yet.
    backlog: i64,
    parked: i64,
    oldest: Option<DateTime<Utc>>,
    oldest_seconds: Option<i64>,
    since: Option<DateTime<Utc>>,
    next_attempt: Option<DateTime<Utc>>,
    reason: String,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// It could not be reached when it was last tried.
    Down,
    /// Its configuration is invalid.
    Unusable,
    /// The endpoint is disabled.
    Disabled,
    /// The pipeline does not enable its kind.
    NotEnabled,
    /// Events go out, or nothing delivers.
    Waiting,
    /// Only events that are parked are left.
    Parked,
}

impl State {
    /// Whether nothing is sent there.
    fn is_stopped(self) -> bool {
        matches!(self, Self::Unusable | Self::Disabled | Self::NotEnabled)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Unusable => "unusable",
            Self::Disabled => "disabled",
            Self::NotEnabled => "not enabled",
            Self::Waiting => "waiting",
            Self::Parked => "parked",
        }
    }
}

impl Destination {
    fn is_of(&self, event: &Undelivered) -> bool {
        (self.team_id, &self.kind, &self.webhook_id) == (event.team_id, &event.kind, &event.webhook_id)
    }
}

impl Row for Destination {
    fn head() -> String {
        format!(
            "{:36}  {:35}  {:11}  {:>8}  {:>6}  {:>10}  {:20}  reason",
            "team", "destination", "state", "backlog", "parked", "oldest", "next attempt"
        )
    }

    fn line(&self) -> String {
        let Self {
            team_id,
            backlog,
            parked,
            reason,
            ..
        } = self;
        let endpoint = self.webhook_id.as_ref().unwrap_or(&self.kind);
        let state = self.state.as_str();
        let oldest = self.oldest_seconds.map_or_else(|| "-".to_owned(), age);
        let next = self.next_attempt.map_or_else(|| "-".to_owned(), time);
        let line = format!(
            "{team_id:36}  {endpoint:35}  {state:11}  {backlog:>8}  {parked:>6}  {oldest:>10}  {next:20}  {reason}"
        );
        line.trim_end().to_owned()
    }
}

/// The destinations that do not have everything.
async fn behind(
    store: &Store,
    kinds: Option<&Kinds>,
    events: &[Undelivered],
    team: Option<Uuid>,
    now: DateTime<Utc>,
) -> Result<Vec<Destination>> {
    let pipelines = store.all_pipelines().await.map_err(failed)?;
    let webhooks = store.webhooks().await.map_err(failed)?;
    let unusable = kinds.map(|kinds| misconfigured(kinds, pipelines.clone(), webhooks.clone(), now));
    let unusable = unusable.unwrap_or_default();
    let mut behind = Vec::new();
    for known in store.destinations().await.map_err(failed)? {
        if team.is_some_and(|team| known.team_id != team) {
            continue;
        }
        let backlog = store.backlog(known.id).await.map_err(failed)?;
        if backlog.waiting == 0 && backlog.parked == 0 {
            continue;
        }
        let next_due = store.next_due(known.id).await.map_err(failed)?;
        let outage = known.outage.clone();
        let next_attempt = next_attempt(&known, next_due);
        let (state, mut reason) = state(&known, &pipelines, &webhooks, &unusable, backlog.waiting);
        if matches!(state, State::Waiting)
            && let Some(failed) = events.iter().find(|event| is_retried(event, &known))
        {
            reason.clone_from(&failed.reason);
        }
        let works = matches!(state, State::Down | State::Waiting);
        behind.push(Destination {
            team_id: known.team_id,
            kind: known.kind,
            webhook_id: known.webhook_id,
            state,
            backlog: backlog.waiting,
            parked: backlog.parked,
            oldest: backlog.oldest,
            oldest_seconds: backlog.oldest.map(|oldest| (now - oldest).num_seconds().max(0)),
            since: outage.map(|outage| outage.since),
            next_attempt: next_attempt.filter(|_| works),
            reason,
        });
    }
    Ok(behind)
}

/// Whether an event waits for another attempt at a destination.
fn is_retried(event: &Undelivered, destination: &DestinationStatus) -> bool {
    let of = (event.team_id, &event.kind, &event.webhook_id);
    matches!(event.state, DeliveryState::Waiting(_))
        && of == (destination.team_id, &destination.kind, &destination.webhook_id)
}

/// What becomes of a destination's backlog, and why.
fn state(
    known: &DestinationStatus,
    pipelines: &[TeamPipeline],
    webhooks: &[WebhookEndpoint],
    unusable: &[(DestinationKey, ConfigError)],
    waiting: i64,
) -> (State, String) {
    let pipeline = pipelines.iter().find(|of| of.pipeline.team_id == known.team_id);
    let pipeline = pipeline.map(|of| &of.pipeline);
    let endpoint = webhooks
        .iter()
        .find(|of| Some(&of.webhook_id) == known.webhook_id.as_ref());
    // Endpoints are of the kind that pipelines call svix; a team without a pipeline gets all events.
    let kind = match known.kind.as_str() {
        KIND => DeliveryKind::Svix,
        kind => DeliveryKind::from(kind),
    };
    let enabled = pipeline.map_or(known.kind == KIND, |given| given.preferences.enabled.contains(&kind));
    if let Some(reason) = endpoint.and_then(|endpoint| endpoint.disabled.clone()) {
        return (State::Disabled, reason);
    }
    if !enabled {
        return (
            State::NotEnabled,
            "the team's pipeline does not enable this kind".to_owned(),
        );
    }
    let of = (known.team_id, &known.kind, &known.webhook_id);
    let mut unusable = unusable.iter();
    if let Some((_, error)) = unusable.find(|(key, _)| (key.team_id, &key.kind, &key.webhook_id) == of) {
        return (State::Unusable, error.to_string());
    }
    if let Some(outage) = &known.outage {
        return (State::Down, outage.reason.clone());
    }
    match waiting {
        0 => (
            State::Parked,
            "parked: see above, and `wearlab events replay --parked`".to_owned(),
        ),
        _ => (State::Waiting, String::new()),
    }
}
