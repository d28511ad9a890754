//! What commands that read lines share: what they read, and what they say of it.

use std::fs::{self, File};
use std::io::stdin;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::place::failed;
use crate::intake::{Input, IntakeError, Summary};

/// What to read, and how many bytes it is if that is known.
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

/// Why an intake ended early, in words for the command line.
pub(super) fn refusal(error: IntakeError) -> anyhow::Error {
    match error {
        IntakeError::Store(error) => failed(error),
        IntakeError::Acknowledge { ref location, .. } => {
            let stored = format!("all lines up to {location} that were not refused are stored, and no later ones");
            anyhow::Error::new(error).context(stored)
        }
        error => anyhow::Error::new(error).context("not all lines were read"),
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
    let dropped = match summary.dropped_days {
        0 => String::new(),
        1 => "; 1 day of them is out of bounds and was dropped".to_owned(),
        days => format!("; {days} days of them are out of bounds and were dropped"),
    };
    match kinds.is_empty() {
        true => lines(taken, "taken"),
        false => format!("{}: {}{dropped}", lines(taken, "taken"), kinds.join(", ")),
    }
}

pub(super) fn lines(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 line was {what}"),
        count => format!("{count} lines were {what}"),
    }
}
