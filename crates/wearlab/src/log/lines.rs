//! Writer thread of the log. It writes many lines in one call to standard error, so that no other thread blocks on a
//! write. If standard error is not read or fails, lines are dropped and counted.

use std::io::{self, ErrorKind, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tracing_subscriber::fmt::MakeWriter;

/// Pause in which lines are collected for one write.
const PAUSE: Duration = Duration::from_millis(10);
/// Maximum buffered bytes; lines above it are dropped.
const MOST: usize = 1024 * 1024;
/// Timeout of the last write at shutdown.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Counter of dropped lines of this process's log.
pub(super) static DROPPED: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Buffer of lines.
#[derive(Clone)]
pub(super) struct Lines(Arc<Shared>);

/// Guard of the writer thread. Dropping it flushes the buffer, with a timeout.
pub(super) struct Writing {
    shared: Arc<Shared>,
    /// Disconnected when all lines are written.
    ended: Receiver<()>,
    /// Timeout of the flush.
    flush: Duration,
}

struct Shared {
    waiting: Mutex<LineBuffer>,
    /// Notified when there are lines, or when the guard is dropped.
    changed: Condvar,
    dropped: Counter,
}

#[derive(Default)]
struct LineBuffer {
    bytes: Vec<u8>,
    over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, LineBuffer> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts a thread that writes lines.
///
/// # Errors
///
/// If the system cannot start another thread.
pub(super) fn to(writer: impl Write + Send + 'static) -> io::Result<(Lines, Writing)> {
    start(writer, DROPPED.clone(), FLUSH_TIMEOUT)
}

fn start(writer: impl Write + Send + 'static, dropped: Counter, flush: Duration) -> io::Result<(Lines, Writing)> {
    let shared = Arc::new(Shared {
        waiting: Mutex::default(),
        changed: Condvar::new(),
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
            let idle = |waiting: &mut LineBuffer| waiting.bytes.is_empty() && !waiting.over;
            let waiting = shared.changed.wait_while(waiting, idle);
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
            // Logged as a line, so that it has the log's own format.
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

/// Output of the log, which may fail for a while.
struct Output<W> {
    writer: W,
    /// True if the last write ended within a line.
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
    /// The number of bytes that were not written.
    fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), usize> {
        while !bytes.is_empty() {
            match self.writer.write(bytes) {
                Ok(0) => return Err(bytes.len()),
                Ok(written) => {
                    self.torn = bytes[written - 1] != b'\n';
                    bytes = &bytes[written..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Another process with the same file made it non-blocking, and it is full.
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
            self.0.changed.notify_one();
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
        self.shared.changed.notify_one();
        // The end of the thread closes the channel. If standard error is not read, the thread ends with the process.
        let _ = self.ended.recv_timeout(self.flush);
    }
}

#[cfg(test)]
mod tests;
