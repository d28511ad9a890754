//! `wearlab user`: what is done to one user.

use anyhow::{Result, bail};
use wearlab_models::Uuid;
use wearlab_store::StoreError;

use super::output::say;
use super::place::{Place, failed};
use super::progress;

/// One user.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Delete a user and all that hangs on them, also from what the store's files keep of the past.
    Delete {
        /// The team of the user.
        #[arg(long, value_name = "UUID")]
        team: Uuid,
        /// The id of the user.
        #[arg(value_name = "USER_ID")]
        user_id: Uuid,
        #[command(flatten)]
        place: Place,
    },
}

pub(super) async fn run(command: Command) -> Result<()> {
    let Command::Delete { team, user_id, place } = command;
    let store = place.open().await?;
    let team = store.write(|write| write.team(team)).await.map_err(failed)?;
    let team = team.ok_or(StoreError::Missing { what: "team" }).map_err(failed)?;
    let bar = progress::working("deleting, and rewriting the store's files");
    let deleted = store.forget(team, user_id).await;
    bar.finish_and_clear();
    match deleted.map_err(failed)? {
        true => say(format_args!("deleted user {user_id} and all that belongs to them")),
        false => bail!("the team has no such user"),
    }
}
