//! Tests of lines that are read ahead of those being written.

use std::fs;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, ThreadId};
use std::time::Duration;

use wearlab_store::{Store, StoreError};

use super::super::{CommitMode, Input, IntakeError, LineError, LineHandler, LineLocation, LineTransaction, Outcome};
use super::super::{Progress, Summary};
use super::{BATCH, process_lines};

/// Handler of numbers, which are recorded in the order of writing, with the threads that read them.
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

/// Reads bytes, and then fails.
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

/// Blocks until it is signalled, and then ends.
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
