//! `wearlab ingest`: what arrives from providers, from files or from a stream that stays open.

use std::io;
use std::path::PathBuf;

use anyhow::{Result, bail};
use serde::Serialize;
use wearlab_store::Ingestion;

use super::lines::{Inputs, lines, refusal, summary};
use super::output::{say, warn};
use super::place::{self, Place};
use crate::clock;
use crate::ingest::ingest;
use crate::intake::{LineError, LineLocation, Progress};

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// A file of JSON lines, a folder of such files (*.ndjson and *.jsonl, in the order of their names), or - for
    /// standard input, which may stay open.
    #[arg(value_name = "FILE|DIR|-")]
    from: PathBuf,
    /// Write a line of JSON whenever lines are durable, which names the last of them.
    #[arg(long)]
    acks: bool,
    #[command(flatten)]
    place: Place,
}

/// Ingests, says what was taken, and fails if a line was refused.
pub(super) async fn run(options: Options) -> Result<()> {
    let inputs = Inputs::of(&options.from)?;
    let config = options.place.config()?;
    let store = place::open(&config).await?;
    let forms = config.events.deprecated;
    let ingestion = || Ingestion {
        now: clock::now(),
        fresh_id: clock::fresh_id,
        forms,
    };
    let mut terminal = Terminal { acks: options.acks };
    let taken = ingest(&store, inputs.list, ingestion, &mut terminal)
        .await
        .map_err(refusal)?;
    match options.acks {
        // Standard output is for programs then.
        true => warn(summary(&taken)),
        false => say(summary(&taken))?,
    }
    match taken.refused {
        0 => Ok(()),
        refused => bail!("{}", lines(refused, "refused")),
    }
}

struct Terminal {
    acks: bool,
}

/// Everything up to here is durable, but for what was refused.
#[derive(Serialize)]
struct Ack<'a> {
    input: &'a str,
    line: u64,
}

impl Progress for Terminal {
    fn refused(&mut self, location: &LineLocation, error: &LineError) {
        warn(format_args!("{location}: {error}"));
    }

    fn committed(&mut self, location: &LineLocation) -> io::Result<()> {
        if !self.acks {
            return Ok(());
        }
        let ack = Ack {
            input: &location.input,
            line: location.line,
        };
        say(serde_json::to_string(&ack)?).map_err(io::Error::other)
    }

    fn done(&mut self, _: u64) {}
}
