//! `wearlab import`: records from files or from standard input.

use std::fs::{self, File};
use std::io::stdin;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use chrono::Utc;
use indicatif::{ProgressBar, ProgressStyle};
use wearlab_store::Store;

use super::output::say;
use super::place::{Place, failed};
use crate::import::{ImportOptions, import};
use crate::intake::{Input, IntakeError, LineError, LinePlace, Summary, Watch};

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
    let store = options.place.open_or_make()?;
    let summary = import_into(&store, inputs, options.strict).await?;
    say(self::summary(&summary))?;
    match (summary.refused, options.strict) {
        (0, _) => Ok(()),
        (refused, false) => bail!("{}", lines(refused, "refused")),
        (refused, true) => bail!("{}, so nothing was kept", lines(refused, "refused")),
    }
}

/// What to import, and how many bytes it is if that is known.
pub(super) struct Inputs {
    pub(super) list: Vec<Input>,
    bytes: Option<u64>,
}

impl Inputs {
    pub(super) fn of(from: &Path) -> Result<Self> {
        if from == Path::new("-") {
            let input = Input::new("stdin", stdin());
            return Ok(Self {
                list: vec![input],
                bytes: None,
            });
        }
        let mut inputs = Self {
            list: Vec::new(),
            bytes: Some(0),
        };
        for path in files(from)? {
            inputs
                .add(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
        }
        Ok(inputs)
    }

    fn add(&mut self, path: &Path) -> Result<()> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        // What is no plain file, such as a pipe, does not say how much it holds.
        self.bytes = self
            .bytes
            .filter(|_| metadata.is_file())
            .map(|bytes| bytes + metadata.len());
        self.list.push(Input::new(path.display().to_string(), file));
        Ok(())
    }
}

/// The file itself, or the files of a folder.
fn files(from: &Path) -> Result<Vec<PathBuf>> {
    if !from.is_dir() {
        return Ok(vec![from.to_owned()]);
    }
    let cannot = || format!("cannot read {}", from.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(from).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "ndjson" || extension == "jsonl")
        {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("there is no *.ndjson or *.jsonl file in {}", from.display());
    }
    files.sort();
    Ok(files)
}

/// Imports into a store, with a progress bar on a terminal. Lines that are refused are written to standard error.
pub(super) async fn import_into(store: &Store, inputs: Inputs, strict: bool) -> Result<Summary> {
    let mut terminal = Terminal { bar: bar(inputs.bytes) };
    let options = ImportOptions {
        strict,
        now: Utc::now(),
    };
    let outcome = import(store, inputs.list, &options, &mut terminal).await;
    terminal.bar.finish_and_clear();
    outcome.map_err(refusal)
}

/// Why an intake ended early, in words for the command line.
pub(super) fn refusal(error: IntakeError) -> anyhow::Error {
    match error {
        IntakeError::Store(error) => failed(error),
        error => anyhow::Error::new(error).context("not all lines were read"),
    }
}

struct Terminal {
    bar: ProgressBar,
}

impl Watch for Terminal {
    fn refused(&mut self, place: &LinePlace, error: &LineError) {
        self.bar.suspend(|| eprintln!("wearlab: {place}: {error}"));
    }

    fn done(&mut self, bytes: u64) {
        self.bar.set_position(bytes);
    }
}

/// A bar on standard error; nothing where that is no terminal.
fn bar(bytes: Option<u64>) -> ProgressBar {
    match bytes {
        Some(bytes) => {
            let style = ProgressStyle::with_template("{bar:40} {binary_bytes} of {binary_total_bytes}, {eta} to go");
            ProgressBar::new(bytes).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        }
        None => {
            let style = ProgressStyle::with_template("{spinner} {binary_bytes}");
            ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        }
    }
}

/// How many of each kind, in one line.
pub(super) fn summary(summary: &Summary) -> String {
    let taken: u64 = summary.taken.values().sum();
    let kinds: Vec<_> = summary
        .taken
        .iter()
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    match kinds.is_empty() {
        true => lines(taken, "taken"),
        false => format!("{}: {}", lines(taken, "taken"), kinds.join(", ")),
    }
}

pub(super) fn lines(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 line was {what}"),
        count => format!("{count} lines were {what}"),
    }
}
