//! Reads records line by line, and puts the good ones into a store.

mod line;
mod lines;
mod rules;

use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use std::io;

use wearlab_store::{Record, Store, StoreError, Write};

pub use self::line::{LineError, read_line};
use self::lines::Lines;
pub use self::lines::{Input, LinePlace};
use crate::mask;

/// How many lines are written together.
const BATCH: usize = 1000;

/// How to import.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions {
    /// Whether one bad line keeps all others out.
    pub strict: bool,
    /// The time of the import: nobody is born later.
    pub now: DateTime<Utc>,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many records of each kind were taken.
    pub taken: BTreeMap<&'static str, u64>,
    /// How many lines were refused.
    pub refused: u64,
}

/// Hears of an import while it goes on.
pub trait Watch {
    /// A line was refused.
    fn refused(&mut self, place: &LinePlace, error: &LineError);

    /// So many bytes were read and dealt with so far.
    fn done(&mut self, bytes: u64);
}

/// Why an import ended before the end of its input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The input cannot be read on.
    #[error("read {place}")]
    Input {
        /// The line that could not be read.
        place: LinePlace,
        /// What the system says.
        source: io::Error,
    },
    /// The store failed. What was written before is kept, unless the import is strict.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Imports records, one JSON object a line.
///
/// Lines are written in batches, each of which is kept whole; a bad line is told to `watch` and leaves the others
/// alone, unless the import is strict: then one bad line keeps all out. The same lines twice change nothing.
///
/// # Errors
///
/// Where the input cannot be read, or the store fails.
pub async fn import(
    store: &Store,
    inputs: Vec<Input>,
    options: &ImportOptions,
    watch: &mut (dyn Watch + Send),
) -> Result<Summary, ImportError> {
    let import = Import {
        lines: Lines::new(inputs),
        options,
        watch,
        summary: Summary::default(),
    };
    if options.strict {
        import.all_or_nothing(store).await
    } else {
        import.in_batches(store).await
    }
}

/// A line that was read.
type Line = (LinePlace, Result<Record, LineError>);

struct Import<'a> {
    lines: Lines,
    options: &'a ImportOptions,
    watch: &'a mut (dyn Watch + Send),
    summary: Summary,
}

impl Import<'_> {
    async fn in_batches(mut self, store: &Store) -> Result<Summary, ImportError> {
        loop {
            // Read first: nobody waits for the writer while the input is slow.
            let (batch, end) = self.next_batch();
            store.write(|write| self.put_all(write, batch)).await?;
            self.watch.done(self.lines.bytes());
            match end {
                Some(Ok(())) => return Ok(self.summary),
                Some(Err(error)) => return Err(error),
                None => {}
            }
        }
    }

    async fn all_or_nothing(mut self, store: &Store) -> Result<Summary, ImportError> {
        /// Takes everything back; nobody sees it.
        const TAKE_BACK: StoreError = StoreError::Conflict { what: "a line is bad" };
        let mut failure = None;
        let written = store
            .write(|write| {
                loop {
                    let (batch, end) = self.next_batch();
                    self.put_all(write, batch)?;
                    self.watch.done(self.lines.bytes());
                    match end {
                        Some(Ok(())) if self.summary.refused == 0 => return Ok(()),
                        Some(outcome) => {
                            failure = outcome.err();
                            return Err(TAKE_BACK);
                        }
                        None => {}
                    }
                }
            })
            .await;
        match (failure, written) {
            (Some(failure), _) => Err(failure),
            (None, Err(_)) if self.summary.refused > 0 => {
                self.summary.taken.clear();
                Ok(self.summary)
            }
            (None, Err(error)) => Err(error.into()),
            (None, Ok(())) => Ok(self.summary),
        }
    }

    /// The next lines, and how the input ended if it did.
    fn next_batch(&mut self) -> (Vec<Line>, Option<Result<(), ImportError>>) {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH {
            match self.lines.next() {
                Ok(None) => return (batch, Some(Ok(()))),
                Ok(Some((place, line))) => {
                    let record = line.and_then(read_line).and_then(|record| {
                        rules::check(&record, self.options.now)?;
                        Ok(record)
                    });
                    batch.push((place, record));
                }
                Err((place, source)) => return (batch, Some(Err(ImportError::Input { place, source }))),
            }
        }
        (batch, None)
    }

    fn put_all(&mut self, write: &mut Write<'_>, batch: Vec<Line>) -> Result<(), StoreError> {
        for (place, record) in batch {
            let kind = match record {
                Ok(record) => put(write, record)?,
                Err(error) => Err(error),
            };
            match kind {
                Ok(kind) => *self.summary.taken.entry(kind).or_default() += 1,
                Err(error) => {
                    self.summary.refused += 1;
                    self.watch.refused(&place, &error);
                }
            }
        }
        Ok(())
    }
}

/// Puts one record. What contradicts the store is the line's fault, anything else the store's.
fn put(write: &mut Write<'_>, mut record: Record) -> Result<Result<&'static str, LineError>, StoreError> {
    if let Record::Pipeline(given) = &mut record
        && let Some(team) = write.team(given.team_id)?
        && let Some(stored) = write.pipeline(team)?
    {
        mask::unmask(given, &stored);
    }
    match write.attempt(|write| write.put(&record)) {
        Ok(()) => Ok(Ok(record.kind())),
        Err(StoreError::Missing { what }) => Ok(Err(LineError::new(record.kind(), format!("there is no such {what}")))),
        Err(StoreError::Conflict { what }) => Ok(Err(LineError::new(record.kind(), what))),
        Err(error) => Err(error),
    }
}
