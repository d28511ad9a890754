//! `wearlab trigger`: an event with made-up data, to try a consumer with.

use anyhow::Result;
use uuid::Uuid;
use wearlab_store::{Ingestion, StoreError};

use super::output::say;
use super::place::{Place, failed};
use crate::clock;
use crate::trigger::event;

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// The type of the event, such as daily.data.steps.created.
    event_type: String,
    /// The user that it is about.
    #[arg(long, value_name = "UUID")]
    user: Uuid,
    /// The team of the user.
    #[arg(long, value_name = "UUID")]
    team: Uuid,
    #[command(flatten)]
    place: Place,
}

/// Writes the event into the log, from which it is sent like any other, and prints its id.
pub(super) async fn run(options: Options) -> Result<()> {
    let config = options.place.config()?;
    let store = options.place.open().await?;
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
    say(event_id)
}
