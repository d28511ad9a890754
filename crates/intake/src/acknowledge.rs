//! Writes the lines of a body while it arrives in parts, and acknowledges them once they are durable.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::StatusCode;
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, yield_now};
use wearlab_models::{Acknowledgement, StopReason};
use wearlab_server::ApiError;

use super::LineHandler;
use super::lines::BATCH_BYTES;
use super::received::{Acknowledging, Permission, Stop, Unread, Written, write};

/// Read-ahead in bytes, while earlier lines are written: the limit of received bytes, and of those that were passed on
/// to be read as lines. The last part may exceed it.
const READ_AHEAD: usize = BATCH_BYTES as usize;

/// Minimum bytes of a part of the body after which the task yields.
const MIN_YIELD_BYTES: usize = 32 * 1024;

/// Time for a sender to notice that its stream was stopped, before its connection is closed.
const LINGER: Duration = Duration::from_secs(1);

/// Acknowledges the lines of a body in order. The body is read no faster than acknowledgements are consumed.
pub fn acknowledgements<T, P, B>(
    intake: Acknowledging<T, P>,
    body: B,
) -> impl Stream<Item = Acknowledgement> + Send + 'static
where
    T: LineHandler<Value: 'static> + Send + Sync + 'static,
    P: Permission + Send + Sync + 'static,
    B: Stream<Item = Result<Bytes, ApiError>> + Send + Unpin + 'static,
{
    let receiving = AcknowledgementState {
        stopping: intake.stopping.clone(),
        intake: Arc::new(intake),
        body,
        end: None,
        ended: false,
        buffer: Vec::new(),
        has_line: false,
        unread: Some(Unread::new(T::MAX_LINE)),
        writing: None,
        last: 0,
        stopped: false,
    };
    let batches = stream::unfold(receiving, async |mut receiving| {
        let batch = receiving.next().await?;
        Some((stream::iter(batch), receiving))
    });
    // Boxed, since it is polled across threads and a generated stream need not be `Unpin`.
    batches.flatten().boxed()
}

/// End of a body.
#[derive(Clone, Copy)]
enum End {
    Whole,
    Broken,
    /// The decoded body exceeds its limit.
    TooLarge,
}

struct AcknowledgementState<T: LineHandler, P, B> {
    intake: Arc<Acknowledging<T, P>>,
    stopping: watch::Receiver<bool>,
    body: B,
    end: Option<End>,
    /// True if the last part was passed on.
    ended: bool,
    /// Received bytes after those that are being written.
    buffer: Vec<u8>,
    /// True if a line ends in the buffer.
    has_line: bool,
    /// Unread lines, unless a task is writing them.
    unread: Option<Unread<T::Value>>,
    writing: Option<JoinHandle<Written<T::Value>>>,
    /// Number of the line that was acknowledged last.
    last: i64,
    stopped: bool,
}

impl<T, P, B> AcknowledgementState<T, P, B>
where
    T: LineHandler<Value: 'static> + Send + Sync + 'static,
    P: Permission + Send + Sync + 'static,
    B: Stream<Item = Result<Bytes, ApiError>> + Send + Unpin + 'static,
{
    /// Returns the next acknowledgements; none at the end.
    async fn next(&mut self) -> Option<Vec<Acknowledgement>> {
        if self.stopped {
            // If a connection is closed while its sender writes, the sender may lose the response.
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
            self.start_writing();
            if self.writing.is_none()
                && let Some(end) = self.end
            {
                return match end {
                    End::Whole => None,
                    End::Broken => Some(vec![self.stop((
                        StopReason::BrokenBody,
                        "the body is incomplete, or not of its content coding",
                    ))]),
                    End::TooLarge => Some(vec![self.stop((
                        StopReason::TooLarge,
                        "the body is too many times longer than its encoded form: send it without a content coding, or let \
                         the operator raise http.limits.decoded_ratio",
                    ))]),
                };
            }
            let written = tokio::select! {
                biased;
                written = finished(&mut self.writing) => written,
                () = stopped(&mut self.stopping), if self.writing.is_none() => continue,
                part = self.body.next(), if self.end.is_none() && self.buffer.len() < READ_AHEAD => {
                    let is_long = part
                        .as_ref()
                        .is_some_and(|part| part.as_ref().is_ok_and(|part| part.len() >= MIN_YIELD_BYTES));
                    self.received(part);
                    if is_long {
                        // Decoding uses the processor, and the next part may be ready immediately.
                        yield_now().await;
                    }
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
            Some(Err(error)) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => self.end = Some(End::TooLarge),
            Some(Err(_)) => self.end = Some(End::Broken),
            None => self.end = Some(End::Whole),
        }
    }

    /// Starts to write the buffered lines, unless others are being written.
    fn start_writing(&mut self) {
        let Some(unread) = &mut self.unread else { return };
        let last = matches!(self.end, Some(End::Whole)) && !self.ended;
        let is_worth = last || self.has_line || self.buffer.len() >= READ_AHEAD;
        // A batch of short lines may leave more bytes unread than it takes.
        if is_worth && unread.len() < READ_AHEAD {
            self.ended |= last;
            self.has_line = false;
            unread.push(&mut self.buffer, last);
        }
        if unread.is_done() {
            return;
        }
        if let Some(unread) = self.unread.take() {
            self.writing = Some(tokio::spawn(write(self.intake.clone(), unread)));
        }
    }

    /// Returns the acknowledgements of written lines.
    fn written(&mut self, written: Option<Written<T::Value>>) -> Vec<Acknowledgement> {
        let failed = (StopReason::Failed, "the service failed: see its log");
        let (mut acknowledged, stop) = match written {
            Some((unread, acknowledged, stop)) => {
                self.unread = Some(unread);
                (acknowledged, stop)
            }
            // The task panicked, which is logged.
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

/// Returns the result of a task; none if it panicked. Never completes without a task.
async fn finished<V>(writing: &mut Option<JoinHandle<Written<V>>>) -> Option<Written<V>> {
    match writing {
        Some(writing) => writing.await.ok(),
        None => std::future::pending().await,
    }
}

/// Completes once the service is shutting down.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    if stopping.wait_for(|stopping| *stopping).await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::{StreamExt, stream};
    use tokio::sync::watch;
    use wearlab_server::ApiError;
    use wearlab_store::{Store, StoreError};

    use super::super::batches::BATCH;
    use super::super::batches::tests::Numbers;
    use super::super::{LineError, LineTransaction, Outcome};
    use super::*;

    /// Length of each line. A batch of such lines is shorter than the read-ahead.
    const LENGTH: usize = 256;
    const COUNT: usize = 120_000;
    /// Length of a part, which is not a multiple of the line length.
    const PART: usize = 65_537;

    struct Counted {
        numbers: Numbers,
        written: &'static AtomicUsize,
    }

    impl LineHandler for Counted {
        type Value = usize;

        fn read(&self, line: &str) -> Result<usize, LineError> {
            self.numbers.read(line)
        }

        fn write(&self, line: &mut LineTransaction<'_, '_>, value: &usize) -> Result<Outcome, StoreError> {
            self.written.fetch_add(LENGTH, Ordering::Relaxed);
            self.numbers.write(line, value)
        }
    }

    struct Always;

    impl Permission for Always {
        async fn holds(&self, _: &Store) -> Result<bool, StoreError> {
            Ok(true)
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn lines_are_acknowledged_in_order_and_few_are_in_memory() {
        static WRITTEN: AtomicUsize = AtomicUsize::new(0);
        let directory = tempfile::tempdir().expect("a directory");
        let (_stop, stopping) = watch::channel(false);
        let intake = Acknowledging {
            store: Store::open(directory.path()).expect("a store"),
            handler: Counted {
                numbers: Numbers::default(),
                written: &WRITTEN,
            },
            permission: Always,
            stopping,
        };
        let mut text: String = (0..COUNT)
            .map(|number| format!("{number:<width$}\n", width = LENGTH - 1))
            .collect();
        // The last line may lack its line end.
        text.pop();
        let parts: Vec<_> = text.as_bytes().chunks(PART).map(Bytes::copy_from_slice).collect();
        let mut received = 0;
        let body = stream::iter(parts).map(move |part| {
            received += part.len();
            let ahead = received.saturating_sub(WRITTEN.load(Ordering::Relaxed));
            // Bytes that were passed on, those added to them, those received since, and lines that were read.
            let most = 3 * READ_AHEAD + 2 * PART + BATCH * LENGTH;
            assert!(ahead <= most, "{ahead} bytes are read ahead");
            Ok::<_, ApiError>(part)
        });
        let lines: Vec<i64> = acknowledgements(intake, body).map(|line| line.line).collect().await;
        assert!(lines.iter().copied().eq(1..=COUNT as i64), "{} lines", lines.len());
    }
}
