//! Destinations of delivery benchmarks, which count the received messages.

use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;
use wearlab_tests::process::Wearlab;

/// Interval of polls.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Time limit without messages.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Destination of events.
pub(crate) trait Sink {
    /// Returns the pipeline for the destination.
    fn pipeline(&self) -> Value;

    /// Returns additional settings of a service.
    fn settings(&self) -> Vec<String> {
        ["egress.allow_plaintext=true", "egress.allow_networks=127.0.0.0/8"]
            .map(str::to_owned)
            .to_vec()
    }

    /// Connects the team's events to the destination, if a pipeline is not sufficient.
    fn connect(&self, _: &Wearlab) -> Result<()> {
        Ok(())
    }

    /// Returns the number of messages since it was emptied. `service` is the URL of the sender, for destinations that
    /// do not count.
    fn arrived(&self, service: Option<&str>) -> Result<u32>;

    /// Discards the received messages, or keeps them for the [reference](Self::bare) after [`keep`](Self::keep).
    fn empty(&self) -> Result<()>;

    /// Keeps the next messages for the reference, unless it already has some.
    fn keep(&self) {}

    /// Returns the average length of the bodies.
    fn length(&self) -> usize;

    /// Sends `count` of the kept messages with a bare client.
    fn bare(&self, count: usize) -> Result<JoinHandle<Result<()>>>;

    /// Returns the name of the bare client.
    fn reference(&self) -> &'static str;
}

/// Measures the messages in a second, from the first to the last of `count`, and empties the sink. `service` is the URL
/// of the sender, or none for the reference.
pub(crate) fn speed(sink: &dyn Sink, service: Option<&str>, count: u32) -> Result<f64> {
    let (mut last, mut begun, mut changed) = (0, Instant::now(), Instant::now());
    let mut first = None;
    while last < count {
        sleep(POLL_INTERVAL);
        let arrived = sink.arrived(service)?;
        if arrived > last {
            (last, changed) = (arrived, Instant::now());
            first.get_or_insert((arrived, changed));
        } else if arrived == 0 {
            begun = Instant::now();
        }
        let silence = changed.elapsed();
        ensure!(silence < TIMEOUT, "{last} of {count} came, and nothing for {silence:?}");
    }
    // Repeats would be counted, but none are expected.
    ensure!(last == count, "{last} came in place of {count}");
    sink.empty()?;
    // The first poll may return many messages whose duration is unknown. They are excluded, unless they are all.
    let (before, since) = first.filter(|(before, _)| *before < count).unwrap_or((0, begun));
    Ok(f64::from(count - before) / (changed - since).as_secs_f64())
}
