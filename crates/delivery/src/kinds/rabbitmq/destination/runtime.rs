//! The runtime of lapin: tokio, without logs and with connected sockets.
//!
//! lapin's own tokio runtime is unsuitable: its tasks and its thread log frames, returned messages and credentials, and
//! its reactor has plain TCP streams only, which cannot be cut.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use async_compat::Compat;
use async_rs::Tokio;
use async_rs::traits::{Executor, Reactor, RuntimeKit};
use async_rs::util::Task;
use futures_io::{AsyncRead, AsyncWrite};
use futures_util::Stream as Ticks;
use tracing::Dispatch;
use tracing::dispatcher::set_default;
use tracing::instrument::WithSubscriber;

use crate::socket::Socket;

/// Runs a future without its log.
pub(super) fn quiet<F: Future>(future: F) -> impl Future<Output = F::Output> {
    future.with_subscriber(Dispatch::none())
}

/// Tokio, without the logs of its tasks.
#[derive(Clone, Debug)]
pub(super) struct QuietRuntime(Tokio);

impl QuietRuntime {
    /// The current runtime of tokio.
    pub(super) fn current() -> Self {
        Self(Tokio::current())
    }
}

impl RuntimeKit for QuietRuntime {}

impl Executor for QuietRuntime {
    type Task<T: Send + 'static> = <Tokio as Executor>::Task<T>;

    fn block_on<T, F: Future<Output = T>>(&self, future: F) -> T {
        // Only the thread that lapin makes for a connection blocks. It logs until it ends, so the guard is never dropped.
        std::mem::forget(set_default(&Dispatch::none()));
        self.0.block_on(future)
    }

    fn spawn<T: Send + 'static, F: Future<Output = T> + Send + 'static>(&self, future: F) -> Task<Self::Task<T>> {
        self.0.spawn(future.with_subscriber(Dispatch::none()))
    }

    fn spawn_blocking<T: Send + 'static, F: FnOnce() -> T + Send + 'static>(&self, work: F) -> Task<Self::Task<T>> {
        self.0.spawn_blocking(work)
    }
}

impl Reactor for QuietRuntime {
    type TcpStream = Compat<Socket>;
    type Sleep = <Tokio as Reactor>::Sleep;

    fn register<H: io::Read + io::Write + Send + 'static>(
        &self,
        _: H,
    ) -> io::Result<impl AsyncRead + AsyncWrite + Send + Unpin + 'static> {
        Err::<Compat<Socket>, _>(io::ErrorKind::Unsupported.into())
    }

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        self.0.sleep(duration)
    }

    fn interval(&self, duration: Duration) -> impl Ticks<Item = Instant> + Send + 'static {
        self.0.interval(duration)
    }

    fn tcp_connect_addr(&self, _: SocketAddr) -> impl Future<Output = io::Result<Self::TcpStream>> + Send + 'static {
        // lapin gets sockets instead.
        std::future::ready(Err(io::ErrorKind::Unsupported.into()))
    }
}
