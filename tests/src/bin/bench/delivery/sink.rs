//! What takes what is delivered, and says how much came.

use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;
use wearlab_tests::process::Wearlab;

/// How often it is asked what came.
const OFTEN: Duration = Duration::from_millis(10);
/// How long nothing may come.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Where events arrive.
pub(crate) trait Sink {
    /// What a pipeline says of it.
    fn pipeline(&self) -> Value;

    /// What a service needs to get there besides.
    fn settings(&self) -> Vec<String> {
        ["egress.allow_plaintext=true", "egress.allow_networks=127.0.0.0/8"]
            .map(str::to_owned)
            .to_vec()
    }

    /// Has the team's events go there, where a pipeline is not enough.
    fn connect(&self, _: &Wearlab) -> Result<()> {
        Ok(())
    }

    /// How many messages came since it was emptied, of a service where it does not know by itself.
    fn arrived(&self, service: Option<&str>) -> Result<u32>;

    /// Forgets what came, or keeps it for the [reference](Self::bare), where that was asked for.
    fn empty(&self) -> Result<()>;

    /// Has the next messages that come be what the reference sends, unless that is known already.
    fn keep(&self) {}

    /// How long their bodies are.
    fn length(&self) -> usize;

    /// Has a bare client send so many messages: what was kept.
    fn bare(&self, count: usize) -> Result<JoinHandle<Result<()>>>;

    /// What that client is.
    fn reference(&self) -> &'static str;
}

/// How many messages a second come, from the first to the last of so many, which then are gone. They are of a service, or
/// of the reference.
pub(crate) fn speed(sink: &dyn Sink, service: Option<&str>, count: u32) -> Result<f64> {
    let (mut last, mut begun, mut changed) = (0, Instant::now(), Instant::now());
    let mut first = None;
    while last < count {
        sleep(OFTEN);
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
    // Repeats would be counted, but there is no reason for any.
    ensure!(last == count, "{last} came in place of {count}");
    sink.empty()?;
    // What came first may be much, and nobody knows how long it took, unless it is all.
    let (before, since) = first.filter(|(before, _)| *before < count).unwrap_or((0, begun));
    Ok(f64::from(count - before) / (changed - since).as_secs_f64())
}
