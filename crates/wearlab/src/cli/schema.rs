//! `wearlab schema`: the JSON Schema of what commands read.

use std::io::Write;

use anyhow::Result;
use wearlab_store::{Arrival, Record};

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
    let mut output = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut output, &schema)?;
    Ok(writeln!(output)?)
}
