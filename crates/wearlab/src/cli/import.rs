//! `wearlab import`: records from files or from standard input.

use std::path::PathBuf;

use anyhow::{Result, bail};
use indicatif::ProgressBar;
use wearlab_store::Store;

use super::lines::{Inputs, lines, refusal, summary};
use super::output::{say, warn};
use super::place::Place;
use super::progress;
use crate::clock;
use crate::import::{ImportOptions, import};
use crate::intake::{LineError, LineLocation, Progress, Summary};

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// A file of JSON lines, a folder of such files (*.ndjson and *.jsonl, in the order of their names), or - for
    /// standard input.
    #[arg(value_name = "FILE|DIR|-")]
    from: PathBuf,
    /// Keep nothing if any line is bad.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    place: Place,
}

/// Imports, says what was taken, and fails if a line was refused.
pub(super) async fn run(options: Options) -> Result<()> {
    let inputs = Inputs::of(&options.from)?;
    let store = options.place.open_or_make().await?;
    let taken = import_into(&store, inputs, options.strict).await?;
    say(summary(&taken))?;
    match (taken.refused, options.strict) {
        (0, _) => Ok(()),
        (refused, false) => bail!("{}", lines(refused, "refused")),
        (refused, true) => bail!("{}, so nothing was kept", lines(refused, "refused")),
    }
}

/// Imports into a store, with a progress bar on a terminal. Lines that are refused are written to standard error.
pub(super) async fn import_into(store: &Store, inputs: Inputs, strict: bool) -> Result<Summary> {
    let mut terminal = Terminal {
        bar: progress::bytes(inputs.bytes),
    };
    let options = ImportOptions {
        strict,
        now: clock::now(),
    };
    let outcome = import(store, inputs.list, &options, &mut terminal).await;
    terminal.bar.finish_and_clear();
    outcome.map_err(refusal)
}

struct Terminal {
    bar: ProgressBar,
}

impl Progress for Terminal {
    fn refused(&mut self, location: &LineLocation, error: &LineError) {
        self.bar.suspend(|| warn(format_args!("{location}: {error}")));
    }

    fn done(&mut self, bytes: u64) {
        self.bar.set_position(bytes);
    }
}
