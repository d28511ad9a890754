//! `wearlab user`: the users of a team.

mod change;
mod delete;
mod export;
mod list;

use anyhow::{Result, anyhow};
use wearlab_client::{Client, Error};
use wearlab_models::Uuid;

use super::session::{ApiArgs, Session, is_absent};

/// Users.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// List the users of a team, in the order of their creation.
    List(list::List),
    /// Print a user with their connections and devices, as JSON.
    Show(One),
    /// Create a user and print their id.
    Create(change::Create),
    /// Change a user.
    Update(change::Update),
    /// End the connection of a user with a provider. The data stay.
    Disconnect(delete::Disconnect),
    /// Write all that is held about a user, for that person to keep: JSON lines.
    Export(export::Export),
    /// Delete a user with all their data, also from the free space of the store's files.
    Delete(One),
}

impl Command {
    /// Whether it only prints.
    pub(super) fn only_lists(&self) -> bool {
        matches!(self, Self::List(_) | Self::Show(_) | Self::Export(_))
    }
}

/// The option of commands that work for a team.
#[derive(clap::Args)]
pub(super) struct TeamArg {
    /// Team of the user; with --base-url, it is that of the key.
    #[arg(
        long,
        value_name = "UUID",
        required_unless_present = "base_url",
        conflicts_with = "base_url"
    )]
    team: Option<Uuid>,
    #[command(flatten)]
    api: ApiArgs,
}

impl TeamArg {
    async fn open(&self) -> Result<(Session, Client)> {
        let session = self.api.session().await?;
        let team = session.team(self.team).await?;
        Ok((session, team))
    }
}

#[derive(clap::Args)]
pub(super) struct One {
    /// Id of the user.
    #[arg(value_name = "USER_ID")]
    user_id: Uuid,
    #[command(flatten)]
    team: TeamArg,
}

pub(super) async fn run(command: Command) -> Result<()> {
    match command {
        Command::List(options) => list::run(options).await,
        Command::Show(options) => list::show(options).await,
        Command::Create(options) => change::create(options).await,
        Command::Update(options) => change::update(options).await,
        Command::Disconnect(options) => delete::disconnect(options).await,
        Command::Export(options) => export::run(options).await,
        Command::Delete(options) => delete::run(options).await,
    }
}

/// The error of a call about one user.
fn failed(session: &Session, what: &str, error: &Error) -> anyhow::Error {
    match is_absent(error) {
        true => unknown(),
        false => session.failed(what, error),
    }
}

pub(super) fn unknown() -> anyhow::Error {
    anyhow!("the team has no such user: see `wearlab user list`")
}
