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

/// Whether the process was asked to end: by Ctrl-C, or by SIGTERM. Clones hear of it too.
#[derive(Clone, Debug)]
pub struct Stop(tokio::sync::watch::Receiver<bool>);

impl Stop {
    /// Begins to listen. From here on, the signals no longer end the process by themselves.
    ///
    /// # Errors
    ///
    /// Where the system does not let it listen.
    pub fn listen() -> io::Result<Self> {
        let (told, hears) = tokio::sync::watch::channel(false);
        let signals = signals()?;
        tokio::spawn(async move {
            signals.await;
            let _ = told.send(true);
        });
        Ok(Self(hears))
    }

    /// Ready when the process is asked to end.
    pub async fn asked(&mut self) {
        if self.0.wait_for(|asked| *asked).await.is_err() {
            // Nobody listens any more.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupted, mut terminated) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn signals() -> io::Result<impl Future<Output = ()> + Send> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
