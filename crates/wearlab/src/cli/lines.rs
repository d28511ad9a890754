//! Inputs and summaries of commands that read lines.

use std::fs::{self, File};
use std::io::stdin;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use wearlab_intake::{Input, IntakeError, Summary};

use super::store_args::failed;
use super::terminal;

/// Inputs, and their length in bytes if it is known.
pub(super) struct Inputs {
    pub(super) list: Vec<Input>,
    pub(super) bytes: Option<u64>,
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
                .with_context(|| format!("cannot read {}", terminal::path(&path)))?;
        }
        Ok(inputs)
    }

    fn add(&mut self, path: &Path) -> Result<()> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        // The length of a pipe or device is unknown.
        self.bytes = self
            .bytes
            .filter(|_| metadata.is_file())
            .map(|bytes| bytes + metadata.len());
        self.list.push(Input::of_file(terminal::path(path), file));
        Ok(())
    }
}

/// Returns the file itself, or the files of a directory.
fn files(from: &Path) -> Result<Vec<PathBuf>> {
    if !from.is_dir() {
        return Ok(vec![from.to_owned()]);
    }
    let cannot = || format!("cannot read {}", terminal::path(from));
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
        bail!("there is no *.ndjson or *.jsonl file in {}", terminal::path(from));
    }
    files.sort();
    Ok(files)
}

/// Converts the error of an input that was not read to its end.
pub(super) fn intake_error(error: IntakeError) -> anyhow::Error {
    match error {
        IntakeError::Store(error) => failed(error),
        IntakeError::Acknowledge { ref location, .. } => {
            let stored = format!("all lines up to {location} that were not rejected are stored, and no later ones");
            anyhow::Error::new(error).context(stored)
        }
        error => anyhow::Error::new(error).context("not all lines were read"),
    }
}

/// Formats the number of lines of each kind, in one line.
pub(super) fn summary(summary: &Summary) -> String {
    let taken: u64 = summary.taken.values().sum();
    let kinds: Vec<_> = summary
        .taken
        .iter()
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    let dropped = match summary.dropped_days {
        0 => String::new(),
        1 => "; dropped 1 day outside the ingestion period".to_owned(),
        days => format!("; dropped {days} days outside the ingestion period"),
    };
    match kinds.is_empty() {
        true => lines(taken, "accepted"),
        false => format!("{}: {}{dropped}", lines(taken, "accepted"), kinds.join(", ")),
    }
}

/// Formats the number of lines with each note, in one line; none without notes.
pub(super) fn notes(summary: &Summary) -> Option<String> {
    let notes = summary.notes.iter().map(|(code, count)| format!("{code} {count}"));
    let notes: Vec<_> = notes.collect();
    (!notes.is_empty()).then(|| format!("lines accepted with a note: {}", notes.join(", ")))
}

pub(super) fn lines(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 line was {what}"),
        count => format!("{count} lines were {what}"),
    }
}
