//! Reads lines and writes them in batches, or all in one transaction.

use std::thread;
use std::time::{Duration, Instant};

use wearlab_store::{Store, StoreError};

use super::lines::{BATCH_BYTES, Lines};
use super::{
    Accepted, CommitMode, Input, IntakeError, LineError, LineHandler, LineLocation, LineTransaction, Outcome, Progress,
    Summary,
};

/// Maximum lines of a batch: the more lines, the more rows share the written pages.
pub(super) const BATCH: usize = 4000;
/// Maximum time in which a transaction writes lines, not counting the last window and the writes at the end of the
/// batch: it blocks all other writers.
const BATCH_TIME: Duration = Duration::from_millis(200);

/// Number of lines per prefetch.
const WINDOW: usize = 128;

/// Timeout of retrying a batch while the store is busy. The store itself waits for some seconds each time.
const BUSY_LIMIT: Duration = Duration::from_secs(300);

/// Reads all lines, and writes them in batches, each in one transaction.
///
/// A rejected line is reported to `progress`, and does not affect the others, unless the mode is all or nothing: then
/// one rejected line rejects all.
pub async fn process_lines<T: LineHandler + Sync>(
    store: &Store,
    inputs: Vec<Input>,
    handler: &T,
    commit_mode: CommitMode,
    progress: &mut (dyn Progress + Send),
) -> Result<Summary, IntakeError> {
    let intake = Intake {
        reader: Reader {
            lines: Lines::new(inputs, T::MAX_LINE),
            handler,
            commit_mode,
        },
        progress,
        summary: Summary::default(),
    };
    match commit_mode {
        CommitMode::AllOrNothing => intake.all_or_nothing(store).await,
        CommitMode::Batches | CommitMode::AsTheyCome => intake.in_batches(store).await,
    }
}

/// Parsed line, or its error.
pub(super) type Line<V> = (LineLocation, Result<V, LineError>);

/// End of the input.
type End = Result<(), IntakeError>;

struct Intake<'a, T> {
    reader: Reader<'a, T>,
    progress: &'a mut (dyn Progress + Send),
    summary: Summary,
}

/// Reads the lines of a batch.
struct Reader<'a, T> {
    lines: Lines,
    handler: &'a T,
    commit_mode: CommitMode,
}

/// Lines of one transaction.
struct Batch<V> {
    lines: Vec<Line<V>>,
    /// Length in bytes.
    bytes: u64,
    /// End of the input after them, if it ended.
    end: Option<End>,
}

impl<V> Default for Batch<V> {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            bytes: 0,
            end: None,
        }
    }
}

impl<T: LineHandler + Sync> Intake<'_, T> {
    async fn in_batches(self, store: &Store) -> Result<Summary, IntakeError> {
        let Self {
            mut reader,
            progress,
            mut summary,
        } = self;
        let (mut batch, mut done) = (Batch::default(), 0);
        loop {
            // Waits for the input outside the transaction, so that a slow input does not block other writers.
            reader.fill(&mut batch);
            let mut next = Batch::default();
            while !batch.lines.is_empty() {
                let handler = reader.handler;
                let meanwhile = reader.has_more(&next).then_some(|| reader.read_ahead(&mut next));
                let outcomes = write_some(handler, store, &batch.lines, meanwhile).await?;
                let written = batch.lines.drain(..outcomes.len());
                if let Some(last) = count(&mut summary, progress, written, outcomes)
                    && let Err(source) = progress.committed(&last)
                {
                    return Err(IntakeError::Acknowledge { location: last, source });
                }
            }
            done += batch.bytes;
            progress.done(done);
            match batch.end {
                Some(Ok(())) => return Ok(summary),
                Some(Err(error)) => return Err(error),
                None => batch = next,
            }
        }
    }

    async fn all_or_nothing(mut self, store: &Store) -> Result<Summary, IntakeError> {
        /// Internal error that rolls back the transaction. It is not returned.
        const ROLLBACK: StoreError = StoreError::Conflict { what: "a line is bad" };
        let mut failure = None;
        let written = store
            .write(|write| {
                loop {
                    let mut batch = Batch::default();
                    self.reader.fill(&mut batch);
                    // Each line is rolled back alone, so that all rejected lines are reported: the input may not be
                    // readable twice.
                    let outcomes = write_lines(
                        self.reader.handler,
                        &mut LineTransaction { write, alone: true },
                        &batch.lines,
                        Duration::MAX,
                    )?;
                    count(&mut self.summary, self.progress, batch.lines, outcomes);
                    self.progress.done(self.reader.lines.bytes());
                    match batch.end {
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
}

impl<T: LineHandler> Reader<'_, T> {
    /// Reads lines until a batch is full, or the input ends. If lines are committed as they arrive, it stops before it
    /// would wait for more of them, too.
    fn fill(&mut self, batch: &mut Batch<T::Value>) {
        while batch.has_room() {
            let as_they_come = self.commit_mode == CommitMode::AsTheyCome && !batch.lines.is_empty();
            if as_they_come && !self.lines.ready() && !self.lines.are_files() {
                return;
            }
            self.read_one(batch);
        }
    }

    /// Returns whether lines can be read ahead of those being written. Only lines in memory are, so that no disk delays
    /// the writer.
    fn has_more(&self, next: &Batch<T::Value>) -> bool {
        next.has_room() && self.lines.ready()
    }

    /// Reads the lines that are in memory.
    fn read_ahead(&mut self, next: &mut Batch<T::Value>) {
        while self.has_more(next) {
            self.read_one(next);
        }
    }

    fn read_one(&mut self, batch: &mut Batch<T::Value>) {
        let before = self.lines.bytes();
        match self.lines.next_line() {
            Ok(None) => batch.end = Some(Ok(())),
            Ok(Some((location, line))) => {
                let value = line.and_then(|line| self.handler.read(line));
                batch.lines.push((location, value));
            }
            Err((location, source)) => batch.end = Some(Err(IntakeError::Input { location, source })),
        }
        batch.bytes += self.lines.bytes() - before;
    }
}

impl<V> Batch<V> {
    fn has_room(&self) -> bool {
        self.end.is_none() && self.lines.len() < BATCH && self.bytes < BATCH_BYTES
    }
}

/// Counts the outcomes of lines, and returns the location of the last one.
fn count<V>(
    summary: &mut Summary,
    progress: &mut dyn Progress,
    lines: impl IntoIterator<Item = Line<V>>,
    outcomes: Vec<Outcome>,
) -> Option<LineLocation> {
    let mut last = None;
    for ((location, _), outcome) in lines.into_iter().zip(outcomes) {
        match outcome {
            Ok(Accepted {
                kind,
                dropped_days,
                notes,
            }) => {
                *summary.taken.entry(kind.into()).or_default() += 1;
                summary.note(&location, &notes, progress);
                summary.dropped_days += u64::try_from(dropped_days).unwrap_or(u64::MAX);
            }
            Err(error) => {
                summary.refused += 1;
                progress.refused(&location, &error);
            }
        }
        last = Some(location);
    }
    last
}

/// Writes the first lines of a batch in one transaction, and returns their outcomes. Waits for other writers: one that
/// rewrites the files may take long. `meanwhile` runs on another thread during the writes.
///
/// Rolling back the writes of a single line costs a savepoint for each line. Rejected lines are rare, so all lines are
/// written without savepoints first, and again with them if one is rejected.
pub(super) async fn write_some<T: LineHandler + Sync>(
    handler: &T,
    store: &Store,
    batch: &[Line<T::Value>],
    mut meanwhile: Option<impl FnOnce() + Send>,
) -> Result<Vec<Outcome>, StoreError> {
    let (mut begun, mut alone, mut since) = (false, false, Instant::now());
    loop {
        let written = store.write(|write| {
            begun = true;
            thread::scope(|scope| {
                if let Some(meanwhile) = meanwhile.take() {
                    // Without another thread, the lines are read later.
                    drop(thread::Builder::new().spawn_scoped(scope, meanwhile));
                }
                let outcomes = write_lines(handler, &mut LineTransaction { write, alone }, batch, BATCH_TIME)?;
                handler.complete(write, outcomes.iter().filter(|outcome| outcome.is_ok()).count())?;
                Ok(outcomes)
            })
        });
        match written.await {
            // The transaction did not begin.
            Err(StoreError::Busy) if !begun && since.elapsed() < BUSY_LIMIT => {}
            Err(
                StoreError::Missing { .. }
                | StoreError::Conflict { .. }
                | StoreError::NoSecretKey { .. }
                | StoreError::Refused { .. },
            ) if !alone => {
                (begun, alone, since) = (false, true, Instant::now());
            }
            Ok(outcomes) => {
                handler.committed();
                return Ok(outcomes);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Writes lines until all are written or the time is over, and returns their outcomes.
fn write_lines<T: LineHandler>(
    handler: &T,
    line: &mut LineTransaction<'_, '_>,
    batch: &[Line<T::Value>],
    time_budget: Duration,
) -> Result<Vec<Outcome>, StoreError> {
    let begun = Instant::now();
    let mut outcomes = Vec::with_capacity(batch.len());
    for window in batch.chunks(WINDOW) {
        // The error of a prefetch could not be attributed to a line.
        if !line.alone {
            handler.prefetch(line.write, window.iter().filter_map(|(_, value)| value.as_ref().ok()))?;
        }
        for (_, value) in window {
            outcomes.push(match value {
                Ok(value) => handler.write(line, value)?,
                Err(error) => Err(error.clone()),
            });
        }
        if begun.elapsed() >= time_budget {
            break;
        }
    }
    Ok(outcomes)
}

#[cfg(test)]
pub(super) mod tests;
