//! Output of commands: lines on standard output or in a file that only its owner may read, and messages on standard
//! error.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use wearlab_store::{Record, StoreError};

use super::terminal;

/// Timeout for writing the last message of a command.
const LAST_MESSAGE_TIMEOUT: Duration = Duration::from_secs(2);

/// Prints a line to standard output. Control characters are escaped.
pub(super) fn print_line(text: impl Display) -> Result<()> {
    let text = text.to_string();
    finish(writeln!(io::stdout().lock(), "{}", terminal::escaped(&text)).map_err(WriteError::from))
}

/// Prints a message to standard error, as one line. Control characters are escaped. A failure is ignored: it could not
/// be reported.
pub(super) fn warn(message: impl Display) {
    let line = format!("wearlab: {message}\n");
    let _ = io::stderr().lock().write_all(terminal::escaped(&line).as_bytes());
}

/// Prints the last message of a command, without waiting for long if standard error is not read.
pub(super) fn warn_at_exit(message: impl Display) {
    let message = message.to_string();
    let (done, written) = mpsc::channel();
    let writing = thread::Builder::new().spawn(move || {
        warn(message);
        let _ = done.send(());
    });
    if writing.is_ok() {
        let _ = written.recv_timeout(LAST_MESSAGE_TIMEOUT);
    }
}

/// Formats a time for tables.
pub(super) fn time(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Formats a duration in seconds for tables: its two largest units.
pub(super) fn age(seconds: i64) -> String {
    let units = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];
    let mut left = seconds;
    let parts = units.map(|(unit, length)| {
        let count = left / length;
        left %= length;
        (count, unit)
    });
    let parts: Vec<_> = parts.into_iter().skip_while(|(count, _)| *count == 0).take(2).collect();
    let text: String = parts.iter().map(|(count, unit)| format!("{count}{unit}")).collect();
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// Returns whether an error is only a closed standard output, as after `| head`.
pub(super) fn is_closed_output(error: &anyhow::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Output option of commands that write lines.
#[derive(clap::Args)]
pub(super) struct Output {
    /// Write to a new file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Output {
    /// Returns the file; none for standard output.
    pub(super) fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Opens the output. An existing file is not overwritten.
    pub(super) fn open(&self) -> Result<Box<dyn Write + Send>> {
        let Some(path) = self.file() else {
            return Ok(Box::new(BufWriter::new(io::stdout())));
        };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path);
        let file = file.with_context(|| format!("cannot create {}", terminal::path(path)))?;
        Ok(Box::new(BufWriter::new(file)))
    }

    /// Reports what was written: on standard error if the lines went to standard output.
    pub(super) fn report(&self, text: impl Display) -> Result<()> {
        match self.file() {
            Some(path) => print_line(format_args!("{text} to {}", terminal::path(path))),
            None => {
                warn(text);
                Ok(())
            }
        }
    }
}

/// Error of writing records.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// Writes a record as a line.
pub(super) fn write_line(output: &mut impl Write, record: &Record) -> Result<(), WriteError> {
    serde_json::to_writer(&mut *output, record).map_err(io::Error::from)?;
    Ok(output.write_all(b"\n")?)
}

/// Converts the error of an output that cannot be written.
pub(super) fn output_error(error: io::Error) -> anyhow::Error {
    anyhow::Error::new(error).context("cannot write the output")
}

pub(super) fn finish(outcome: Result<(), WriteError>) -> Result<()> {
    match outcome {
        Ok(()) => Ok(()),
        Err(WriteError::Output(error)) => Err(output_error(error)),
        Err(WriteError::Store(error)) => Err(super::store_args::failed(error)),
    }
}
