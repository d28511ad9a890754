//! `wearlab trigger`: creates an event with made-up data, to test a consumer.

use anyhow::Result;
use uuid::Uuid;
use wearlab_store::{Ingestion, StoreError};

use super::output::print_line;
use super::store_args::{StoreArgs, failed};
use crate::administration::trigger::{TriggerError, trigger};
use crate::clock;

/// The options.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Type of the event, such as daily.data.steps.created.
    event_type: String,
    /// User of the event.
    #[arg(long, value_name = "UUID")]
    user: Uuid,
    /// Team of the user.
    #[arg(long, value_name = "UUID")]
    team: Uuid,
    #[command(flatten)]
    store: StoreArgs,
}

/// Appends the event to the log, from which it is delivered like any other, and prints its id.
pub(super) async fn run(options: Options) -> Result<()> {
    let config = options.store.config()?;
    let store = options.store.open().await?;
    let team_id = options.team;
    let ingestion = Ingestion {
        now: clock::now(),
        fresh_id: clock::fresh_id,
        forms: config.events.deprecated,
    };
    let triggered = store.try_write(|write| {
        let team = write.team(team_id)?.ok_or(StoreError::Missing { what: "team" })?;
        trigger(write, team, options.user, &options.event_type, &ingestion)
    });
    match triggered.await {
        Ok(event_id) => print_line(event_id),
        Err(TriggerError::UnknownType(error)) => Err(error.into()),
        Err(TriggerError::Store(error)) => Err(failed(error)),
    }
}
