//! `wearlab trigger`: creates an event with made-up data, to test a consumer.

use anyhow::Result;
use uuid::Uuid;
use wearlab_store::{Ingestion, StoreError};

use super::output::print_line;
use super::store_args::{StoreArgs, failed};
use crate::clock;
use crate::trigger::event;

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
    let (mut event_id, mut unknown) = (String::new(), None);
    let written = store.write(|write| {
        let team = write.team(team_id)?.ok_or(StoreError::Missing { what: "team" })?;
        write.log(team, options.user, &ingestion, |envelope| {
            event_id.clone_from(&envelope.event_id);
            event(&options.event_type, envelope, ingestion.now).map_err(|error| {
                unknown = Some(error);
                StoreError::Document { what: "event" }
            })
        })
    });
    let written = written.await;
    if let Some(error) = unknown {
        return Err(error.into());
    }
    written.map_err(failed)?;
    print_line(event_id)
}
