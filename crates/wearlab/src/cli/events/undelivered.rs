//! `wearlab events undelivered`: failed deliveries, and destinations with a backlog.

use anyhow::Result;
use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;
use wearlab_models::{self as models, DestinationStatus, UndeliveredEvent, UndeliveredState};

use crate::cli::output::{age, print_line, time};
use crate::cli::session::{ApiArgs, OrgArg, Organisation, Session};
use crate::cli::table::{Format, Row};

/// Page size, in events.
const PAGE: usize = 500;

/// Limit of the counts of a destination's events.
const MAX_COUNT: i64 = 10_000;

#[derive(clap::Args)]
pub(in crate::cli) struct List {
    /// Only events and destinations of this team.
    #[arg(long, value_name = "UUID")]
    team: Option<Uuid>,
    /// Maximum number of events.
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    org: OrgArg,
    #[command(flatten)]
    api: ApiArgs,
}

/// Writes the failed deliveries, and then the destinations that have a backlog.
pub(super) async fn list(options: List) -> Result<()> {
    let List {
        team,
        limit,
        format,
        org,
        api,
    } = options;
    let session = api.listing_session().await?;
    let (mut events, mut behind) = (Vec::new(), Vec::new());
    for owner in session.organisations_with(team, org.id()).await? {
        let failed = failed_deliveries(&session, &owner, team, limit - events.len()).await?;
        let destinations = destinations(&session, &owner, team).await?;
        let now = wearlab_clock::now();
        events.extend(failed.iter().map(|event| {
            let of = destinations.iter().find(|destination| is_of(event, destination));
            Event::new(event, of)
        }));
        let lacking = destinations.into_iter().filter(|of| of.waiting > 0 || of.parked > 0);
        behind.extend(lacking.map(|of| Destination::new(of, &failed, now)));
    }
    format.head::<Event>()?;
    format.rows(events)?;
    if behind.is_empty() {
        return Ok(());
    }
    if !format.is_json() {
        print_line("")?;
    }
    format.head::<Destination>()?;
    format.rows(behind)
}

async fn failed_deliveries(
    session: &Session,
    owner: &Organisation,
    team: Option<Uuid>,
    limit: usize,
) -> Result<Vec<UndeliveredEvent>> {
    let (mut events, mut cursor) = (Vec::new(), None::<String>);
    while events.len() < limit {
        let page = i64::try_from(PAGE.min(limit - events.len()))?;
        let mut call = owner.client.list_undelivered(&owner.id).limit(page);
        if let Some(team) = team {
            call = call.team_id(team);
        }
        if let Some(cursor) = &cursor {
            call = call.next_cursor(cursor);
        }
        let page = call.send().await;
        let page = page.map_err(|error| session.failed("list the undelivered events", &error))?;
        let page = page.into_inner();
        events.extend(page.undelivered);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(events)
}

async fn destinations(session: &Session, owner: &Organisation, team: Option<Uuid>) -> Result<Vec<models::Destination>> {
    let mut call = owner.client.list_destinations(&owner.id);
    if let Some(team) = team {
        call = call.team_id(team);
    }
    let listed = call.send().await;
    let listed = listed.map_err(|error| session.failed("list the destinations", &error))?;
    Ok(listed.into_inner().destinations)
}

fn is_of(event: &UndeliveredEvent, destination: &models::Destination) -> bool {
    (event.team_id, &event.kind, &event.webhook_id) == (destination.team_id, &destination.kind, &destination.webhook_id)
}

/// Failed delivery.
#[derive(Serialize)]
#[serde(rename_all = "snake_case", tag = "row", rename = "event")]
struct Event {
    event_id: String,
    event_type: String,
    team_id: Uuid,
    kind: String,
    webhook_id: Option<String>,
    attempts: i64,
    state: String,
    next_attempt: Option<DateTime<Utc>>,
    reason: String,
}

impl Event {
    fn new(event: &UndeliveredEvent, destination: Option<&models::Destination>) -> Self {
        let stopped = destination.map(|of| &of.status).filter(|status| is_stopped(status));
        let (state, next_attempt) = match (&event.state, stopped) {
            // No attempt is due: the destination stays stopped until someone changes that.
            (UndeliveredState::Waiting | UndeliveredState::Held, Some(status)) => (spaced(status), None),
            (state, _) => (state.as_str().to_owned(), event.due.map(|due| due.to_utc())),
        };
        Self {
            event_id: event.event_id.clone(),
            event_type: event.event_type.clone(),
            team_id: event.team_id,
            kind: event.kind.clone(),
            webhook_id: event.webhook_id.clone(),
            attempts: event.attempts,
            state,
            next_attempt,
            reason: event.reason.clone(),
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
        let again = self.next_attempt.map_or_else(|| self.state.clone(), time);
        format!("{event_id:36}  {endpoint:35}  {attempts:>8}  {again:20}  {event_type}: {reason}")
    }
}

/// Destination with a backlog.
#[derive(Serialize)]
#[serde(rename_all = "snake_case", tag = "row", rename = "destination")]
struct Destination {
    team_id: Uuid,
    kind: String,
    webhook_id: Option<String>,
    state: State,
    /// Events that are not delivered yet.
    backlog: i64,
    parked: i64,
    oldest: Option<DateTime<Utc>>,
    oldest_seconds: Option<i64>,
    since: Option<DateTime<Utc>>,
    next_attempt: Option<DateTime<Utc>>,
    reason: String,
}

/// State of a backlog.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// Events are being delivered, or no process delivers.
    Waiting,
    /// Only parked events are left.
    Parked,
    /// Delivery is stopped or failing.
    #[serde(untagged)]
    Status(DestinationStatus),
}

/// Returns whether delivery to a destination is stopped.
fn is_stopped(status: &DestinationStatus) -> bool {
    use DestinationStatus::{Disabled, NotEnabled, Unusable};
    matches!(status, Disabled | NotEnabled | Unusable)
}

/// Formats a status for tables.
fn spaced(status: &DestinationStatus) -> String {
    status.as_str().replace('_', " ")
}

impl Destination {
    fn new(of: models::Destination, failed: &[UndeliveredEvent], now: DateTime<Utc>) -> Self {
        let retried = |event: &&UndeliveredEvent| event.state == UndeliveredState::Waiting && is_of(event, &of);
        let (state, reason) = match (&of.status, of.waiting) {
            (DestinationStatus::Up, 0) => (
                State::Parked,
                "parked: see above, and `wearlab events replay --parked`".to_owned(),
            ),
            (DestinationStatus::Up, _) => {
                let retried = failed.iter().find(retried);
                (
                    State::Waiting,
                    retried.map(|event| event.reason.clone()).unwrap_or_default(),
                )
            }
            (status, _) => (State::Status(status.clone()), of.reason.unwrap_or_default()),
        };
        let oldest = of.oldest.map(|oldest| oldest.to_utc());
        Self {
            team_id: of.team_id,
            kind: of.kind,
            webhook_id: of.webhook_id,
            state,
            backlog: of.waiting,
            parked: of.parked,
            oldest,
            oldest_seconds: oldest.map(|oldest| (now - oldest).num_seconds().max(0)),
            since: of.since.map(|since| since.to_utc()),
            next_attempt: of.next_attempt.map(|next| next.to_utc()),
            reason,
        }
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
        let Self { team_id, reason, .. } = self;
        let endpoint = self.webhook_id.as_ref().unwrap_or(&self.kind);
        let state = match &self.state {
            State::Waiting => "waiting".to_owned(),
            State::Parked => "parked".to_owned(),
            State::Status(status) => spaced(status),
        };
        let [backlog, parked] = [self.backlog, self.parked].map(counted);
        let oldest = self.oldest_seconds.map_or_else(|| "-".to_owned(), age);
        let next = self.next_attempt.map_or_else(|| "-".to_owned(), time);
        let line = format!(
            "{team_id:36}  {endpoint:35}  {state:11}  {backlog:>8}  {parked:>6}  {oldest:>10}  {next:20}  {reason}"
        );
        line.trim_end().to_owned()
    }
}

/// Formats a count for tables. At the limit, there may be more.
fn counted(count: i64) -> String {
    match count < MAX_COUNT {
        true => count.to_string(),
        false => format!("{count}+"),
    }
}
