//! Deletes users, and ends their connections.

use anyhow::{Result, bail};
use wearlab_models::Uuid;

use super::args::{TeamArg, UserArg, failed};
use crate::cli::output::print_line;
use crate::cli::progress;
use crate::cli::session::is_absent;

#[derive(clap::Args)]
pub(in crate::cli) struct Disconnect {
    /// Id of the user.
    #[arg(value_name = "USER_ID")]
    user_id: Uuid,
    /// Slug of the provider.
    #[arg(value_name = "PROVIDER")]
    provider: String,
    #[command(flatten)]
    team: TeamArg,
}

pub(super) async fn run(options: UserArg) -> Result<()> {
    let user_id = options.user_id;
    let (session, team) = options.team.open().await?;
    let bar = progress::working("deleting and rewriting the store's files");
    let deleted = team.delete_user(user_id).send().await;
    // Scrubs even after a failure: an earlier deletion may have left data in the files.
    let scrubbed = session.scrub().await;
    bar.finish_and_clear();
    deleted.map_err(|error| failed(&session, "delete the user", &error))?;
    scrubbed?;
    session.finish().await;
    print_line(format_args!("deleted user {user_id} with all their data"))
}

pub(super) async fn disconnect(options: Disconnect) -> Result<()> {
    let (session, team) = options.team.open().await?;
    let ended = team.disconnect_provider(options.user_id, options.provider).send().await;
    match ended {
        Ok(_) => {
            session.finish().await;
            Ok(())
        }
        Err(error) if is_absent(&error) => {
            bail!("the team has no such user, or the user no connection with this provider: see `wearlab user show`")
        }
        Err(error) => Err(session.failed("end the connection", &error)),
    }
}
