//! Options and errors of commands for one user.

use anyhow::{Result, anyhow};
use wearlab_client::{Client, Error};
use wearlab_models::Uuid;

use crate::cli::session::{ApiArgs, Session, is_absent};

/// Option of commands that work for a team.
#[derive(clap::Args)]
pub(in crate::cli) struct TeamArg {
    /// Team of the user; with --base-url, it is that of the key.
    #[arg(
        long,
        value_name = "UUID",
        required_unless_present = "base_url",
        conflicts_with = "base_url"
    )]
    pub(super) team: Option<Uuid>,
    #[command(flatten)]
    pub(super) api: ApiArgs,
}

impl TeamArg {
    pub(super) async fn open(&self) -> Result<(Session, Client)> {
        let session = self.api.session().await?;
        let team = session.team(self.team).await?;
        Ok((session, team))
    }
}

/// Options of commands for one user.
#[derive(clap::Args)]
pub(in crate::cli) struct UserArg {
    /// Id of the user.
    #[arg(value_name = "USER_ID")]
    pub(super) user_id: Uuid,
    #[command(flatten)]
    pub(super) team: TeamArg,
}

/// Converts the error of a call about one user.
pub(super) fn failed(session: &Session, what: &str, error: &Error) -> anyhow::Error {
    match is_absent(error) {
        true => unknown(),
        false => session.failed(what, error),
    }
}

pub(in crate::cli) fn unknown() -> anyhow::Error {
    anyhow!("the team has no such user: see `wearlab user list`")
}
