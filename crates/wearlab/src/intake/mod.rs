//! Reads values line by line, and writes the good ones into a store.

mod expectation;
mod line;
mod lines;
mod position;
mod years;

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use wearlab_store::{Store, StoreError, Transaction};

pub use self::line::LineError;
pub(crate) use self::line::{of_field, read_line};
use self::lines::Lines;
pub use self::lines::{Input, LinePlace};
pub(crate) use self::position::with_field;
pub(crate) use self::years::{connection, date, failure, no_far_times, time};

/// How many lines are written together at most: the more, the more rows share the pages that are written for them.
const BATCH: usize = 4000;
/// How much is written together at most, but for the last line.
const BATCH_BYTES: u64 = 4 * 1024 * 1024;
/// How long lines are written together at most, but for the last line and what follows from all of them at the end: nobody
/// else can write meanwhile.
const BATCH_TIME: Duration = Duration::from_millis(200);

/// How long a batch is tried again while somebody else writes; the store waits for some seconds each time.
const BUSY_LIMIT: Duration = Duration::from_secs(300);

/// What lines are, and how they are written.
pub(crate) trait Take {
    /// What a line says.
    type Value: Send + Sync;

    /// Reads one line.
    fn read(&self, line: &str) -> Result<Self::Value, LineError>;

    /// Writes what a line says, and returns what to count it as. What contradicts the store is the line's fault, any
    /// other failure the store's.
    fn write(&self, part: &mut Part<'_, '_>, value: &Self::Value) -> Result<Outcome, StoreError>;
}

/// What a line that was taken is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) kind: &'static str,
    /// How many days of it were dropped.
    pub(crate) dropped_days: usize,
}

impl From<&'static str> for Counted {
    fn from(kind: &'static str) -> Self {
        Self { kind, dropped_days: 0 }
    }
}

/// When lines are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeping {
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
    pub taken: BTreeMap<&'static str, u64>,
    /// How many lines were refused.
    pub refused: u64,
    /// How many days were dropped of lines that were taken.
    pub dropped_days: u64,
}

/// Hears of lines while they are read.
pub trait Watch {
    /// A line was refused.
    fn refused(&mut self, place: &LinePlace, error: &LineError);

    /// Everything up to a line is kept for good, but for what was refused.
    ///
    /// # Errors
    ///
    /// Where it cannot be passed on; then no more lines are read.
    fn kept(&mut self, place: &LinePlace) -> io::Result<()> {
        let _ = place;
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
    #[error("read {place}")]
    Input {
        /// The line that could not be read.
        place: LinePlace,
        /// What the system says.
        source: io::Error,
    },
    /// Nobody hears what was kept.
    #[error("acknowledge lines up to {place}")]
    Acknowledge {
        /// The last line that is stored.
        place: LinePlace,
        /// What the system says.
        source: io::Error,
    },
    /// The store failed. What was written before is kept, unless all is kept or nothing.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads all lines, and writes them in batches, each of which is kept whole.
///
/// A bad line is told to `watch` and leaves the others alone, unless all is kept or nothing: then one bad line keeps
/// all out.
pub(crate) async fn take_all<T: Take + Sync>(
    store: &Store,
    inputs: Vec<Input>,
    take: &T,
    keeping: Keeping,
    watch: &mut (dyn Watch + Send),
) -> Result<Summary, IntakeError> {
    let intake = Intake {
        lines: Lines::new(inputs),
        take,
        keeping,
        watch,
        summary: Summary::default(),
    };
    match keeping {
        Keeping::AllOrNothing => intake.all_or_nothing(store).await,
        Keeping::Batches | Keeping::AsTheyCome => intake.in_batches(store).await,
    }
}

/// A line that was read.
type Line<V> = (LinePlace, Result<V, LineError>);

/// How the input ended.
type End = Result<(), IntakeError>;

struct Intake<'a, T> {
    lines: Lines,
    take: &'a T,
    keeping: Keeping,
    watch: &'a mut (dyn Watch + Send),
    summary: Summary,
}

impl<T: Take + Sync> Intake<'_, T> {
    async fn in_batches(mut self, store: &Store) -> Result<Summary, IntakeError> {
        loop {
            // Read first: nobody waits for the writer while the input is slow.
            let (mut batch, end) = self.next_batch();
            while !batch.is_empty() {
                let outcomes = write_some(self.take, store, &batch).await?;
                let written = batch.drain(..outcomes.len());
                if let Some(last) = self.count(written, outcomes)
                    && let Err(source) = self.watch.kept(&last)
                {
                    return Err(IntakeError::Acknowledge { place: last, source });
                }
            }
            self.watch.done(self.lines.bytes());
            match end {
                Some(Ok(())) => return Ok(self.summary),
                Some(Err(error)) => return Err(error),
                None => {}
            }
        }
    }

    async fn all_or_nothing(mut self, store: &Store) -> Result<Summary, IntakeError> {
        /// Takes everything back; nobody sees it.
        const TAKE_BACK: StoreError = StoreError::Conflict { what: "a line is bad" };
        let mut failure = None;
        let written = store
            .write(|write| {
                loop {
                    let (batch, end) = self.next_batch();
                    // Each alone: all bad lines are told, and the input may not be there twice.
                    let outcomes = write_lines(self.take, &mut Part { write, alone: true }, &batch, Duration::MAX)?;
                    self.count(batch, outcomes);
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
    fn next_batch(&mut self) -> (Vec<Line<T::Value>>, Option<End>) {
        let mut batch = Vec::new();
        let before = self.lines.bytes();
        while batch.len() < BATCH && self.lines.bytes() - before < BATCH_BYTES {
            match self.lines.next() {
                Ok(None) => return (batch, Some(Ok(()))),
                Ok(Some((place, line))) => batch.push((place, line.and_then(|line| self.take.read(line)))),
                Err((place, source)) => return (batch, Some(Err(IntakeError::Input { place, source }))),
            }
            if self.keeping == Keeping::AsTheyCome && !self.lines.ready() {
                break;
            }
        }
        (batch, None)
    }

    /// Counts what became of lines, and returns where the last one is.
    fn count(&mut self, lines: impl IntoIterator<Item = Line<T::Value>>, outcomes: Vec<Outcome>) -> Option<LinePlace> {
        let mut last = None;
        for ((place, _), outcome) in lines.into_iter().zip(outcomes) {
            match outcome {
                Ok(Counted { kind, dropped_days }) => {
                    *self.summary.taken.entry(kind).or_default() += 1;
                    self.summary.dropped_days += u64::try_from(dropped_days).unwrap_or(u64::MAX);
                }
                Err(error) => {
                    self.summary.refused += 1;
                    self.watch.refused(&place, &error);
                }
            }
            last = Some(place);
        }
        last
    }
}

/// Writes the lines at the beginning of a batch, in one transaction, and says what became of each. Waits for others
/// that write: one that rewrites the files may take its time.
///
/// What each line wrote can be taken back alone only where the engine keeps what was there before, line by line. Bad
/// lines are rare, so all lines are written as one, and once more with that where one is bad.
async fn write_some<T: Take + Sync>(
    take: &T,
    store: &Store,
    batch: &[Line<T::Value>],
) -> Result<Vec<Outcome>, StoreError> {
    let (mut begun, mut alone, mut since) = (false, false, Instant::now());
    loop {
        let written = store.write(|write| {
            begun = true;
            write_lines(take, &mut Part { write, alone }, batch, BATCH_TIME)
        });
        match written.await {
            // It did not come to the work.
            Err(StoreError::Busy) if !begun && since.elapsed() < BUSY_LIMIT => {}
            Err(StoreError::Missing { .. } | StoreError::Conflict { .. }) if !alone => {
                (begun, alone, since) = (false, true, Instant::now());
            }
            outcome => return outcome,
        }
    }
}

/// Writes lines until all are written or it has taken too long, and says what became of each.
fn write_lines<T: Take>(
    take: &T,
    part: &mut Part<'_, '_>,
    batch: &[Line<T::Value>],
    patience: Duration,
) -> Result<Vec<Outcome>, StoreError> {
    let begun = Instant::now();
    let mut outcomes = Vec::with_capacity(batch.len());
    for (_, value) in batch {
        outcomes.push(match value {
            Ok(value) => take.write(part, value)?,
            Err(error) => Err(error.clone()),
        });
        if begun.elapsed() >= patience {
            break;
        }
    }
    Ok(outcomes)
}

/// What a line was counted as, or why it was refused.
pub(crate) type Outcome = Result<Counted, LineError>;

/// The part of a transaction that a line is written in: one of its own, or all of it.
pub(crate) struct Part<'a, 'w> {
    pub(crate) write: &'a mut Transaction<'w>,
    /// Whether what a bad line wrote is taken back alone. Otherwise one takes back all of the transaction.
    alone: bool,
}

impl Part<'_, '_> {
    /// Writes what one line says. What contradicts the store is the line's fault.
    pub(crate) fn attempt<T>(
        &mut self,
        kind: &'static str,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<Result<T, LineError>, StoreError> {
        if !self.alone {
            return work(self.write).map(Ok);
        }
        self.write
            .attempt(work)
            .map(Ok)
            .or_else(|error| match fault(&error, kind) {
                Some(fault) => Ok(Err(fault)),
                None => Err(error),
            })
    }
}

/// What a line contradicts, unless the store has failed.
fn fault(error: &StoreError, kind: &'static str) -> Option<LineError> {
    match error {
        StoreError::Missing { what } => Some(LineError::new(kind, format!("there is no such {what}"))),
        StoreError::Conflict { what } => Some(LineError::new(kind, *what)),
        _ => None,
    }
}
