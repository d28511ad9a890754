//! Lines of a body that arrives in parts, written while it arrives, and acknowledged one by one once they are durable.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};
use wearlab_models::{Acknowledgement, StopReason};
use wearlab_server::ApiError;
use wearlab_store::{Store, StoreError};

use super::batches::{BATCH, BATCH_BYTES, Line, write_some};
use super::framing::Framing;
use super::{Accepted, LineHandler, LineLocation, Outcome};

/// How much is read ahead of what is written.
const READ_AHEAD: usize = BATCH_BYTES as usize;

/// How long a sender has to notice that its stream was stopped, before its connection is closed.
const LINGER: Duration = Duration::from_secs(1);

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

/// Acknowledges the lines of a body in their order. It is read no faster than acknowledgements are taken.
pub(crate) fn acknowledgements<T, P, B>(
    intake: Acknowledging<T, P>,
    body: B,
) -> impl Stream<Item = Acknowledgement> + Send + 'static
where
    T: LineHandler<Value: 'static> + Send + Sync + 'static,
    P: Permission + Send + Sync + 'static,
    B: Stream<Item = Result<Bytes, ApiError>> + Send + Unpin + 'static,
{
    let receiving = Receiving {
        stopping: intake.stopping.clone(),
        intake: Arc::new(intake),
        body,
        end: None,
        ended: false,
        buffer: Vec::new(),
        has_line: false,
        unread: Some(Unread::default()),
        writing: None,
        last: 0,
        stopped: false,
    };
    let batches = stream::unfold(receiving, async |mut receiving| {
        let batch = receiving.next().await?;
        Some((stream::iter(batch), receiving))
    });
    // Polled across threads; a generated stream need not be `Unpin`.
    batches.flatten().boxed()
}

/// Bytes that were handed on to be read as lines.
#[derive(Default)]
struct Unread {
    framing: Framing,
    bytes: Vec<u8>,
    at: usize,
    /// Whether the body ends behind them, so that what is left is a line.
    last: bool,
}

impl Unread {
    /// Reads lines, up to so many as are written together.
    fn lines<T: LineHandler>(&mut self, handler: &T) -> Vec<Line<T::Value>> {
        let mut lines = Vec::new();
        while lines.len() < BATCH {
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
        lines
    }

    fn is_done(&self) -> bool {
        self.at == self.bytes.len() && !self.last
    }
}

/// Why a stream ends before its body.
type Stop = (StopReason, &'static str);

/// What became of lines, and the bytes behind them.
type Written = (Unread, Vec<Acknowledgement>, Option<Stop>);

/// How a body ended.
#[derive(Clone, Copy)]
enum End {
    Whole,
    Broken,
}

struct Receiving<T, P, B> {
    intake: Arc<Acknowledging<T, P>>,
    stopping: watch::Receiver<bool>,
    body: B,
    end: Option<End>,
    /// Whether all of it was handed on.
    ended: bool,
    /// What was received behind what is being written.
    buffer: Vec<u8>,
    /// Whether a line ends in it.
    has_line: bool,
    /// None while lines are being written.
    unread: Option<Unread>,
    writing: Option<JoinHandle<Written>>,
    /// The line that was acknowledged last.
    last: i64,
    stopped: bool,
}

impl<T, P, B> Receiving<T, P, B>
where
    T: LineHandler<Value: 'static> + Send + Sync + 'static,
    P: Permission + Send + Sync + 'static,
    B: Stream<Item = Result<Bytes, ApiError>> + Send + Unpin + 'static,
{
    /// The next acknowledgements. None at the end.
    async fn next(&mut self) -> Option<Vec<Acknowledgement>> {
        if self.stopped {
            // A connection that is closed while its sender writes may lose what it was sent.
            let rest = async { while let Some(Ok(_)) = self.body.next().await {} };
            let _ = tokio::time::timeout(LINGER, rest).await;
            return None;
        }
        loop {
            if self.writing.is_none() && *self.stopping.borrow() {
                return Some(vec![self.stop((
                    StopReason::ShuttingDown,
                    "the service is shutting down: send the rest again",
                ))]);
            }
            self.write_on();
            if self.writing.is_none()
                && let Some(end) = self.end
            {
                return match end {
                    End::Whole => None,
                    End::Broken => Some(vec![self.stop((
                        StopReason::BrokenBody,
                        "the body is incomplete, or not of its content coding",
                    ))]),
                };
            }
            let written = tokio::select! {
                biased;
                written = finished(&mut self.writing) => written,
                () = stopped(&mut self.stopping), if self.writing.is_none() => continue,
                part = self.body.next(), if self.end.is_none() && self.buffer.len() < READ_AHEAD => {
                    self.received(part);
                    continue;
                }
            };
            self.writing = None;
            return Some(self.written(written));
        }
    }

    fn received(&mut self, part: Option<Result<Bytes, ApiError>>) {
        match part {
            Some(Ok(part)) => {
                self.has_line |= part.contains(&b'\n');
                self.buffer.extend_from_slice(&part);
            }
            Some(Err(_)) => self.end = Some(End::Broken),
            None => self.end = Some(End::Whole),
        }
    }

    /// Begins to write what there is, unless something is being written.
    fn write_on(&mut self) {
        let Some(unread) = &mut self.unread else { return };
        if unread.is_done() {
            let last = matches!(self.end, Some(End::Whole)) && !self.ended;
            if !last && !self.has_line && self.buffer.len() < READ_AHEAD {
                return;
            }
            self.ended |= last;
            self.has_line = false;
            (unread.bytes, unread.at, unread.last) = (std::mem::take(&mut self.buffer), 0, last);
        }
        if let Some(unread) = self.unread.take() {
            self.writing = Some(tokio::spawn(write(self.intake.clone(), unread)));
        }
    }

    /// What is acknowledged once lines are written.
    fn written(&mut self, written: Option<Written>) -> Vec<Acknowledgement> {
        let failed = (StopReason::Failed, "the service failed: see its log");
        let (mut acknowledged, stop) = match written {
            Some((unread, acknowledged, stop)) => {
                self.unread = Some(unread);
                (acknowledged, stop)
            }
            // It panicked, which is logged.
            None => (Vec::new(), Some(failed)),
        };
        if let Some(last) = acknowledged.last() {
            self.last = last.line;
        }
        acknowledged.extend(stop.map(|stop| self.stop(stop)));
        acknowledged
    }

    fn stop(&mut self, (stopped, reason): Stop) -> Acknowledgement {
        self.stopped = true;
        Acknowledgement::builder()
            .line(self.last)
            .stopped(stopped)
            .reason(reason)
            .build()
    }
}

/// What a task returned, or none where it panicked. Never ready without a task.
async fn finished(writing: &mut Option<JoinHandle<Written>>) -> Option<Written> {
    match writing {
        Some(writing) => writing.await.ok(),
        None => std::future::pending().await,
    }
}

/// Ready once the service is shutting down.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    if stopping.wait_for(|stopping| *stopping).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Reads lines where other tasks are not held up, and writes them. A task of its own: what was begun is completed, even
/// if the sender is gone.
async fn write<T, P>(intake: Arc<Acknowledging<T, P>>, mut unread: Unread) -> Written
where
    T: LineHandler<Value: 'static> + Send + Sync + 'static,
    P: Permission + Send + Sync + 'static,
{
    let reading = intake.clone();
    let read = spawn_blocking(move || {
        let lines = unread.lines(&reading.handler);
        (unread, lines)
    });
    let (unread, mut lines) = match read.await {
        Ok(read) => read,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    };
    let mut acknowledged = Vec::with_capacity(lines.len());
    let stop = write_all(&intake, &mut lines, &mut acknowledged).await.err();
    (unread, acknowledged, stop)
}

async fn write_all<T: LineHandler + Sync, P: Permission>(
    intake: &Acknowledging<T, P>,
    lines: &mut Vec<Line<T::Value>>,
    acknowledged: &mut Vec<Acknowledgement>,
) -> Result<(), Stop> {
    if !intake.permission.holds(&intake.store).await.map_err(store_stop)? {
        return Err((StopReason::Unauthorized, "the key was revoked, or lost its scope"));
    }
    while !lines.is_empty() {
        let outcomes = write_some(&intake.handler, &intake.store, lines)
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

fn of(location: &LineLocation, outcome: Outcome) -> Acknowledgement {
    let line = i64::try_from(location.line).unwrap_or(i64::MAX);
    let built = Acknowledgement::builder().line(line);
    match outcome {
        Ok(Accepted { kind, dropped_days }) => {
            let dropped = i64::try_from(dropped_days).unwrap_or(i64::MAX);
            built
                .accepted(kind)
                .maybe_dropped_days((dropped > 0).then_some(dropped))
                .build()
        }
        Err(error) => {
            let field = (!error.path.is_empty()).then_some(error.path);
            built.maybe_field(field).reason(error.reason).build()
        }
    }
}

fn store_stop(error: StoreError) -> Stop {
    if error.is_transient() || matches!(error, StoreError::Replaced { .. }) {
        tracing::warn!(%error, "stopped a stream of lines");
        return (
            StopReason::Unavailable,
            "the store cannot be written now: send the rest again later",
        );
    }
    tracing::error!(%error, "stopped a stream of lines");
    (StopReason::Failed, "the service failed: see its log")
}
