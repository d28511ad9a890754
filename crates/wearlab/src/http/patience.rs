//! Until when a connection is waited for: the header of a request, the next request, and a caller who takes no bytes.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use crate::config::http::Timeouts;

/// What a connection is at.
#[derive(Clone, Copy)]
enum Phase {
    /// Before a request, or while an answer is taken.
    Idle { until: Instant },
    /// Within a request's header.
    Header { until: Instant },
    /// A request is being answered, which has time-outs of its own.
    Busy,
}

/// How long one connection is still waited for.
pub(super) struct Patience {
    phase: Mutex<Phase>,
    header: Duration,
    idle: Duration,
}

impl Patience {
    pub(super) fn new(timeouts: &Timeouts) -> Self {
        let (header, idle) = (timeouts.header, timeouts.idle);
        // A connection is opened to be used: its first header is due.
        let until = Instant::now() + header;
        Self {
            phase: Mutex::new(Phase::Header { until }),
            header,
            idle,
        }
    }

    /// A request's header is whole.
    pub(super) fn busy(&self) {
        self.change(|_| Some(Phase::Busy));
    }

    /// A request has its answer, which may still have to be sent.
    pub(super) fn idle(&self) {
        let until = Instant::now() + self.idle;
        self.change(|_| Some(Phase::Idle { until }));
    }

    fn read(&self) {
        let until = Instant::now() + self.header;
        self.change(|phase| matches!(phase, Phase::Idle { .. }).then_some(Phase::Header { until }));
    }

    fn written(&self) {
        let until = Instant::now() + self.idle;
        self.change(|phase| matches!(phase, Phase::Idle { .. }).then_some(Phase::Idle { until }));
    }

    fn change(&self, next: impl FnOnce(Phase) -> Option<Phase>) {
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(next) = next(*phase) {
            *phase = next;
        }
    }

    /// Ready once it is over.
    ///
    /// It looks from time to time rather than being told: whatever begins meanwhile is not due before it looks again.
    pub(super) async fn over(&self) {
        loop {
            let look_again = Instant::now() + self.header.min(self.idle);
            let phase = *self.phase.lock().unwrap_or_else(PoisonError::into_inner);
            let until = match phase {
                Phase::Idle { until } | Phase::Header { until } => until,
                Phase::Busy => look_again,
            };
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until.min(look_again)).await;
        }
    }
}

/// A connection whose bytes are noted.
pub(super) struct Watched<S> {
    stream: S,
    patience: Arc<Patience>,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, patience: Arc<Patience>) -> Self {
        Self { stream, patience }
    }

    fn note(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(written, Poll::Ready(Ok(count)) if count > 0) {
            self.patience.written();
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, into);
        if into.filled().len() > before {
            self.patience.read();
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
