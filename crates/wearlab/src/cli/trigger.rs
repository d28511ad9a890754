//! `wearlab trigger`: creates an event with made-up data, to test a consumer.

use anyhow::Result;
use uuid::Uuid;
use wearlab_models::NewEvent;

use super::output::print_line;
use super::session::{ApiArgs, OrgArg};

/// Options of the command.
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
    org: OrgArg,
    #[command(flatten)]
    api: ApiArgs,
}

/// Appends the event to the log, from which it is delivered like any other, and prints its id.
pub(super) async fn run(options: Options) -> Result<()> {
    let session = options.api.session().await?;
    let owner = session.organisation_of(options.team, options.org.id()).await?;
    let event = NewEvent::builder().event_type(options.event_type).build();
    let call = owner.client.trigger_event(&owner.id, options.team, options.user, event);
    let triggered = call.send().await;
    let triggered = triggered.map_err(|error| session.failed("create the event", &error))?;
    print_line(&triggered.event_id)
}
