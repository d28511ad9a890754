//! Lines of the log on their way to standard error: many at once, by a thread of its own, so that nobody waits for a
//! write. Where standard error is not read or fails, lines are dropped and counted.

use std::io::{self, ErrorKind, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tracing_subscriber::fmt::MakeWriter;

/// How long lines wait for others.
const PAUSE: Duration = Duration::from_millis(10);
/// How many bytes wait at most; lines above it are dropped.
const MOST: usize = 1024 * 1024;
/// How long the end waits for what is not written yet.
const FLUSH: Duration = Duration::from_secs(2);

/// How many lines of this process's log were dropped.
pub(super) static DROPPED: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Where lines are put.
#[derive(Clone)]
pub(super) struct Lines(Arc<Shared>);

/// Writes what was put there, for a while when it is dropped.
pub(super) struct Writing {
    shared: Arc<Shared>,
    /// Told when all is written.
    ended: Receiver<()>,
    /// How long to wait for that.
    flush: Duration,
}

struct Shared {
    waiting: Mutex<Waiting>,
    /// There is something to write, or it is over.
    something: Condvar,
    dropped: Counter,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lines that a thread writes.
///
/// # Errors
///
/// Where the system has no more threads.
pub(super) fn to(writer: impl Write + Send + 'static) -> io::Result<(Lines, Writing)> {
    start(writer, DROPPED.clone(), FLUSH)
}

fn start(writer: impl Write + Send + 'static, dropped: Counter, flush: Duration) -> io::Result<(Lines, Writing)> {
    let shared = Arc::new(Shared {
        waiting: Mutex::default(),
        something: Condvar::new(),
        dropped,
    });
    let written = Arc::clone(&shared);
    let (end, ended) = mpsc::channel();
    let thread = thread::Builder::new().name("log".into());
    thread.spawn(move || write(&written, Output::new(writer), end))?;
    let writing = Writing {
        shared: Arc::clone(&shared),
        ended,
        flush,
    };
    Ok((Lines(shared), writing))
}

fn write(shared: &Shared, mut output: Output<impl Write>, _end: Sender<()>) {
    let (mut bytes, mut reported) = (Vec::new(), shared.dropped.get());
    loop {
        let over = {
            let waiting = shared.lock();
            let idle = |waiting: &mut Waiting| waiting.bytes.is_empty() && !waiting.over;
            let waiting = shared.something.wait_while(waiting, idle);
            waiting.unwrap_or_else(PoisonError::into_inner).over
        };
        if !over {
            thread::sleep(PAUSE);
        }
        std::mem::swap(&mut shared.lock().bytes, &mut bytes);
        let lost = output.write(&bytes);
        bytes.clear();
        shared.dropped.inc_by(lost);
        let dropped = shared.dropped.get();
        if lost == 0 && dropped > reported && !over {
            // It comes back as a line in the log's own format.
            tracing::warn!(
                lines = dropped - reported,
                "log lines were dropped: standard error was not read or failed"
            );
            reported = dropped;
        }
        if over {
            return;
        }
    }
}

/// What is written to, which may fail for a while.
struct Output<W> {
    writer: W,
    /// Whether what was written ends within a line.
    torn: bool,
}

impl<W: Write> Output<W> {
    fn new(writer: W) -> Self {
        Self { writer, torn: false }
    }

    /// Writes lines, and returns how many of them were lost.
    fn write(&mut self, lines: &[u8]) -> u64 {
        if lines.is_empty() {
            return 0;
        }
        if self.torn && self.write_all(b"\n").is_err() {
            return count(lines);
        }
        match self.write_all(lines) {
            Ok(()) => 0,
            Err(rest) => count(&lines[lines.len() - rest..]),
        }
    }

    /// # Errors
    ///
    /// How many bytes were not written.
    fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), usize> {
        while !bytes.is_empty() {
            match self.writer.write(bytes) {
                Ok(0) => return Err(bytes.len()),
                Ok(written) => {
                    self.torn = bytes[written - 1] != b'\n';
                    bytes = &bytes[written..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Whoever shares it made it non-blocking, and it is full.
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
                Err(_) => return Err(bytes.len()),
            }
        }
        self.writer.flush().map_err(|_| 0)
    }
}

fn count(lines: &[u8]) -> u64 {
    lines.iter().filter(|byte| **byte == b'\n').count() as u64
}

impl Write for &Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.lock();
        if waiting.over {
            return Ok(bytes.len());
        }
        if waiting.bytes.len() + bytes.len() > MOST {
            self.0.dropped.inc();
            return Ok(bytes.len());
        }
        let first = waiting.bytes.is_empty();
        waiting.bytes.extend_from_slice(bytes);
        drop(waiting);
        if first {
            self.0.something.notify_one();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.something.notify_one();
        // The thread's end ends the channel. Where nobody reads, the thread ends with the process.
        let _ = self.ended.recv_timeout(self.flush);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Condvar, Mutex};
    use std::thread;
    use std::time::Duration;

    use prometheus_client::metrics::counter::Counter;

    use super::{Lines, MOST, Writing, start};

    const TIMEOUT: Duration = Duration::from_secs(30);

    /// What was written, and how writing goes.
    #[derive(Clone, Default)]
    struct Written(Arc<(Mutex<State>, Condvar)>);

    #[derive(Default)]
    struct State {
        bytes: Vec<u8>,
        /// Writes wait, as those to a pipe that nobody reads.
        blocked: bool,
        /// This many bytes go out, and then writes fail.
        room: Option<usize>,
    }

    impl Written {
        fn set(&self, blocked: bool, room: Option<usize>) {
            let mut state = self.0.0.lock().expect("no panic");
            (state.blocked, state.room) = (blocked, room);
            self.0.1.notify_all();
        }

        fn text(&self) -> String {
            String::from_utf8(self.0.0.lock().expect("no panic").bytes.clone()).expect("text")
        }
    }

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let state = self.0.0.lock().expect("no panic");
            let mut state = self.0.1.wait_while(state, |state| state.blocked).expect("no panic");
            let most = state.room.unwrap_or(bytes.len()).min(bytes.len());
            if most == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            state.room = state.room.map(|room| room - most);
            state.bytes.extend_from_slice(&bytes[..most]);
            Ok(most)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn started(written: &Written, flush: Duration) -> (Lines, Writing, Counter) {
        let dropped = Counter::default();
        let (lines, writing) = start(written.clone(), dropped.clone(), flush).expect("a thread");
        (lines, writing, dropped)
    }

    fn put(lines: &Lines, line: &str) {
        (&mut &*lines).write_all(line.as_bytes()).expect("it never fails");
    }

    fn wait_until(done: impl Fn() -> bool) {
        let begun = std::time::Instant::now();
        while !done() {
            assert!(begun.elapsed() < TIMEOUT, "in time");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn all_lines_of_all_threads_are_written_whole_and_in_their_order() {
        const COUNT: usize = 5_000;
        let written = Written::default();
        let (lines, writing, dropped) = started(&written, TIMEOUT);
        thread::scope(|scope| {
            for name in ["one", "two", "three"] {
                let lines = &lines;
                // Together, what may wait at once.
                let rest = "x".repeat(MOST / COUNT / 3 - 16);
                scope.spawn(move || {
                    for number in 0..COUNT {
                        put(lines, &format!("{name} {number} {rest}\n"));
                    }
                });
            }
        });
        drop(writing);
        let text = written.text();
        for name in ["one", "two", "three"] {
            let numbers = text
                .lines()
                .filter_map(|line| line.strip_prefix(name)?.split(' ').nth(1)?.parse::<usize>().ok());
            assert!(numbers.eq(0..COUNT), "{name}");
        }
        assert_eq!(dropped.get(), 0);
        // Nobody reads what comes later, and nobody waits for it.
        put(&lines, "late");
    }

    #[test]
    fn lines_that_nobody_reads_are_dropped_and_counted_and_nobody_waits() {
        let written = Written::default();
        written.set(true, None);
        let (lines, writing, dropped) = started(&written, TIMEOUT);
        let line = "x".repeat(MOST / 8) + "\n";
        // What is being written, what waits, and what finds no room.
        put(&lines, "first\n");
        wait_until(|| lines.0.lock().bytes.is_empty());
        for _ in 0..10 {
            put(&lines, &line);
        }
        assert_eq!(dropped.get(), 3);
        written.set(false, None);
        drop(writing);
        assert_eq!(written.text().lines().count(), 8, "the first, and seven that had room");
        assert_eq!(dropped.get(), 3);
    }

    #[test]
    fn the_end_waits_for_nobody_for_ever() {
        let written = Written::default();
        written.set(true, None);
        let (lines, writing, _) = started(&written, Duration::from_millis(50));
        put(&lines, "never\n");
        drop(writing);
        assert_eq!(written.text(), "");
        written.set(false, None);
    }

    #[test]
    fn writes_that_fail_are_counted_and_the_next_line_begins_anew() {
        let written = Written::default();
        written.set(false, Some("whole\nha".len()));
        let (lines, writing, dropped) = started(&written, TIMEOUT);
        put(&lines, "whole\nhalf\nnone\n");
        wait_until(|| dropped.get() == 2);
        written.set(false, None);
        put(&lines, "again\n");
        drop(writing);
        assert_eq!(written.text(), "whole\nha\nagain\n");
    }
}
