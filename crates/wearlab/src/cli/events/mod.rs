//! `wearlab events`: the event log.

mod log;
mod replay;
mod undelivered;

use anyhow::{Result, bail};
use serde::Deserialize;
use serde_json::value::RawValue;
use wearlab_store::Store;

use super::output::{print_line, time};
use super::session::{ApiArgs, OrgArg, is_absent};
use super::store_args::{StoreArgs, failed};

/// Event log.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// List events, oldest first.
    List(log::List),
    /// Print an event as the log has it, with every field that a pipeline can request.
    Show {
        /// Id of the event.
        event_id: String,
        #[command(flatten)]
        org: OrgArg,
        #[command(flatten)]
        api: ApiArgs,
    },
    /// List failed deliveries: events that are retried, those that are held by an earlier one of their user, and those
    /// that are parked. Then list the destinations that are behind, with their backlog.
    Undelivered(undelivered::List),
    /// Send an event again to the destinations that it was sent to, or send all events of a selection again, such as
    /// the parked ones.
    Replay(replay::Replay),
    /// Accept the current clock for retention, after a jump or a time without the service, so that events that expired
    /// meanwhile are deleted. Running services do it within the hour.
    AcceptClock {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// List new events as they are written.
    Tail(log::Tail),
}

pub(super) async fn run(command: Command) -> Result<()> {
    match command {
        Command::List(options) => log::list(options).await,
        Command::Show { event_id, org, api } => show(&api, &org, &event_id).await,
        Command::Undelivered(options) => undelivered::list(options).await,
        Command::Replay(options) => replay::run(options).await,
        Command::AcceptClock { store } => accept_clock(&store.open().await?).await,
        Command::Tail(options) => log::tail(options).await,
    }
}

/// Event as in the API. The payload is printed unchanged.
#[derive(Deserialize)]
struct PrintedEvent {
    payload: Box<RawValue>,
}

async fn show(api: &ApiArgs, org: &OrgArg, event_id: &str) -> Result<()> {
    let session = api.session().await?;
    for owner in session.organisations(org.id()).await? {
        let event = owner.client.get_event(&owner.id, event_id).full(true).send_raw().await;
        match event.and_then(|response| response.decode::<PrintedEvent>()) {
            Ok(event) => return print_line(event.payload.get()),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(session.failed("read the event", &error)),
        }
    }
    bail!("there is no event {event_id:?}: `wearlab events list` shows their ids")
}

async fn accept_clock(store: &Store) -> Result<()> {
    let now = wearlab_clock::now();
    let written = store.write(|write| write.set_retention_time(now)).await;
    written.map_err(failed)?;
    print_line(format_args!("accepted the clock for retention: {}", time(now)))
}
