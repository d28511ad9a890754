//! Reads values line by line, and writes the valid ones into a store.

mod acknowledge;
mod batches;
mod framing;
pub mod import;
pub mod ingest;
mod line_transaction;
mod lines;
mod received;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use wearlab_models::LineNote;
use wearlab_store::{StoreError, Transaction};

pub use self::acknowledge::acknowledgements;
pub use self::batches::process_lines;
pub use self::line_transaction::LineTransaction;
pub use self::lines::{Input, LineLocation, Lines};
pub use self::received::{Acknowledging, Permission, received_lines};
pub use wearlab_ingest::LineError;

/// Format of lines, and their writes.
pub trait LineHandler {
    /// Value of a line.
    type Value: Send + Sync;

    /// Maximum bytes of a line.
    const MAX_LINE: usize = 16 * 1024 * 1024;

    /// Parses a line.
    fn read(&self, line: &str) -> Result<Self::Value, LineError>;

    /// Prefetches for the lines that are written next. Changes nothing.
    fn prefetch<'v>(
        &self,
        write: &Transaction<'_>,
        values: impl Iterator<Item = &'v Self::Value> + Clone,
    ) -> Result<(), StoreError>
    where
        Self::Value: 'v,
    {
        let _ = (write, values);
        Ok(())
    }

    /// Writes the value of a line, and returns its outcome. A contradiction with the store is an error of the line, any
    /// other failure one of the store.
    fn write(&self, line: &mut LineTransaction<'_, '_>, value: &Self::Value) -> Result<Outcome, StoreError>;

    /// Completes a batch in its transaction, with the number of accepted lines. The transaction may be rolled back, and
    /// the batch written again.
    fn complete(&self, write: &Transaction<'_>, taken: usize) -> Result<(), StoreError> {
        let _ = (write, taken);
        Ok(())
    }

    /// Called once the transaction of a batch is committed.
    fn committed(&self) {}
}

/// Outcome of an accepted line.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// Kind of the record or arrival, for the summary.
    pub kind: &'static str,
    /// Number of its days that were dropped.
    pub dropped_days: usize,
    /// Assumptions about it.
    pub notes: Vec<LineNote>,
}

impl From<&'static str> for Accepted {
    fn from(kind: &'static str) -> Self {
        Self {
            kind,
            dropped_days: 0,
            notes: Vec::new(),
        }
    }
}

/// Transactions of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitMode {
    /// Batches, each as large as possible.
    Batches,
    /// Batches, without waiting for more lines than have arrived.
    AsTheyCome,
    /// One transaction.
    AllOrNothing,
}

/// Summary of the outcomes of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of accepted lines by kind.
    pub taken: BTreeMap<Cow<'static, str>, u64>,
    /// Number of rejected lines.
    pub refused: u64,
    /// Number of days of accepted lines that were dropped.
    pub dropped_days: u64,
    /// Number of lines accepted with a note, by its code.
    pub notes: BTreeMap<String, u64>,
}

impl Summary {
    /// Counts the notes of an accepted line.
    pub fn note(&mut self, location: &LineLocation, notes: &[LineNote], progress: &mut dyn Progress) {
        for note in notes {
            *self.notes.entry(note.code.as_str().to_owned()).or_default() += 1;
            progress.noted(location, note);
        }
    }
}

/// Callbacks while lines are read.
pub trait Progress {
    /// Called when a line is rejected.
    fn refused(&mut self, location: &LineLocation, error: &LineError);

    /// Called when a line is accepted with an assumption about it.
    fn noted(&mut self, location: &LineLocation, note: &LineNote) {
        let _ = (location, note);
    }

    /// Called when all lines up to this one are durable, except the rejected ones.
    ///
    /// # Errors
    ///
    /// If the acknowledgement cannot be passed on. No more lines are read then.
    fn committed(&mut self, location: &LineLocation) -> io::Result<()> {
        let _ = location;
        Ok(())
    }

    /// Called with the number of bytes that were read and processed so far.
    fn done(&mut self, bytes: u64);
}

/// Error that ended reading before the end of the input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntakeError {
    /// The input cannot be read.
    #[error("read {location}")]
    Input {
        /// Line that could not be read.
        location: LineLocation,
        /// Error of the system.
        source: io::Error,
    },
    /// Committed lines cannot be acknowledged.
    #[error("acknowledge lines up to {location}")]
    Acknowledge {
        /// Last line that is stored.
        location: LineLocation,
        /// Error of the system.
        source: io::Error,
    },
    /// The store failed. Earlier batches are kept, unless the mode is all or nothing.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Outcome of a line: accepted, or rejected with an error.
pub type Outcome = Result<Accepted, LineError>;
