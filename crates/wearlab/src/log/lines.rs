//! Lines of the log on their way to standard error: many at once, by a thread of its own, so that no request waits for a
//! write.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// How long lines wait for others.
const PAUSE: Duration = Duration::from_millis(10);
/// How many bytes wait at most; above it, whoever logs waits as well.
const MOST: usize = 1024 * 1024;

/// Where lines are put.
#[derive(Clone)]
pub(super) struct Lines(Arc<Shared>);

/// Writes what was put there, to the end when it is dropped.
pub(super) struct Writing {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// There is something to write, or it is over.
    something: Condvar,
    /// There is room again.
    room: Condvar,
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
    let shared = Arc::<Shared>::default();
    let written = Arc::clone(&shared);
    let thread = thread::Builder::new()
        .name("log".into())
        .spawn(move || write(&written, writer))?;
    let writing = Writing {
        shared: Arc::clone(&shared),
        thread: Some(thread),
    };
    Ok((Lines(shared), writing))
}

fn write(shared: &Shared, mut writer: impl Write) {
    let mut bytes = Vec::new();
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
        shared.room.notify_all();
        // Nobody could be told that there is no standard error any more.
        let _ = writer.write_all(&bytes).and_then(|()| writer.flush());
        bytes.clear();
        if over {
            return;
        }
    }
}

impl Write for &Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let full = |waiting: &mut Waiting| waiting.bytes.len() >= MOST && !waiting.over;
        let waiting = self.0.room.wait_while(self.0.lock(), full);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        if waiting.over {
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
        self.shared.room.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};
    use std::thread;

    use super::{MOST, to};

    /// What was written.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn all_lines_of_all_threads_are_written_whole_and_in_their_order() {
        const COUNT: usize = 5_000;
        let written = Written::default();
        let (lines, writing) = to(written.clone()).expect("a thread");
        thread::scope(|scope| {
            for name in ["one", "two", "three"] {
                let lines = &lines;
                // More in all than may wait at once.
                let rest = "x".repeat(2 * MOST / COUNT);
                scope.spawn(move || {
                    for number in 0..COUNT {
                        let line = format!("{name} {number} {rest}\n");
                        (&mut &*lines).write_all(line.as_bytes()).expect("a place");
                    }
                });
            }
        });
        drop(writing);
        let text = String::from_utf8(written.0.lock().expect("no panic").clone()).expect("text");
        for name in ["one", "two", "three"] {
            let numbers = text
                .lines()
                .filter_map(|line| line.strip_prefix(name)?.split(' ').nth(1)?.parse::<usize>().ok());
            assert!(numbers.eq(0..COUNT), "{name}");
        }
        // Nobody reads what comes later, and nobody waits for it.
        (&mut &lines).write_all(&vec![0; MOST]).expect("a place");
        (&mut &lines).write_all(b"late").expect("a place");
    }
}
