//! Processes that print their events, a line each.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Timeout of a line while more are expected: on a busy machine, a client takes its time.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A process, stopped on drop.
pub(crate) struct Lines {
    process: Child,
    lines: Receiver<String>,
}

impl Lines {
    /// Runs one of the peers in Python.
    pub(crate) fn of(script: &str, arguments: &[&str]) -> Self {
        let peers = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers");
        let mut process = Command::new(super::variable("PUBSUB_PYTHON"))
            .arg(format!("{peers}/{script}"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python starts");
        let (send, lines) = channel();
        let stdout = BufReader::new(process.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(line) = line else { break };
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Self { process, lines }
    }

    /// The next line, which must arrive. Blocks only this task's worker: run it on a runtime with others.
    pub(crate) fn next(&self) -> String {
        self.lines.recv_timeout(TIMEOUT).expect("a line")
    }

    /// Lines until the last expected one, and then those that arrive within a moment.
    pub(crate) fn until(&self, mut last: impl FnMut(&str) -> bool, moment: Duration) -> Vec<String> {
        let mut lines = Vec::new();
        let mut done = false;
        loop {
            match self.lines.recv_timeout(if done { moment } else { TIMEOUT }) {
                Ok(line) => {
                    done = last(&line) || done;
                    lines.push(line);
                }
                Err(RecvTimeoutError::Timeout) if done => return lines,
                Err(error) => panic!("{error} after {} lines", lines.len()),
            }
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
