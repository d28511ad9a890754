use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;

use super::{Lines, MOST, Writing, start};

const TIMEOUT: Duration = Duration::from_secs(30);

/// Output of tests that can block or fail.
#[derive(Clone, Default)]
struct Written(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// Writes block, as those to a pipe that is not read.
    blocked: bool,
    /// Writes fail after this many bytes.
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
            // All lines together fill the buffer.
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
    // A later line is never written, and does not block.
    put(&lines, "late");
}

#[test]
fn lines_that_nobody_reads_are_dropped_and_counted_and_nobody_waits() {
    let written = Written::default();
    written.set(true, None);
    let (lines, writing, dropped) = started(&written, TIMEOUT);
    let line = "x".repeat(MOST / 8) + "\n";
    // One line is being written, some are buffered, and the rest is dropped.
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
