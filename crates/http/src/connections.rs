//! Accepts connections up to a limit, serves each until it closes or times out, and drains them.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::header::{ALLOW, CONNECTION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tower::ServiceExt;
use wearlab_server::Api;

use super::load::ProbesOnly;
use super::open_connections::{Admitted, OpenConnections, RESERVE};
use super::timeouts::{BodyPending, Watched};
use super::tls::Certificates;
use super::warning::Warning;
use super::{FastPath, Setup, ShutdownState};

/// Pause after the system refused a connection, as it does when file descriptors run out.
const PAUSE: Duration = Duration::from_secs(1);

/// Pause after the same error if an idle connection was closed to make room.
const SHORT_PAUSE: Duration = Duration::from_millis(20);

/// TCP keepalive: the time before the first probe of a silent peer, and the interval and number of probes.
const KEEPALIVE: TcpKeepalive = TcpKeepalive::new()
    .with_time(Duration::from_secs(60))
    .with_interval(Duration::from_secs(15))
    .with_retries(4);

/// Timeout of cut connections.
const CUT_TIMEOUT: Duration = Duration::from_secs(1);

/// Listener on one address, with its router and limits.
pub struct Listener<A> {
    /// Bound socket.
    pub listener: TcpListener,
    /// Routes, with their middleware.
    pub router: Router,
    /// Fast path for reads; none if all requests go through the router.
    pub fast_path: Option<FastPath<A>>,
    /// Settings, and the state that listeners share.
    pub setup: Arc<Setup>,
    /// Certificates for TLS; none without TLS.
    pub certificates: Option<Certificates>,
    /// Maximum open connections.
    pub connections: usize,
    /// True if this listener serves the probes, even above the limit.
    pub probes: bool,
}

/// State that the connections of a listener share.
struct Shared<A> {
    router: Router,
    fast_path: Option<FastPath<A>>,
    setup: Arc<Setup>,
    certificates: Option<Certificates>,
}

impl<A: Api> Listener<A> {
    /// Serves until the service closes, then waits for open connections within the limit, and cuts the rest.
    pub async fn serve(self, mut shutdown: watch::Receiver<ShutdownState>) {
        let settings = &self.setup.settings;
        let drain_limit = settings.timeouts.drain;
        let reserve = if self.probes { RESERVE } else { 0 };
        // Each listener has its own limit: callers of one do not block probes of the other.
        let connections = OpenConnections::new(
            self.connections,
            reserve,
            settings.timeouts.clone(),
            self.setup.metrics.clone(),
        );
        let shared = Arc::new(Shared {
            router: self.router,
            fast_path: self.fast_path,
            setup: self.setup,
            certificates: self.certificates,
        });
        let mut open = JoinSet::new();
        let failing = Warning::default();
        loop {
            while open.try_join_next().is_some() {}
            let accepted = async {
                let stream = accept(&self.listener, &connections, &failing).await;
                (stream, connections.admit().await)
            };
            let (stream, admitted) = tokio::select! {
                accepted = accepted => accepted,
                _ = shutdown.wait_for(|state| *state == ShutdownState::Closing) => break,
            };
            let (shared, shutdown) = (shared.clone(), shutdown.clone());
            open.spawn(async move {
                tokio::select! {
                    () = connection(stream, &shared, &admitted, shutdown) => {}
                    () = admitted.cut() => tracing::debug!("closed an idle connection for a new one"),
                }
            });
        }
        drop(self.listener);
        drain(open, drain_limit).await;
    }
}

/// Returns the next connection.
async fn accept(listener: &TcpListener, connections: &OpenConnections, failing: &Warning) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) if is_disconnect(&error) => {}
            Err(error) => {
                failing.say(Instant::now(), |times| {
                    tracing::error!(%error, times, "cannot accept a connection");
                });
                let pause = if connections.close_one() { SHORT_PAUSE } else { PAUSE };
                tokio::time::sleep(pause).await;
            }
        }
    }
}

/// Returns whether the error means that the caller closed the connection before it was accepted.
fn is_disconnect(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn connection<A: Api>(
    stream: TcpStream,
    shared: &Shared<A>,
    admitted: &Admitted,
    shutdown: watch::Receiver<ShutdownState>,
) {
    // Responses are written whole, so Nagle's algorithm only delays them.
    let _ = stream.set_nodelay(true);
    // A stream may stay open as long as its sender likes. Keepalive detects that the sender is gone.
    let _ = SockRef::from(&stream).set_tcp_keepalive(&KEEPALIVE);
    let Some(certificates) = &shared.certificates else {
        return requests(stream, shared, admitted, shutdown).await;
    };
    let shaken = certificates.acceptor().accept(stream);
    match tokio::time::timeout(shared.setup.settings.timeouts.header, shaken).await {
        Ok(Ok(stream)) => requests(stream, shared, admitted, shutdown).await,
        Ok(Err(error)) => tracing::debug!(%error, "a connection did not begin with TLS"),
        Err(_) => tracing::debug!("a connection took too long to begin with TLS"),
    }
}

async fn requests<A, S>(
    stream: S,
    shared: &Shared<A>,
    admitted: &Admitted,
    mut shutdown: watch::Receiver<ShutdownState>,
) where
    A: Api,
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let timeouts = admitted.timeouts().clone();
    let reserve = admitted.reserve;
    let service = service_fn(|mut request: Request<Incoming>| {
        if request.body().is_end_stream() {
            timeouts.busy();
        } else {
            timeouts.body();
            request.extensions_mut().insert(BodyPending(timeouts.clone()));
        }
        if reserve {
            request.extensions_mut().insert(ProbesOnly);
        }
        let connection = admitted.connection();
        async move {
            let read = shared
                .fast_path
                .as_ref()
                .and_then(|fast_path| Some((fast_path, fast_path.find(&request)?)));
            let mut response = match read {
                // Boxed, as the router's future is: connections are many, most of them idle, and each has room for this
                // future.
                Some((fast_path, found)) => {
                    let request = request.map(|_| Body::empty());
                    Box::pin(fast_path.respond(&found, connection, request)).await
                }
                None => {
                    request.extensions_mut().insert(connection);
                    Box::pin(routed(&shared.router, request)).await
                }
            };
            if reserve {
                // Connections above the limit close after one response.
                response
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
            }
            admitted.responded();
            Ok::<_, Infallible>(response)
        }
    });
    let limits = &shared.setup.settings.limits;
    let io = TokioIo::new(Watched::new(stream, timeouts.clone()));
    let connection = http1::Builder::new()
        // `timeouts` has its own timeout, which distinguishes a slow header from an idle connection.
        .header_read_timeout(None)
        // Twice the limits with a problem document as the response: hyper refuses anything larger with the status
        // alone.
        .max_buf_size((2 * (limits.uri_bytes + limits.header_bytes)).max(8192))
        .serve_connection(io, service);
    let mut connection = pin!(connection);
    let mut draining = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke");
                }
                return;
            }
            () = timeouts.over() => {
                tracing::debug!("cut a connection that was waited for too long");
                return;
            }
            _ = shutdown.wait_for(|state| *state == ShutdownState::Closing), if !draining => {
                draining = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Returns the response of the router.
async fn routed(router: &Router, request: Request<Incoming>) -> Response {
    let Ok(mut response) = router.clone().oneshot(request).await;
    // The router adds `Allow` to any response of the middleware, if the method has no handler.
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().remove(ALLOW);
    }
    response
}

async fn drain(mut open: JoinSet<()>, limit: Duration) {
    let ended = tokio::time::timeout(limit, async { while open.join_next().await.is_some() {} });
    if ended.await.is_err() {
        tracing::warn!(
            connections = open.len(),
            ?limit,
            "cut connections that did not end in time"
        );
        // A task that blocks its thread, such as one that waits for a database server, ends only when that returns.
        let _ = tokio::time::timeout(CUT_TIMEOUT, open.shutdown()).await;
    }
}
