//! `wearlab ingest - --acks` under load: the lines that were sent, acknowledged and refused.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;

use crate::arrival::Arrival;
use crate::load::Load;
use wearlab_tests::process::{Wearlab, read_lines};

/// Maximum number of unacknowledged lines.
const IN_FLIGHT: usize = 3000;

/// Factor by which the load is reduced when the service is behind.
const SLOWDOWN: f64 = 10.0;
/// Limit of the arrivals of a burst that count for the pause after it.
const MAX_BURST: usize = 100;
/// Maximum pause between bursts.
const MAX_PAUSE: Duration = Duration::from_millis(1500);

/// The process, with the producer of its input.
pub(crate) struct IngestProcess {
    child: Child,
    sent: Arc<Sent>,
    producer: JoinHandle<Load>,
    readers: [JoinHandle<()>; 2],
}

#[derive(Default)]
struct Sent {
    stop: AtomicBool,
    slow: AtomicBool,
    /// True if its errors at the end are ignored.
    excused: AtomicBool,
    lines: Mutex<Lines>,
}

#[derive(Default)]
struct Lines {
    /// Acknowledged arrivals that were not returned yet.
    acknowledged: Vec<Arrival>,
    /// The number of the last acknowledged line.
    last: u64,
    /// Arrivals without an acknowledgement.
    in_flight: VecDeque<Arrival>,
    /// The numbers of refused lines, with the reasons.
    refused: BTreeMap<u64, String>,
    /// Unexpected output.
    surprises: Vec<String>,
}

/// Results of a process that ended.
pub(crate) struct Ended {
    /// The rest of the load.
    pub(crate) load: Load,
    /// Arrivals acknowledged since the last call.
    pub(crate) acknowledged: Vec<Arrival>,
    /// Arrivals that may have been taken.
    pub(crate) unacknowledged: VecDeque<Arrival>,
    /// The numbers of refused lines among all sent ones, with the reasons.
    pub(crate) refused: BTreeMap<u64, String>,
    /// Exit status.
    pub(crate) status: ExitStatus,
}

#[derive(Deserialize)]
struct Ack {
    line: u64,
}

impl IngestProcess {
    /// Starts the process, and sends `first`, the unacknowledged arrivals of an earlier one. `rate` is the approximate
    /// number of arrivals in a second.
    pub(crate) fn start(wearlab: &Wearlab, first: VecDeque<Arrival>, mut load: Load, rate: f64) -> Result<Self> {
        let mut command = wearlab.command(&["ingest", "-", "--acks"]);
        let piped = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = piped.spawn().context("cannot start the ingest")?;
        let sent = Arc::new(Sent::default());
        let acks = {
            let sent = Arc::clone(&sent);
            move |line: &str| sent.lines().hear_ack(line)
        };
        let errors = {
            let sent = Arc::clone(&sent);
            move |line: &str| sent.lines().hear_error(line)
        };
        let readers = [
            read_lines(child.stdout.take().context("no output")?, acks),
            read_lines(child.stderr.take().context("no output")?, errors),
        ];
        let stdin = child.stdin.take().context("no input")?;
        let producer = {
            let sent = Arc::clone(&sent);
            thread::spawn(move || {
                // It fails when the process is killed, which is intended.
                let _ = sent.produce(stdin, first, &mut load, rate);
                load
            })
        };
        Ok(Self {
            child,
            sent,
            producer,
            readers,
        })
    }

    /// Reduces or restores the load.
    pub(crate) fn slow(&self, slow: bool) {
        self.sent.slow.store(slow, Ordering::Relaxed);
    }

    /// Returns the arrivals acknowledged since the last call.
    pub(crate) fn acknowledged(&self) -> Vec<Arrival> {
        std::mem::take(&mut self.sent.lines().acknowledged)
    }

    /// Returns the arrivals that may have been taken beyond those of [`Self::acknowledged`].
    pub(crate) fn beyond(&self) -> Vec<Arrival> {
        let lines = self.sent.lines();
        lines.acknowledged.iter().chain(&lines.in_flight).copied().collect()
    }

    /// Kills the process.
    pub(crate) fn kill(mut self) -> Result<Ended> {
        if let Some(status) = self.child.try_wait()? {
            let surprises = self.sent.lines().surprises.join("; ");
            bail!("the ingest ended by itself: {status}: {surprises}");
        }
        self.end()
    }

    /// Kills the process, which may have ended with an error because its database was away.
    pub(crate) fn give_up(self) -> Result<Ended> {
        self.sent.excused.store(true, Ordering::Relaxed);
        self.end()
    }

    fn end(mut self) -> Result<Ended> {
        self.sent.stop.store(true, Ordering::Relaxed);
        self.child.kill()?;
        self.join()
    }

    /// Closes the input, and waits until all of it is processed.
    pub(crate) fn finish(self) -> Result<Ended> {
        self.sent.stop.store(true, Ordering::Relaxed);
        self.join()
    }

    fn join(mut self) -> Result<Ended> {
        let load = self.producer.join().map_err(|_| anyhow!("the producer failed"))?;
        let status = self.child.wait()?;
        for reader in self.readers {
            reader.join().map_err(|_| anyhow!("a reader failed"))?;
        }
        let lines = std::mem::take(&mut *self.sent.lines());
        if !lines.surprises.is_empty() && !self.sent.excused.load(Ordering::Relaxed) {
            bail!("the ingest said: {}", lines.surprises.join("; "));
        }
        Ok(Ended {
            load,
            acknowledged: lines.acknowledged,
            unacknowledged: lines.in_flight,
            refused: lines.refused,
            status,
        })
    }
}

impl Sent {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends lines until it is stopped.
    fn produce(
        &self,
        mut stdin: ChildStdin,
        first: VecDeque<Arrival>,
        load: &mut Load,
        rate: f64,
    ) -> std::io::Result<()> {
        for arrival in first {
            self.send(&mut stdin, arrival)?;
        }
        let mut due = Instant::now();
        while !self.stop.load(Ordering::Relaxed) {
            let burst = load.burst();
            for _ in 0..burst {
                self.send(&mut stdin, load.next())?;
            }
            // A burst counts only in part, because the pause after it would be too long.
            let slower = if self.slow.load(Ordering::Relaxed) {
                SLOWDOWN
            } else {
                1.0
            };
            due += Duration::from_secs_f64(slower * burst.min(MAX_BURST) as f64 / rate).min(MAX_PAUSE);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            while self.lines().in_flight.len() > IN_FLIGHT && !self.stop.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(10));
            }
        }
        Ok(())
    }

    fn send(&self, stdin: &mut ChildStdin, arrival: Arrival) -> std::io::Result<()> {
        // Recorded before it is sent: it may be acknowledged immediately.
        self.lines().in_flight.push_back(arrival);
        stdin.write_all(format!("{}\n", arrival.line()).as_bytes())
    }
}

impl Lines {
    fn hear_ack(&mut self, line: &str) {
        let Ok(Ack { line }) = serde_json::from_str::<Ack>(line) else {
            return self.surprises.push(format!("{line:?} for an acknowledgement"));
        };
        let count = usize::try_from(line.saturating_sub(self.last)).unwrap_or(usize::MAX);
        if count == 0 || count > self.in_flight.len() {
            let last = self.last;
            return self.surprises.push(format!("line {line} acknowledged after {last}"));
        }
        self.last = line;
        self.acknowledged.extend(self.in_flight.drain(..count));
    }

    /// Parses lines such as `wearlab: stdin:12: data: there is no such user`, and the counts at the end.
    fn hear_error(&mut self, line: &str) {
        let line = line.trim_start_matches("wearlab: ");
        let number = line.strip_prefix("stdin:").and_then(|rest| rest.split_once(':'));
        match number.and_then(|(number, why)| Some((number.parse().ok()?, why))) {
            Some((number, why)) => _ = self.refused.insert(number, why.trim().to_owned()),
            None if line.contains("accepted") || line.contains("rejected") => {}
            None => self.surprises.push(line.to_owned()),
        }
    }
}
