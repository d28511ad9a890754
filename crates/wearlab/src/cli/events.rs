//! `wearlab events`: the event log.

use std::time::Duration;

use anyhow::{Result, bail};
use wearlab_models::Uuid;
use wearlab_store::{DeliveryState, EventFilter, LoggedEvent, Store};

use super::output::{say, time};
use super::place::{Place, failed};
use crate::clock;

/// How many events are read at once.
const PAGE: usize = 500;
/// How often a tail looks for new events.
const LOOK: Duration = Duration::from_millis(300);

/// The event log.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// List events, oldest first.
    List(List),
    /// Print an event as it is in the log, with all that a pipeline can ask for.
    Show {
        /// The id of the event.
        event_id: String,
        #[command(flatten)]
        place: Place,
    },
    /// List events that destinations do not have: those that are tried again, those that are held by an earlier one of
    /// their user, and those that are parked.
    Undelivered {
        /// At most so many.
        #[arg(long, value_name = "N", default_value_t = 100)]
        limit: usize,
        #[command(flatten)]
        place: Place,
    },
    /// Send an event again, to all destinations that it was sent to before, or all that are parked.
    Replay(Replay),
    /// Say that the clock is right, after a jump or a time without the service, so that what became old meanwhile is
    /// deleted. Running services do it within the hour.
    AcceptClock {
        #[command(flatten)]
        place: Place,
    },
    /// List new events as they come.
    Tail {
        /// Only those of this team.
        #[arg(long, value_name = "UUID")]
        team: Option<Uuid>,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(clap::Args)]
pub(super) struct List {
    /// Only those of this team.
    #[arg(long, value_name = "UUID")]
    team: Option<Uuid>,
    /// Only those after this number of the log.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    after: i64,
    /// At most so many.
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    #[command(flatten)]
    place: Place,
}

#[derive(clap::Args)]
pub(super) struct Replay {
    /// The id of the event.
    #[arg(required_unless_present = "parked", conflicts_with = "parked")]
    event_id: Option<String>,
    /// All events that are parked.
    #[arg(long)]
    parked: bool,
    /// Of those that are parked, only those of this team.
    #[arg(long, value_name = "UUID", requires = "parked")]
    team: Option<Uuid>,
    #[command(flatten)]
    place: Place,
}

pub(super) async fn run(command: Command) -> Result<()> {
    match command {
        Command::List(options) => list(options).await,
        Command::Show { event_id, place } => show(&place.open().await?, &event_id).await,
        Command::Undelivered { limit, place } => undelivered(&place.open().await?, limit).await,
        Command::Replay(options) => replay(options).await,
        Command::AcceptClock { place } => accept_clock(&place.open().await?).await,
        Command::Tail { team, place } => tail(&place.open().await?, team).await,
    }
}

async fn list(options: List) -> Result<()> {
    let store = options.place.open().await?;
    let mut filter = EventFilter {
        team_id: options.team,
        after: options.after,
    };
    let mut left = options.limit;
    say(format_args!(
        "{:>10}  {:36}  {:20}  {:36}  type",
        "number", "id", "written", "team"
    ))?;
    while left > 0 {
        let page = store.events(&filter, left.min(PAGE)).await.map_err(failed)?;
        let Some(last) = page.last() else { break };
        filter.after = last.number;
        left -= page.len();
        page.iter().try_for_each(|event| say(line(event)))?;
    }
    Ok(())
}

/// Without the user: an operator who needs them asks for the event.
fn line(event: &LoggedEvent) -> String {
    let written = time(event.created_on);
    let LoggedEvent {
        number,
        event_id,
        team_id,
        event_type,
        ..
    } = event;
    format!("{number:>10}  {event_id:36}  {written:20}  {team_id:36}  {event_type}")
}

async fn show(store: &Store, event_id: &str) -> Result<()> {
    match store.event(event_id).await.map_err(failed)? {
        Some(event) => say(String::from_utf8_lossy(event.payload.as_bytes())),
        None => bail!("there is no event {event_id:?}: `wearlab events list` shows their ids"),
    }
}

async fn undelivered(store: &Store, limit: usize) -> Result<()> {
    say(format_args!(
        "{:36}  {:35}  {:>8}  {:20}  type: reason",
        "id", "destination", "attempts", "again"
    ))?;
    for event in store.undelivered(limit).await.map_err(failed)? {
        let endpoint = event.webhook_id.unwrap_or(event.kind);
        let again = match event.state {
            DeliveryState::Waiting(due) => time(due),
            DeliveryState::Held => "held".to_owned(),
            DeliveryState::Parked => "parked".to_owned(),
        };
        let (id, attempts, event_type, reason) = (event.event_id, event.attempts, event.event_type, event.reason);
        say(format_args!(
            "{id:36}  {endpoint:35}  {attempts:>8}  {again:20}  {event_type}: {reason}"
        ))?;
    }
    Ok(())
}

async fn replay(options: Replay) -> Result<()> {
    let (store, now) = (options.place.open().await?, clock::now());
    let Some(event_id) = options.event_id else {
        let replayed = store.write(|write| write.replay_parked(options.team, now));
        let replayed = replayed.await.map_err(failed)?;
        return say(format_args!("{replayed} events are sent again"));
    };
    match store
        .write(|write| write.replay(&event_id, now))
        .await
        .map_err(failed)?
    {
        Some(0) => bail!("no destination was sent this event"),
        Some(_) => Ok(()),
        None => bail!("there is no event {event_id:?}: `wearlab events list` shows their ids"),
    }
}

async fn accept_clock(store: &Store) -> Result<()> {
    let now = clock::now();
    let written = store.write(|write| write.set_retention_time(now)).await;
    written.map_err(failed)?;
    say(format_args!(
        "events are old by the clock from now on: it is {}",
        time(now)
    ))
}

async fn tail(store: &Store, team_id: Option<Uuid>) -> Result<()> {
    let after = store.last_event().await.map_err(failed)?;
    let mut filter = EventFilter { team_id, after };
    loop {
        let page = store.events(&filter, PAGE).await.map_err(failed)?;
        match page.last() {
            Some(last) => filter.after = last.number,
            None => tokio::time::sleep(LOOK).await,
        }
        page.iter().try_for_each(|event| say(line(event)))?;
    }
}
