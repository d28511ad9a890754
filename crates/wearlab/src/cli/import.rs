//! `wearlab import`: imports records from files or standard input.

use std::path::PathBuf;

use anyhow::{Result, bail};
use indicatif::ProgressBar;
use wearlab_intake::import::{ImportOptions, import};
use wearlab_intake::{LineError, LineLocation, Progress, Summary};
use wearlab_store::Store;

use super::lines::{Inputs, intake_error, lines, summary};
use super::output::{print_line, warn};
use super::progress;
use super::remote::{self, RemoteArgs};
use super::store_args::StoreArgs;
use crate::remote::{Endpoint, Remote};

/// Options of the command.
#[derive(clap::Args)]
pub(super) struct Options {
    /// File of JSON lines, directory of such files (*.ndjson and *.jsonl, in the order of their names), or - for
    /// standard input.
    #[arg(value_name = "FILE|DIR|-")]
    from: PathBuf,
    /// Import nothing if any line is rejected.
    #[arg(long, conflicts_with = "base_url")]
    strict: bool,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    remote: RemoteArgs,
}

/// Imports, prints a summary, and fails if a line was rejected.
pub(super) async fn run(options: Options) -> Result<()> {
    let inputs = Inputs::of(&options.from)?;
    let taken = match options.remote.remote(Endpoint::Import)? {
        Some(remote) => import_remotely(&remote, inputs).await?,
        None => {
            let store = options.store.open_or_create().await?;
            import_into(&store, inputs, options.strict).await?
        }
    };
    print_line(summary(&taken))?;
    match (taken.refused, options.strict) {
        (0, _) => Ok(()),
        (refused, false) => bail!("{}", lines(refused, "rejected")),
        (refused, true) => bail!("{}, so nothing was imported", lines(refused, "rejected")),
    }
}

/// Imports into a store, with a progress bar on a terminal. Rejected lines are reported on standard error.
pub(super) async fn import_into(store: &Store, inputs: Inputs, strict: bool) -> Result<Summary> {
    let mut terminal = Terminal {
        bar: progress::bytes(inputs.bytes),
    };
    let options = ImportOptions {
        strict,
        now: wearlab_clock::now(),
    };
    let outcome = import(store, inputs.list, &options, &mut terminal).await;
    terminal.bar.finish_and_clear();
    outcome.map_err(intake_error)
}

/// Sends records to a service, with the same progress bar and reports.
async fn import_remotely(remote: &Remote, inputs: Inputs) -> Result<Summary> {
    let mut terminal = Terminal {
        bar: progress::bytes(inputs.bytes),
    };
    let outcome = remote::send(remote, inputs, &mut terminal).await;
    terminal.bar.finish_and_clear();
    outcome
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
