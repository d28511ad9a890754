//! `wearlab ingest`: ingests arrivals from files or from a stream that stays open.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use anyhow::{Result, bail};
use serde::Serialize;
use wearlab_intake::ingest::ingest;
use wearlab_intake::{LineError, LineLocation, Progress, Summary};
use wearlab_models::{LineNote, NoteCode};
use wearlab_store::Ingestion;

use super::interrupt;
use super::lines::{Inputs, intake_error, lines, notes, summary};
use super::output::{print_line, warn};
use super::remote::{self, RemoteArgs};
use super::store_args::{self, StoreArgs};
use crate::remote::Endpoint;

/// Options of the command.
#[derive(clap::Args)]
pub(super) struct Options {
    /// File of JSON lines, directory of such files (*.ndjson and *.jsonl, in the order of their names), or - for
    /// standard input, which may stay open.
    #[arg(value_name = "FILE|DIR|-")]
    from: PathBuf,
    /// Print a line of JSON whenever lines are durable. It names the last of them.
    #[arg(long)]
    acks: bool,
    /// Reject lines that need an assumption: an unknown resource, a unit, a time zone, a time where the clock changed.
    /// By default they are accepted with a note, unless the setting ingest.reject has its code.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    remote: RemoteArgs,
}

/// Ingests, prints a summary, and fails if a line was rejected.
pub(super) async fn run(options: Options) -> Result<()> {
    interrupt::end_with("stopped: what is acknowledged is stored; ingest the same lines again")?;
    let inputs = Inputs::of(&options.from)?;
    let mut terminal = Terminal {
        acks: options.acks,
        noted: BTreeSet::new(),
    };
    let taken = match options.remote.remote(Endpoint::Ingest { strict: options.strict })? {
        Some(remote) => remote::send(&remote, inputs, &mut terminal).await?,
        None => local(&options.store, options.strict, inputs, &mut terminal).await?,
    };
    notes(&taken).into_iter().for_each(warn);
    match options.acks {
        // Standard output is for the acknowledgements.
        true => warn(summary(&taken)),
        false => print_line(summary(&taken))?,
    }
    match taken.refused {
        0 => Ok(()),
        refused => bail!("{}", lines(refused, "rejected")),
    }
}

/// Ingests into a store.
async fn local(store: &StoreArgs, strict: bool, inputs: Inputs, terminal: &mut Terminal) -> Result<Summary> {
    let config = store.config()?;
    let store = store_args::open(&config).await?;
    let forms = config.events.deprecated;
    let ingestion = || Ingestion {
        now: wearlab_clock::now(),
        fresh_id: wearlab_clock::fresh_id,
        forms,
    };
    let rejected = match strict {
        true => NoteCode::KNOWN.to_vec(),
        false => config.ingest.rejected(),
    };
    ingest(&store, inputs.list, ingestion, rejected, terminal)
        .await
        .map_err(intake_error)
}

struct Terminal {
    acks: bool,
    /// Codes of the notes that were already printed.
    noted: BTreeSet<String>,
}

/// Acknowledges all lines up to this one, except the rejected ones.
#[derive(Serialize)]
struct Ack<'a> {
    input: &'a str,
    line: u64,
}

impl Progress for Terminal {
    fn refused(&mut self, location: &LineLocation, error: &LineError) {
        warn(format_args!("{location}: {error}"));
    }

    /// Prints the first note of each code. The summary counts them.
    fn noted(&mut self, location: &LineLocation, note: &LineNote) {
        if self.noted.insert(note.code.as_str().to_owned()) {
            let LineNote {
                code, field, message, ..
            } = note;
            warn(format_args!("{location}: note {}: {field}: {message}", code.as_str()));
        }
    }

    fn committed(&mut self, location: &LineLocation) -> io::Result<()> {
        if !self.acks {
            return Ok(());
        }
        let ack = Ack {
            input: &location.input,
            line: location.line,
        };
        print_line(serde_json::to_string(&ack)?).map_err(io::Error::other)
    }

    fn done(&mut self, _: u64) {}
}
