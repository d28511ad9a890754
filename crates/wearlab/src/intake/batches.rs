//! Reads lines and writes them batch by batch, or all together.

use std::thread;
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
        reader: Reader {
            lines: Lines::new(inputs),
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
            Ok(Accepted { kind, dropped_days }) => {
                *summary.taken.entry(kind.into()).or_default() += 1;
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
                write_lines(handler, &mut LineTransaction { write, alone }, batch, BATCH_TIME)
            })
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

#[cfg(test)]
pub(super) mod tests {
    use std::fs;
    use std::fs::File;
    use std::io::{self, Cursor, Read};
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread::{self, ThreadId};
    use std::time::Duration;

    use wearlab_store::{Store, StoreError};

    use super::super::{
        CommitMode, Input, IntakeError, LineError, LineHandler, LineLocation, LineTransaction, Outcome,
    };
    use super::super::{Progress, Summary};
    use super::{BATCH, process_lines};

    /// Lines are numbers, which are noted in the order of writing, with the threads that read.
    #[derive(Default)]
    pub(in super::super) struct Numbers {
        pub(in super::super) written: Mutex<Vec<usize>>,
        readers: Mutex<Vec<ThreadId>>,
    }

    impl LineHandler for Numbers {
        type Value = usize;

        fn read(&self, line: &str) -> Result<usize, LineError> {
            let reader = thread::current().id();
            let mut readers = self.readers.lock().expect("no panic");
            if readers.last() != Some(&reader) {
                readers.push(reader);
            }
            line.parse().map_err(|_| LineError::new("", "no number"))
        }

        fn write(&self, _: &mut LineTransaction<'_, '_>, value: &usize) -> Result<Outcome, StoreError> {
            self.written.lock().expect("no panic").push(*value);
            Ok(Ok("number".into()))
        }
    }

    #[derive(Default)]
    struct Seen {
        refused: Vec<u64>,
        committed: u64,
        done: u64,
    }

    impl Progress for Seen {
        fn refused(&mut self, location: &LineLocation, _: &LineError) {
            self.refused.push(location.line);
        }

        fn committed(&mut self, location: &LineLocation) -> io::Result<()> {
            self.committed = location.line;
            Ok(())
        }

        fn done(&mut self, bytes: u64) {
            self.done = bytes;
        }
    }

    /// Bytes, and then a disk that fails.
    struct Broken(Cursor<Vec<u8>>);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("the disk failed")),
                read => Ok(read),
            }
        }
    }

    const COUNT: usize = 2 * BATCH + 7;

    fn text() -> String {
        (0..COUNT).map(|number| format!("{number}\n")).collect()
    }

    async fn process(mode: CommitMode, input: Input) -> (Result<Summary, IntakeError>, Numbers, Seen) {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).expect("a store");
        let (numbers, mut seen) = (Numbers::default(), Seen::default());
        let summary = process_lines(&store, vec![input], &numbers, mode, &mut seen).await;
        (summary, numbers, seen)
    }

    #[tokio::test]
    async fn lines_that_are_read_ahead_are_written_in_order() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("numbers");
        let text = text().replacen("\n5000\n", "\nbad\n", 1);
        fs::write(&path, &text).expect("writes");
        for mode in [CommitMode::AsTheyCome, CommitMode::Batches, CommitMode::AllOrNothing] {
            let input = Input::of_file("numbers", File::open(&path).expect("opens"));
            let (summary, numbers, seen) = process(mode, input).await;
            let summary = summary.expect("reads");
            assert_eq!((summary.refused, seen.refused), (1, vec![5001]));
            assert_eq!(seen.done, text.len() as u64);
            let written = numbers.written.into_inner().expect("no panic");
            let expected: Vec<_> = (0..COUNT).filter(|number| *number != 5000).collect();
            assert!(written == expected, "{mode:?}");
            let readers = numbers.readers.into_inner().expect("no panic").len();
            assert_eq!(readers > 1, mode != CommitMode::AllOrNothing, "{mode:?}");
            if mode != CommitMode::AllOrNothing {
                assert_eq!(seen.committed, COUNT as u64);
            }
        }
    }

    /// Ends once somebody says so.
    struct Waiting(Receiver<()>);

    impl Read for Waiting {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            match self.0.recv_timeout(Duration::from_secs(60)) {
                Ok(()) => Ok(0),
                Err(error) => Err(io::Error::other(error)),
            }
        }
    }

    #[tokio::test]
    async fn the_end_of_a_file_is_written_before_a_pipe_is_waited_for() {
        struct Ends(Sender<()>);

        impl Progress for Ends {
            fn refused(&mut self, _: &LineLocation, _: &LineError) {}

            fn committed(&mut self, location: &LineLocation) -> io::Result<()> {
                assert_eq!(location.line, 3);
                self.0.send(()).map_err(io::Error::other)
            }

            fn done(&mut self, _: u64) {}
        }

        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("numbers");
        fs::write(&path, "1\n2\n3\n").expect("writes");
        let store = Store::open(&directory.path().join("store")).expect("a store");
        let (ends, waits) = channel();
        let file = Input::of_file("numbers", File::open(&path).expect("opens"));
        let inputs = vec![file, Input::new("pipe", Waiting(waits))];
        let numbers = Numbers::default();
        let summary = process_lines(&store, inputs, &numbers, CommitMode::AsTheyCome, &mut Ends(ends)).await;
        assert_eq!(summary.expect("reads").taken.values().sum::<u64>(), 3);
    }

    #[tokio::test]
    async fn what_was_read_ahead_of_a_failure_is_kept() {
        for mode in [CommitMode::AsTheyCome, CommitMode::Batches] {
            let broken = Broken(Cursor::new(text().into_bytes()));
            let (summary, numbers, seen) = process(mode, Input::new("numbers", broken)).await;
            assert!(matches!(summary, Err(IntakeError::Input { location, .. }) if location.line == COUNT as u64 + 1));
            assert_eq!(numbers.written.into_inner().expect("no panic").len(), COUNT);
            assert_eq!(seen.committed, COUNT as u64);
        }
    }
}
