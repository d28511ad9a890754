//! Lines that were received of a body: read, written, and acknowledged.

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

/// Where lines are written, and what ends a stream of them.
pub(crate) struct Acknowledging<T, P> {
    pub(crate) store: Store,
    pub(crate) handler: T,
    pub(crate) permission: P,
    /// True once the service is shutting down.
    pub(crate) stopping: watch::Receiver<bool>,
}

/// What lets a sender write, and may end while a stream is open.
pub(crate) trait Permission {
    /// Whether it still does.
    fn holds(&self, store: &Store) -> impl Future<Output = Result<bool, StoreError>> + Send;
}

/// Bytes that were handed on to be read as lines.
pub(super) struct Unread<V> {
    framing: Framing,
    bytes: Vec<u8>,
    at: usize,
    /// Whether the body ends behind them, so that what is left is a line.
    last: bool,
    /// Lines that were read while others were written.
    ahead: Vec<Line<V>>,
}

impl<V> Unread<V> {
    /// Bytes of lines that have at most so many each.
    pub(super) fn new(max_line: usize) -> Self {
        Self {
            framing: Framing::new(max_line),
            bytes: Vec::new(),
            at: 0,
            last: false,
            ahead: Vec::new(),
        }
    }

    /// Takes more bytes, which may be the last ones.
    pub(super) fn push(&mut self, bytes: &mut Vec<u8>, last: bool) {
        self.bytes.drain(..std::mem::take(&mut self.at));
        match self.bytes.is_empty() {
            true => self.bytes = std::mem::take(bytes),
            false => self.bytes.append(&mut std::mem::take(bytes)),
        }
        self.last |= last;
    }

    /// Reads lines, up to so many as are written together.
    fn lines<T: LineHandler<Value = V>>(&mut self, handler: &T) -> Vec<Line<V>> {
        let (mut lines, begun) = (Vec::new(), self.at);
        while lines.len() < BATCH && ((self.at - begun) as u64) < BATCH_BYTES {
            let mut rest = &self.bytes[self.at..];
            let found = self.framing.push(&mut rest);
            self.at = self.bytes.len() - rest.len();
            // A last line may lack its line end.
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
            // A stream may stay open for long without more of them.
            (self.bytes, self.at) = (Vec::new(), 0);
        }
        lines
    }

    /// How many bytes were not read as lines yet.
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

/// Why a stream ends before its body.
pub(super) type Stop = (StopReason, &'static str);

/// What became of lines, and the bytes behind them.
pub(super) type Written<V> = (Unread<V>, Vec<Acknowledgement>, Option<Stop>);

/// Reads lines where other tasks are not held up, and writes them. A task of its own: what was begun is completed, even
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

/// Writes lines, and reads the next ones meanwhile.
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

/// Lines that were received by this process, by what became of them.
static LINES: LazyLock<Family<LineLabels, Counter>> = LazyLock::new(Family::default);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct LineLabels {
    outcome: &'static str,
}

/// How many lines were received, by `outcome`: `accepted` or `rejected`.
pub(crate) fn lines() -> Family<LineLabels, Counter> {
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
