//! `wearlab schema`: the JSON Schema of what commands read.

use anyhow::Result;
use wearlab_store::{Arrival, Record};

use super::output::say;

/// What to describe.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// A line of `wearlab import`.
    Import,
    /// A line of `wearlab ingest`.
    Ingest,
}

pub(super) fn run(command: Command) -> Result<()> {
    let schema = match command {
        Command::Import => schemars::schema_for!(Record),
        Command::Ingest => schemars::schema_for!(Arrival),
    };
    say(serde_json::to_string_pretty(&schema)?)
}
