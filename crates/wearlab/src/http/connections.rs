//! Accepts connections up to a bound, serves each until it or its time ends, and drains them.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tower::ServiceExt;

use super::patience::{Patience, Watched};
use super::{Setup, Stage};

/// How long to wait after the system refused a connection, as it does when file handles run out.
const PAUSE: Duration = Duration::from_secs(1);

/// One address, and what is answered there.
pub(crate) struct Door {
    pub(crate) listener: TcpListener,
    pub(crate) router: Router,
    pub(crate) setup: Arc<Setup>,
}

impl Door {
    /// Serves until `stage` is closing, then lets open connections end within the limit, and cuts the rest.
    pub(crate) async fn serve(self, mut stage: watch::Receiver<Stage>) {
        let Self {
            listener,
            router,
            setup,
        } = self;
        let limits = &setup.settings.limits;
        // Each address has its own bound: callers of one do not keep probes from the other.
        let places = Arc::new(Semaphore::new(limits.connections));
        let mut open = JoinSet::new();
        loop {
            while open.try_join_next().is_some() {}
            let (stream, place) = tokio::select! {
                accepted = accept(&listener, &places) => accepted,
                _ = stage.wait_for(|stage| *stage == Stage::Closing) => break,
            };
            let (router, setup, stage) = (router.clone(), setup.clone(), stage.clone());
            open.spawn(async move {
                let _counted = (place, setup.metrics.connection());
                connection(stream, router, &setup, stage).await;
            });
        }
        drop(listener);
        drain(open, setup.settings.timeouts.drain).await;
    }
}

/// The next connection, once there is a place for it. Until then, the system lets callers wait.
async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> (TcpStream, OwnedSemaphorePermit) {
    let Ok(place) = places.clone().acquire_owned().await else {
        unreachable!("nobody closes the semaphore")
    };
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) if gone(&error) => {}
            Err(error) => {
                tracing::error!(%error, "cannot accept a connection");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// The caller left before it was its turn.
fn gone(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn connection(stream: TcpStream, router: Router, setup: &Setup, stage: watch::Receiver<Stage>) {
    // Answers are written whole; waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    let Some(certificates) = &setup.certificates else {
        return requests(stream, router, setup, stage).await;
    };
    let shaken = certificates.acceptor().accept(stream);
    match tokio::time::timeout(setup.settings.timeouts.header, shaken).await {
        Ok(Ok(stream)) => requests(stream, router, setup, stage).await,
        Ok(Err(error)) => tracing::debug!(%error, "a connection did not begin with TLS"),
        Err(_) => tracing::debug!("a connection took too long to begin with TLS"),
    }
}

async fn requests<S>(stream: S, router: Router, setup: &Setup, mut stage: watch::Receiver<Stage>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let patience = Arc::new(Patience::new(&setup.settings.timeouts));
    let answer = service_fn(|request: Request<Incoming>| {
        patience.busy();
        let (router, patience) = (router.clone(), patience.clone());
        async move {
            let Ok(response) = router.oneshot(request).await;
            patience.idle();
            Ok::<_, Infallible>(response)
        }
    });
    let limits = &setup.settings.limits;
    let io = TokioIo::new(Watched::new(stream, patience.clone()));
    let connection = http1::Builder::new()
        // `patience` has its own, which tells a slow header from a pause.
        .header_read_timeout(None)
        // Twice what is answered with a problem document: beyond, it is no caller who would read one.
        .max_buf_size((2 * (limits.uri_bytes + limits.header_bytes)).max(8192))
        .serve_connection(io, answer);
    let mut connection = pin!(connection);
    let mut told = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke");
                }
                return;
            }
            () = patience.over() => {
                tracing::debug!("cut a connection that was waited for too long");
                return;
            }
            _ = stage.wait_for(|stage| *stage == Stage::Closing), if !told => {
                told = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

async fn drain(mut open: JoinSet<()>, limit: Duration) {
    let ended = tokio::time::timeout(limit, async { while open.join_next().await.is_some() {} });
    if ended.await.is_err() {
        tracing::warn!(
            connections = open.len(),
            ?limit,
            "cut connections that did not end in time"
        );
        open.shutdown().await;
    }
}
