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
    /// Notified when all is written.
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
    /// True if what was written ends within a line.
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
mod tests;
