//! Reads values line by line, and writes the good ones into a store.

mod acknowledge;
mod batches;
mod framing;
mod line_transaction;
mod lines;
mod received;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use wearlab_models::LineNote;
use wearlab_store::{StoreError, Transaction};

pub(crate) use self::acknowledge::acknowledgements;
pub(crate) use self::batches::process_lines;
pub(crate) use self::line_transaction::LineTransaction;
pub(crate) use self::lines::Lines;
pub use self::lines::{Input, LineLocation};
pub(crate) use self::received::{Acknowledging, Permission, lines};
pub use wearlab_ingest::LineError;

/// What lines are, and how they are written.
pub(crate) trait LineHandler {
    /// What a line says.
    type Value: Send + Sync;

    /// Bytes of a line.
    const MAX_LINE: usize = 16 * 1024 * 1024;

    /// Reads one line.
    fn read(&self, line: &str) -> Result<Self::Value, LineError>;

    /// Prepares for lines that are written next. Changes nothing.
    fn look_ahead<'v>(
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

    /// Writes what a line says, and returns what to count it as. What contradicts the store is the line's fault, any
    /// other failure the store's.
    fn write(&self, line: &mut LineTransaction<'_, '_>, value: &Self::Value) -> Result<Outcome, StoreError>;

    /// Writes what follows from a batch, of which so many lines were taken, in its transaction. That may be rolled back, and
    /// the batch written again.
    fn complete(&self, write: &Transaction<'_>, taken: usize) -> Result<(), StoreError> {
        let _ = (write, taken);
        Ok(())
    }

    /// Called once the transaction of a batch is committed.
    fn committed(&self) {}
}

/// What a line that was taken is counted as.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Accepted {
    pub(crate) kind: &'static str,
    /// How many days of it were dropped.
    pub(crate) dropped_days: usize,
    /// Assumptions about it.
    pub(crate) notes: Vec<LineNote>,
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

/// When lines are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommitMode {
    /// A batch at a time, as large as it may be.
    Batches,
    /// A batch at a time, without waiting for more lines than there are.
    AsTheyCome,
    /// All or nothing.
    AllOrNothing,
}

/// What became of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many lines were taken, by what they are counted as.
    pub taken: BTreeMap<Cow<'static, str>, u64>,
    /// How many lines were refused.
    pub refused: u64,
    /// How many days were dropped of lines that were taken.
    pub dropped_days: u64,
    /// How many lines were taken with a note, by its code.
    pub notes: BTreeMap<String, u64>,
}

impl Summary {
    /// Counts the notes of a line that was taken.
    pub(crate) fn note(&mut self, location: &LineLocation, notes: &[LineNote], progress: &mut dyn Progress) {
        for note in notes {
            *self.notes.entry(note.code.as_str().to_owned()).or_default() += 1;
            progress.noted(location, note);
        }
    }
}

/// Called for lines while they are read.
pub trait Progress {
    /// A line was refused.
    fn refused(&mut self, location: &LineLocation, error: &LineError);

    /// A line was taken, with an assumption about it.
    fn noted(&mut self, location: &LineLocation, note: &LineNote) {
        let _ = (location, note);
    }

    /// Everything up to a line is kept for good, but for what was refused.
    ///
    /// # Errors
    ///
    /// Where it cannot be passed on; then no more lines are read.
    fn committed(&mut self, location: &LineLocation) -> io::Result<()> {
        let _ = location;
        Ok(())
    }

    /// So many bytes were read and dealt with so far.
    fn done(&mut self, bytes: u64);
}

/// Why reading ended before the end of the input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntakeError {
    /// The input cannot be read on.
    #[error("read {location}")]
    Input {
        /// The line that could not be read.
        location: LineLocation,
        /// What the system says.
        source: io::Error,
    },
    /// Nothing reports what was kept.
    #[error("acknowledge lines up to {location}")]
    Acknowledge {
        /// The last line that is stored.
        location: LineLocation,
        /// What the system says.
        source: io::Error,
    },
    /// The store failed. What was written before is kept, unless all is kept or nothing.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a line was counted as, or why it was refused.
pub(crate) type Outcome = Result<Accepted, LineError>;
