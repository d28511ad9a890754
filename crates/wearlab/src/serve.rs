//! Puts the service on an address.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use wearlab_server::finish;

use crate::{Service, document};

/// How long answers that are under way may take once the service is told to stop.
const DRAIN: Duration = Duration::from_secs(5);

/// All routes: the interface, the management area, and the document that describes them.
pub fn router(service: Arc<Service>) -> Router {
    finish(wearlab_server::routes().merge(document::routes()), service)
}

/// Takes an address. Port 0 takes any free one.
///
/// # Errors
///
/// Where the address is in use, or is none of this machine's.
pub async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await
}

/// Answers requests until `stop` is ready, then lets answers that are under way end.
///
/// # Errors
///
/// Where the listener fails.
pub async fn serve(
    listener: TcpListener,
    service: Arc<Service>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    tracing::info!(address = ?listener.local_addr().ok(), "listening");
    let (told, mut tell) = tokio::sync::watch::channel(false);
    let stop = async move {
        stop.await;
        tracing::info!("stopping");
        let _ = told.send(true);
    };
    let server = axum::serve(listener, router(service)).with_graceful_shutdown(stop);
    let overdue = async move {
        let _ = tell.wait_for(|told| *told).await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        outcome = server => outcome,
        () = overdue => Ok(()),
    }
}

/// Ready when the process is asked to end: Ctrl-C, or SIGTERM.
pub async fn asked_to_stop() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}
