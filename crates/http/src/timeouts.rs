//! Timeouts of one connection: for the header of a request, its body, the next request, and a caller that reads no
//! bytes.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use crate::settings::Timeouts;

/// Phase of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Between two requests, or while a response is sent: since its last byte was sent.
    Idle { since: Instant },
    /// Within a request's header, since its first byte; at first, since the connection was accepted.
    Header { since: Instant },
    /// Within a request's body, which has its own timeout, since the header's end.
    Body { since: Instant },
    /// A request is handled, which has its own timeout.
    Busy,
    /// A body is read while its response is sent, without a timeout for the caller.
    Open,
    /// The connection closes, whatever arrives.
    Closing,
}

impl Phase {
    /// Returns the start of the wait for the caller; none if there is no such wait.
    fn since(self) -> Option<Instant> {
        match self {
            Self::Idle { since } | Self::Header { since } | Self::Body { since } => Some(since),
            Self::Busy | Self::Open | Self::Closing => None,
        }
    }
}

/// Timeouts of one connection.
pub(super) struct ConnectionTimeouts {
    phase: Mutex<Phase>,
    header: Duration,
    idle: Duration,
}

impl ConnectionTimeouts {
    pub(super) fn new(timeouts: &Timeouts) -> Self {
        // The first header is due: a connection is opened to be used.
        let since = Instant::now();
        Self {
            phase: Mutex::new(Phase::Header { since }),
            header: timeouts.header,
            idle: timeouts.idle,
        }
    }

    /// Begins the body: a request's header is complete.
    pub(super) fn body(&self) {
        let since = Instant::now();
        self.change(|_| Some(Phase::Body { since }));
    }

    /// Begins the handler: a request is complete.
    pub(super) fn busy(&self) {
        self.change(|_| Some(Phase::Busy));
    }

    /// Begins a stream: a request's body is read while its response is sent.
    fn open(&self) {
        self.change(|_| Some(Phase::Open));
    }

    /// Begins the idle phase: a request has its response, which may still have to be sent.
    pub(super) fn idle(&self) {
        let since = Instant::now();
        self.change(|phase| (phase != Phase::Open).then_some(Phase::Idle { since }));
    }

    /// Ends a stream: its response is complete.
    fn end_open(&self) {
        let since = Instant::now();
        self.change(|_| Some(Phase::Idle { since }));
    }

    /// Returns the start of the wait for the caller; none while a request is handled.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        self.lock().since()
    }

    /// Closes the connection, unless something happened after the time that [`idle_since`](Self::idle_since) returned.
    pub(super) fn close_if_idle(&self, since: Instant) -> bool {
        let mut phase = self.lock();
        let same = phase.since() == Some(since);
        if same {
            *phase = Phase::Closing;
        }
        same
    }

    fn read(&self) {
        let since = Instant::now();
        self.change(|phase| matches!(phase, Phase::Idle { .. }).then_some(Phase::Header { since }));
    }

    fn written(&self) {
        let since = Instant::now();
        self.change(|phase| matches!(phase, Phase::Idle { .. }).then_some(Phase::Idle { since }));
    }

    fn change(&self, next: impl FnOnce(Phase) -> Option<Phase>) {
        let mut phase = self.lock();
        if *phase == Phase::Closing {
            return;
        }
        if let Some(next) = next(*phase) {
            *phase = next;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes once a timeout has passed.
    ///
    /// It polls: a phase that begins meanwhile is not due before the next poll.
    pub(super) async fn over(&self) {
        loop {
            let look_again = Instant::now() + self.header.min(self.idle);
            let phase = *self.lock();
            let until = match phase {
                Phase::Idle { since } => since + self.idle,
                Phase::Header { since } => since + self.header,
                Phase::Body { .. } | Phase::Busy | Phase::Open => look_again,
                Phase::Closing => return,
            };
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until.min(look_again)).await;
        }
    }
}

/// Handle in a request's extensions to report that its body is read.
#[derive(Clone)]
pub(super) struct BodyPending(pub(super) Arc<ConnectionTimeouts>);

impl BodyPending {
    /// Reports that the body is read.
    pub(super) fn read(&self) {
        self.0.busy();
    }

    /// Reports a stream: the body is read while the response is sent, until the returned guard is dropped.
    pub(super) fn open(self) -> OpenBody {
        self.0.open();
        OpenBody(self.0)
    }
}

/// Guard of a body that is read while its response is sent.
pub(super) struct OpenBody(Arc<ConnectionTimeouts>);

impl Drop for OpenBody {
    fn drop(&mut self) {
        self.0.end_open();
    }
}

/// Stream that reports its reads and writes to the timeouts.
pub(super) struct Watched<S> {
    stream: S,
    timeouts: Arc<ConnectionTimeouts>,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, timeouts: Arc<ConnectionTimeouts>) -> Self {
        Self { stream, timeouts }
    }

    fn note(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(written, Poll::Ready(Ok(count)) if count > 0) {
            self.timeouts.written();
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, into);
        if into.filled().len() > before {
            self.timeouts.read();
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
