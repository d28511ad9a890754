//! Received lines of a body: read, written, and acknowledged.

use std::sync::{Arc, LazyLock};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use wearlab_models::{Acknowledgement, StopReason};
use wearlab_store::{Store, StoreError};

use super::batches::{BATCH, Line, write_some};
use super::framing::Framing;
use super::lines::BATCH_BYTES;
use super::{Accepted, LineHandler, LineLocation, Outcome};

/// State of a stream of lines: its store, handler and permission.
pub struct Acknowledging<T, P> {
    /// Store for the lines.
    pub store: Store,
    /// Handler of the lines.
    pub handler: T,
    /// Permission of the sender.
    pub permission: P,
    /// True once the service is shutting down.
    pub stopping: watch::Receiver<bool>,
}

/// Permission of a sender to write, which may end while a stream is open.
pub trait Permission {
    /// Returns whether it is still valid.
    fn holds(&self, store: &Store) -> impl Future<Output = Result<bool, StoreError>> + Send;
}

/// Bytes that are not read as lines yet.
pub(super) struct Unread<V> {
    framing: Framing,
    bytes: Vec<u8>,
    at: usize,
    /// True if the body ends after them, so that the rest is a line.
    last: bool,
    /// Lines that were read while others were written.
    ahead: Vec<Line<V>>,
}

impl<V> Unread<V> {
    /// Creates it for lines of at most so many bytes.
    pub(super) fn new(max_line: usize) -> Self {
        Self {
            framing: Framing::new(max_line),
            bytes: Vec::new(),
            at: 0,
            last: false,
            ahead: Vec::new(),
        }
    }

    /// Appends bytes, which may be the last ones.
    pub(super) fn push(&mut self, bytes: &mut Vec<u8>, last: bool) {
        self.bytes.drain(..std::mem::take(&mut self.at));
        match self.bytes.is_empty() {
            true => self.bytes = std::mem::take(bytes),
            false => self.bytes.append(&mut std::mem::take(bytes)),
        }
        self.last |= last;
    }

    /// Reads the lines of one batch.
    fn lines<T: LineHandler<Value = V>>(&mut self, handler: &T) -> Vec<Line<V>> {
        let (mut lines, begun) = (Vec::new(), self.at);
        while lines.len() < BATCH && ((self.at - begun) as u64) < BATCH_BYTES {
            let mut rest = &self.bytes[self.at..];
            let found = self.framing.push(&mut rest);
            self.at = self.bytes.len() - rest.len();
            // The last line may lack its line end.
            let found = found || std::mem::take(&mut self.last) && self.framing.finish();
            if !found {
                break;
            }
            let location = LineLocation {
                input: String::new(),
                line: self.framing.number,
            };
            let value = self.framing.line().and_then(|line| handler.read(line));
            lines.push((location, value));
        }
        if self.len() == 0 {
            // The buffer is freed: a stream may stay open for long without more lines.
            (self.bytes, self.at) = (Vec::new(), 0);
        }
        lines
    }

    /// Returns the number of bytes that are not read as lines yet.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(super) fn is_done(&self) -> bool {
        self.ahead.is_empty() && self.has_no_bytes()
    }

    fn has_no_bytes(&self) -> bool {
        self.len() == 0 && !self.last
    }
}

/// Reason why a stream ends before its body.
pub(super) type Stop = (StopReason, &'static str);

/// Acknowledgements of written lines, with the unread bytes.
pub(super) type Written<V> = (Unread<V>, Vec<Acknowledgement>, Option<Stop>);

/// Reads lines on a thread for blocking work, and writes them. It runs as a task of its own, so that it completes even
/// if the sender is gone.
pub(super) async fn write<T, P>(intake: Arc<Acknowledging<T, P>>, mut unread: Unread<T::Value>) -> Written<T::Value>
where
    T: LineHandler<Value: 'static> + Send + Sync + 'static,
    P: Permission + Send + Sync + 'static,
{
    let mut lines = std::mem::take(&mut unread.ahead);
    if lines.is_empty() {
        let reading = intake.clone();
        let read = spawn_blocking(move || {
            let lines = unread.lines(&reading.handler);
            (unread, lines)
        });
        (unread, lines) = match read.await {
            Ok(read) => read,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        };
    }
    let mut acknowledged = Vec::with_capacity(lines.len());
    let stop = write_all(&intake, &mut lines, &mut unread, &mut acknowledged)
        .await
        .err();
    (unread, acknowledged, stop)
}

/// Writes lines, and reads the next ones at the same time.
async fn write_all<T: LineHandler + Sync, P: Permission>(
    intake: &Acknowledging<T, P>,
    lines: &mut Vec<Line<T::Value>>,
    unread: &mut Unread<T::Value>,
    acknowledged: &mut Vec<Acknowledgement>,
) -> Result<(), Stop> {
    if !intake.permission.holds(&intake.store).await.map_err(store_stop)? {
        return Err((StopReason::Unauthorized, "the key was revoked, or lost its scope"));
    }
    while !lines.is_empty() {
        let may_read = unread.ahead.is_empty() && !unread.has_no_bytes();
        let handler = &intake.handler;
        let meanwhile = may_read.then_some(|| unread.ahead = unread.lines(handler));
        let outcomes = write_some(handler, &intake.store, lines, meanwhile)
            .await
            .map_err(store_stop)?;
        let written = lines.drain(..outcomes.len());
        acknowledged.extend(
            written
                .zip(outcomes)
                .map(|((location, _), outcome)| of(&location, outcome)),
        );
    }
    Ok(())
}

/// Lines that this process received, by outcome.
static LINES: LazyLock<Family<LineLabels, Counter>> = LazyLock::new(Family::default);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct LineLabels {
    outcome: &'static str,
}

/// Returns the number of received lines by `outcome`: `accepted` or `rejected`.
pub fn received_lines() -> Family<LineLabels, Counter> {
    for outcome in ["accepted", "rejected"] {
        drop(LINES.get_or_create(&LineLabels { outcome }));
    }
    LINES.clone()
}

fn count(outcome: &Outcome) {
    let outcome = match outcome {
        Ok(_) => "accepted",
        Err(_) => "rejected",
    };
    LINES.get_or_create(&LineLabels { outcome }).inc();
}

fn of(location: &LineLocation, outcome: Outcome) -> Acknowledgement {
    let line = i64::try_from(location.line).unwrap_or(i64::MAX);
    let built = Acknowledgement::builder().line(line);
    count(&outcome);
    match outcome {
        Ok(Accepted {
            kind,
            dropped_days,
            notes,
        }) => {
            let dropped = i64::try_from(dropped_days).unwrap_or(i64::MAX);
            built
                .accepted(kind)
                .maybe_dropped_days((dropped > 0).then_some(dropped))
                .maybe_notes((!notes.is_empty()).then_some(notes))
                .build()
        }
        Err(error) => {
            let field = (!error.path.is_empty()).then_some(error.path);
            built.maybe_field(field).reason(error.reason).build()
        }
    }
}

fn store_stop(error: StoreError) -> Stop {
    if error.is_transient() || error.ends_writes() {
        tracing::warn!(%error, "stopped a stream of lines");
        return (
            StopReason::Unavailable,
            "the store cannot be written now: send the rest again later",
        );
    }
    tracing::error!(%error, "stopped a stream of lines");
    (StopReason::Failed, "the service failed: see its log")
}
