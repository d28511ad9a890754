//! Lines of a body that arrives in parts, written while it arrives, and acknowledged one by one once they are durable.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use wearlab_models::{Acknowledgement, StopReason};
use wearlab_server::ApiError;

use super::LineHandler;
use super::batches::BATCH_BYTES;
use super::received::{Acknowledging, Permission, Stop, Unread, Written, write};

/// How much is read ahead of what is written.
const READ_AHEAD: usize = BATCH_BYTES as usize;

/// How long a sender has to notice that its stream was stopped, before its connection is closed.
const LINGER: Duration = Duration::from_secs(1);

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
