//! `wearlab user`: the users of a team.

mod args;
mod change;
mod delete;
mod export;
mod list;

use anyhow::Result;

use self::args::UserArg;
pub(super) use self::args::unknown;

/// Users.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// List the users of a team, in the order of their creation.
    List(list::List),
    /// Print a user with their connections and devices, as JSON.
    Show(UserArg),
    /// Create a user and print their id.
    Create(change::Create),
    /// Change a user.
    Update(change::Update),
    /// End the connection of a user with a provider. The data stay.
    Disconnect(delete::Disconnect),
    /// Write all data of a user, as a copy for that person: JSON lines.
    Export(export::Export),
    /// Delete a user with all their data, also from the free space of the store's files.
    Delete(UserArg),
}

impl Command {
    /// Returns whether it only prints.
    pub(super) fn only_lists(&self) -> bool {
        matches!(self, Self::List(_) | Self::Show(_) | Self::Export(_))
    }
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
