//! Reads lines and writes them batch by batch, or all together.

use std::time::{Duration, Instant};

use wearlab_store::{Store, StoreError};

use super::lines::Lines;
use super::{
    Accepted, CommitMode, Input, IntakeError, LineError, LineHandler, LineLocation, LineTransaction, Outcome, Progress,
    Summary,
};

/// How many lines are written together at most: the more, the more rows share the pages that are written for them.
pub(super) const BATCH: usize = 4000;
/// How much is written together at most, but for the last line.
pub(super) const BATCH_BYTES: u64 = 4 * 1024 * 1024;
/// How long lines are written together at most, but for the last line and what follows from all of them at the end: nobody
/// else can write meanwhile.
const BATCH_TIME: Duration = Duration::from_millis(200);

/// How long a batch is tried again while somebody else writes; the store waits for some seconds each time.
const BUSY_LIMIT: Duration = Duration::from_secs(300);

/// Reads all lines, and writes them in batches, each of which is kept whole.
///
/// A bad line is reported to `progress` and leaves the others alone, unless all is kept or nothing: then one bad line keeps
/// all out.
pub(crate) async fn process_lines<T: LineHandler + Sync>(
    store: &Store,
    inputs: Vec<Input>,
    handler: &T,
    commit_mode: CommitMode,
    progress: &mut (dyn Progress + Send),
) -> Result<Summary, IntakeError> {
    let intake = Intake {
        lines: Lines::new(inputs),
        handler,
        commit_mode,
        progress,
        summary: Summary::default(),
    };
    match commit_mode {
        CommitMode::AllOrNothing => intake.all_or_nothing(store).await,
        CommitMode::Batches | CommitMode::AsTheyCome => intake.in_batches(store).await,
    }
}

/// A line that was read.
pub(super) type Line<V> = (LineLocation, Result<V, LineError>);

/// How the input ended.
type End = Result<(), IntakeError>;

struct Intake<'a, T> {
    lines: Lines,
    handler: &'a T,
    commit_mode: CommitMode,
    progress: &'a mut (dyn Progress + Send),
    summary: Summary,
}

impl<T: LineHandler + Sync> Intake<'_, T> {
    async fn in_batches(mut self, store: &Store) -> Result<Summary, IntakeError> {
        loop {
            // Read first: nobody waits for the writer while the input is slow.
            let (mut batch, end) = self.next_batch();
            while !batch.is_empty() {
                let outcomes = write_some(self.handler, store, &batch).await?;
                let written = batch.drain(..outcomes.len());
                if let Some(last) = self.count(written, outcomes)
                    && let Err(source) = self.progress.committed(&last)
                {
                    return Err(IntakeError::Acknowledge { location: last, source });
                }
            }
            self.progress.done(self.lines.bytes());
            match end {
                Some(Ok(())) => return Ok(self.summary),
                Some(Err(error)) => return Err(error),
                None => {}
            }
        }
    }

    async fn all_or_nothing(mut self, store: &Store) -> Result<Summary, IntakeError> {
        /// Rolls everything back; nobody sees it.
        const ROLLBACK: StoreError = StoreError::Conflict { what: "a line is bad" };
        let mut failure = None;
        let written = store
            .write(|write| {
                loop {
                    let (batch, end) = self.next_batch();
                    // Each alone: all bad lines are reported, and the input may not be there twice.
                    let outcomes = write_lines(
                        self.handler,
                        &mut LineTransaction { write, alone: true },
                        &batch,
                        Duration::MAX,
                    )?;
                    self.count(batch, outcomes);
                    self.progress.done(self.lines.bytes());
                    match end {
                        Some(Ok(())) if self.summary.refused == 0 => return Ok(()),
                        Some(outcome) => {
                            failure = outcome.err();
                            return Err(ROLLBACK);
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
                Ok(Some((location, line))) => batch.push((location, line.and_then(|line| self.handler.read(line)))),
                Err((location, source)) => return (batch, Some(Err(IntakeError::Input { location, source }))),
            }
            if self.commit_mode == CommitMode::AsTheyCome && !self.lines.ready() {
                break;
            }
        }
        (batch, None)
    }

    /// Counts what became of lines, and returns where the last one is.
    fn count(
        &mut self,
        lines: impl IntoIterator<Item = Line<T::Value>>,
        outcomes: Vec<Outcome>,
    ) -> Option<LineLocation> {
        let mut last = None;
        for ((location, _), outcome) in lines.into_iter().zip(outcomes) {
            match outcome {
                Ok(Accepted { kind, dropped_days }) => {
                    *self.summary.taken.entry(kind.into()).or_default() += 1;
                    self.summary.dropped_days += u64::try_from(dropped_days).unwrap_or(u64::MAX);
                }
                Err(error) => {
                    self.summary.refused += 1;
                    self.progress.refused(&location, &error);
                }
            }
            last = Some(location);
        }
        last
    }
}

/// Writes the lines at the beginning of a batch, in one transaction, and says what became of each. Waits for others
/// that write: one that rewrites the files may take its time.
///
/// What each line wrote can be rolled back alone only where the engine keeps what was there before, line by line. Bad
/// lines are rare, so all lines are written as one, and once more with that where one is bad.
pub(super) async fn write_some<T: LineHandler + Sync>(
    handler: &T,
    store: &Store,
    batch: &[Line<T::Value>],
) -> Result<Vec<Outcome>, StoreError> {
    let (mut begun, mut alone, mut since) = (false, false, Instant::now());
    loop {
        let written = store.write(|write| {
            begun = true;
            write_lines(handler, &mut LineTransaction { write, alone }, batch, BATCH_TIME)
        });
        match written.await {
            // It did not come to the work.
            Err(StoreError::Busy) if !begun && since.elapsed() < BUSY_LIMIT => {}
            Err(StoreError::Missing { .. } | StoreError::Conflict { .. } | StoreError::Refused { .. }) if !alone => {
                (begun, alone, since) = (false, true, Instant::now());
            }
            outcome => return outcome,
        }
    }
}

/// Writes lines until all are written or it has taken too long, and says what became of each.
fn write_lines<T: LineHandler>(
    handler: &T,
    line: &mut LineTransaction<'_, '_>,
    batch: &[Line<T::Value>],
    time_budget: Duration,
) -> Result<Vec<Outcome>, StoreError> {
    let begun = Instant::now();
    let mut outcomes = Vec::with_capacity(batch.len());
    for (_, value) in batch {
        outcomes.push(match value {
            Ok(value) => handler.write(line, value)?,
            Err(error) => Err(error.clone()),
        });
        if begun.elapsed() >= time_budget {
            break;
        }
    }
    Ok(outcomes)
}
