//! How long one connection is waited for: the header of a request, its body, the next request, and a caller who takes
//! no bytes.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use crate::config::http::Timeouts;

/// What a connection is at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Between two requests, or while a response is taken: since the last byte of it was.
    Idle { since: Instant },
    /// Within a request's header, since its first byte; at first, since the connection was accepted.
    Header { since: Instant },
    /// Within a request's body, which has a time-out of its own, since the header's end.
    Body { since: Instant },
    /// A request is being worked on, which has a time-out of its own.
    Busy,
    /// A body is read while the response to it is sent. The caller takes as long as it likes.
    Open,
    /// It is being closed, whatever comes.
    Closing,
}

impl Phase {
    /// Since when the caller is waited for.
    fn since(self) -> Option<Instant> {
        match self {
            Self::Idle { since } | Self::Header { since } | Self::Body { since } => Some(since),
            Self::Busy | Self::Open | Self::Closing => None,
        }
    }
}

/// How long one connection is still waited for.
pub(super) struct ConnectionTimeouts {
    phase: Mutex<Phase>,
    header: Duration,
    idle: Duration,
}

impl ConnectionTimeouts {
    pub(super) fn new(timeouts: &Timeouts) -> Self {
        // A connection is opened to be used: its first header is due.
        let since = Instant::now();
        Self {
            phase: Mutex::new(Phase::Header { since }),
            header: timeouts.header,
            idle: timeouts.idle,
        }
    }

    /// A request's header is whole, and its body is to come.
    pub(super) fn body(&self) {
        let since = Instant::now();
        self.change(|_| Some(Phase::Body { since }));
    }

    /// A request is whole.
    pub(super) fn busy(&self) {
        self.change(|_| Some(Phase::Busy));
    }

    /// A request's body is read while the response is sent.
    fn open(&self) {
        self.change(|_| Some(Phase::Open));
    }

    /// A request has its response, which may still have to be sent.
    pub(super) fn idle(&self) {
        let since = Instant::now();
        self.change(|phase| (phase != Phase::Open).then_some(Phase::Idle { since }));
    }

    /// The response to a body that was read meanwhile is made.
    fn end_open(&self) {
        let since = Instant::now();
        self.change(|_| Some(Phase::Idle { since }));
    }

    /// Since when the caller is waited for. None while a request is worked on.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        self.lock().since()
    }

    /// Ends it, unless something happened after the time that [`idle_since`](Self::idle_since) had.
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

    /// Ready once it is over.
    ///
    /// It polls rather than being notified: whatever begins meanwhile is not due before it looks again.
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

/// In a request's extensions while its body is to come: whoever has read that says so.
#[derive(Clone)]
pub(super) struct BodyPending(pub(super) Arc<ConnectionTimeouts>);

impl BodyPending {
    /// The body is there.
    pub(super) fn read(&self) {
        self.0.busy();
    }

    /// The body is read while the response is sent, until what is returned is dropped.
    pub(super) fn open(self) -> OpenBody {
        self.0.open();
        OpenBody(self.0)
    }
}

/// A body that is read while the response is sent.
pub(super) struct OpenBody(Arc<ConnectionTimeouts>);

impl Drop for OpenBody {
    fn drop(&mut self) {
        self.0.end_open();
    }
}

/// A connection whose bytes are noted.
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
