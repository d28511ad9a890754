//! Reads lines and writes them batch by batch, or all together.

use std::thread;
use std::time::{Duration, Instant};

use wearlab_store::{Store, StoreError};

use super::lines::{BATCH_BYTES, Lines};
use super::{
    Accepted, CommitMode, Input, IntakeError, LineError, LineHandler, LineLocation, LineTransaction, Outcome, Progress,
    Summary,
};

/// How many lines are written together at most: the more, the more rows share the pages that are written for them.
pub(super) const BATCH: usize = 4000;
/// How long lines are written together at most, but for the last ones that are prepared for together and what follows from all
/// of them at the end: nobody else can write meanwhile.
const BATCH_TIME: Duration = Duration::from_millis(200);

/// How many lines are prepared for together.
const WINDOW: usize = 128;

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

/// A line that was read.
pub(super) type Line<V> = (LineLocation, Result<V, LineError>);

/// How the input ended.
type End = Result<(), IntakeError>;

struct Intake<'a, T> {
    reader: Reader<'a, T>,
    progress: &'a mut (dyn Progress + Send),
    summary: Summary,
}

/// Reads lines that are written together.
struct Reader<'a, T> {
    lines: Lines,
    handler: &'a T,
    commit_mode: CommitMode,
}

/// Lines that are written together.
struct Batch<V> {
    lines: Vec<Line<V>>,
    /// How many bytes they have.
    bytes: u64,
    /// How the input ended behind them, if it did.
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
            // Waits here: nobody waits for the writer while the input is slow.
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
        /// Rolls everything back; nobody sees it.
        const ROLLBACK: StoreError = StoreError::Conflict { what: "a line is bad" };
        let mut failure = None;
        let written = store
            .write(|write| {
                loop {
                    let mut batch = Batch::default();
                    self.reader.fill(&mut batch);
                    // Each alone: all bad lines are reported, and the input may not be there twice.
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
    /// Reads lines until a batch is full, or the input ends; where lines are kept as they come, also until it would wait for
    /// more of them.
    fn fill(&mut self, batch: &mut Batch<T::Value>) {
        while batch.has_room() {
            let as_they_come = self.commit_mode == CommitMode::AsTheyCome && !batch.lines.is_empty();
            if as_they_come && !self.lines.ready() && !self.lines.are_files() {
                return;
            }
            self.read_one(batch);
        }
    }

    /// Whether lines can be read ahead of those that are written. Only of those in memory: no disk may hold up the writer.
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
        match self.lines.next() {
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

/// Counts what became of lines, and returns where the last one is.
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

/// Writes the lines at the beginning of a batch, in one transaction, and says what became of each. Waits for others
/// that write: one that rewrites the files may take its time. `meanwhile` runs beside that, on a thread of its own.
///
/// What each line wrote can be rolled back alone only where the engine keeps what was there before, line by line. Bad
/// lines are rare, so all lines are written as one, and once more with that where one is bad.
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
                    // Where the system has no more threads, it is done later.
                    drop(thread::Builder::new().spawn_scoped(scope, meanwhile));
                }
                let outcomes = write_lines(handler, &mut LineTransaction { write, alone }, batch, BATCH_TIME)?;
                handler.complete(write, outcomes.iter().filter(|outcome| outcome.is_ok()).count())?;
                Ok(outcomes)
            })
        });
        match written.await {
            // It did not come to the work.
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

/// Writes lines until all are written or it has taken too long, and says what became of each.
fn write_lines<T: LineHandler>(
    handler: &T,
    line: &mut LineTransaction<'_, '_>,
    batch: &[Line<T::Value>],
    time_budget: Duration,
) -> Result<Vec<Outcome>, StoreError> {
    let begun = Instant::now();
    let mut outcomes = Vec::with_capacity(batch.len());
    for window in batch.chunks(WINDOW) {
        // A question that fails would be no line's fault.
        if !line.alone {
            handler.look_ahead(line.write, window.iter().filter_map(|(_, value)| value.as_ref().ok()))?;
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
