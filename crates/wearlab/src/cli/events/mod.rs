//! `wearlab events`: the event log.

mod replay;
mod undelivered;

use std::time::Duration;

use anyhow::{Result, bail};
use chrono::{DateTime, Utc};
use serde::Serialize;
use wearlab_delivery::webhook::Sender;
use wearlab_models::Uuid;
use wearlab_store::{EventFilter, LoggedEvent, Store};

use super::output::{print_line, time, warn};
use super::sending;
use super::store_args::{self, StoreArgs, failed};
use super::table::{Format, Row};
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
    /// Print an event as the log has it, with every field that a pipeline can request.
    Show {
        /// The id of the event.
        event_id: String,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// List failed deliveries: events that are retried, those that are held by an earlier one of their user, and those
    /// that are parked. Then list the destinations that are behind, with their backlog.
    Undelivered {
        /// Only events and destinations of this team.
        #[arg(long, value_name = "UUID")]
        team: Option<Uuid>,
        /// Maximum number of events.
        #[arg(long, value_name = "N", default_value_t = 100)]
        limit: usize,
        #[command(flatten)]
        format: Format,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Send an event again to the destinations that it was sent to, or send all events of a selection again, such as the
    /// parked ones.
    Replay(replay::Replay),
    /// Accept the current clock for retention, after a jump or a time without the service, so that events that expired
    /// meanwhile are deleted. Running services do it within the hour.
    AcceptClock {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// List new events as they are written.
    Tail {
        #[command(flatten)]
        only: Only,
        #[command(flatten)]
        format: Format,
        #[command(flatten)]
        store: StoreArgs,
    },
}

#[derive(clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    only: Only,
    /// Only events after this number of the log.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    after: i64,
    /// Maximum number of events, oldest first.
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Last N events, oldest first.
    #[arg(long, value_name = "N", conflicts_with = "limit")]
    last: Option<usize>,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    store: StoreArgs,
}

/// Which events.
#[derive(clap::Args)]
pub(super) struct Only {
    /// Only events of this team.
    #[arg(long, value_name = "UUID")]
    team: Option<Uuid>,
    /// Only events about this user.
    #[arg(long, value_name = "UUID")]
    user: Option<Uuid>,
    /// Only events whose type begins with this, such as daily.data.sleep.
    #[arg(long = "type", value_name = "PREFIX")]
    event_type: Option<String>,
}

impl Only {
    fn after(self, after: i64) -> EventFilter {
        EventFilter {
            team_id: self.team,
            user_id: self.user,
            event_type_prefix: self.event_type,
            after,
        }
    }
}

pub(super) async fn run(command: Command) -> Result<()> {
    match command {
        Command::List(options) => list(options).await,
        Command::Show { event_id, store } => show(&store.open().await?, &event_id).await,
        Command::Undelivered {
            team,
            limit,
            format,
            store,
        } => {
            let config = store.config()?;
            let store = store_args::open(&config).await?;
            // Without them, the state of a destination is still known.
            let kinds = Sender::new(config.webhooks.sender(), clock::now)
                .map_err(Into::into)
                .and_then(|sender| sending::kinds(&config, sender))
                .inspect_err(|error| warn(format_args!("delivery is not possible: {error:#}")))
                .ok();
            undelivered::run(&store, kinds.as_ref(), team, limit, format, clock::now()).await
        }
        Command::Replay(options) => replay::run(options).await,
        Command::AcceptClock { store } => accept_clock(&store.open().await?).await,
        Command::Tail { only, format, store } => tail(&store.open().await?, only, format).await,
    }
}

async fn list(options: List) -> Result<()> {
    let store = options.store.open().await?;
    let format = options.format;
    let mut filter = options.only.after(options.after);
    format.head::<Event>()?;
    if let Some(last) = options.last {
        let events = store.last_events(&filter, last).await.map_err(failed)?;
        return format.rows(events.into_iter().map(Event::from));
    }
    let mut left = options.limit;
    while left > 0 {
        let page = store.events(&filter, left.min(PAGE)).await.map_err(failed)?;
        let Some(last) = page.last() else { break };
        filter.after = last.number;
        left -= page.len();
        format.rows(page.into_iter().map(Event::from))?;
    }
    Ok(())
}

/// An event, without its payload. The columns leave out the user: an operator who needs them asks for JSON.
#[derive(Serialize)]
struct Event {
    number: i64,
    event_id: String,
    written: DateTime<Utc>,
    team_id: Uuid,
    user_id: Uuid,
    event_type: String,
}

impl From<LoggedEvent> for Event {
    fn from(event: LoggedEvent) -> Self {
        Self {
            number: event.number,
            event_id: event.event_id,
            written: event.created_on,
            team_id: event.team_id,
            user_id: event.user_id,
            event_type: event.event_type,
        }
    }
}

impl Row for Event {
    fn head() -> String {
        format!("{:>10}  {:36}  {:20}  {:36}  type", "number", "id", "written", "team")
    }

    fn line(&self) -> String {
        let Self {
            number,
            event_id,
            team_id,
            event_type,
            ..
        } = self;
        let written = time(self.written);
        format!("{number:>10}  {event_id:36}  {written:20}  {team_id:36}  {event_type}")
    }
}

async fn show(store: &Store, event_id: &str) -> Result<()> {
    match store.event(event_id).await.map_err(failed)? {
        Some(event) => print_line(String::from_utf8_lossy(event.payload.as_bytes())),
        None => bail!("there is no event {event_id:?}: `wearlab events list` shows their ids"),
    }
}

async fn accept_clock(store: &Store) -> Result<()> {
    let now = clock::now();
    let written = store.write(|write| write.set_retention_time(now)).await;
    written.map_err(failed)?;
    print_line(format_args!("accepted the clock for retention: {}", time(now)))
}

async fn tail(store: &Store, only: Only, format: Format) -> Result<()> {
    let mut filter = only.after(store.last_event().await.map_err(failed)?);
    loop {
        let page = store.events(&filter, PAGE).await.map_err(failed)?;
        match page.last() {
            Some(last) => filter.after = last.number,
            None => tokio::time::sleep(LOOK).await,
        }
        format.rows(page.into_iter().map(Event::from))?;
    }
}
