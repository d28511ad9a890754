//! `/livez`, `/readyz` and `/metrics`, on the management side, without a key.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::watch;
use wearlab_server::{ApiError, Partial};

use super::Setup;
use super::metrics;

/// How long `/readyz` waits for what requests are answered from. Whoever asks mostly waits for five seconds or more.
const READY_TIMEOUT: Duration = Duration::from_secs(4);

/// How long a response with metrics waits for what the store has. The others are there without it.
const STATE_TIMEOUT: Duration = Duration::from_secs(1);

/// What is served: it reports its readiness.
pub trait Backend: Send + Sync + 'static {
    /// Whether it can reach what responses are made of.
    ///
    /// # Errors
    ///
    /// What keeps it from answering.
    fn ready(&self) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// What is in the store, for `/metrics`. None where it cannot be asked now.
    fn store_state(&self) -> impl Future<Output = Option<StoreState>> + Send {
        std::future::ready(None)
    }

    /// Ends streams that would stay open for as long as their callers like: the service is shutting down.
    fn end_streams(&self) {}

    /// Pages for browsers, at the address of the interface.
    fn pages() -> Router<Arc<Self>>
    where
        Self: Sized,
    {
        Router::new()
    }

    /// Pages for browsers, at the address of the management area.
    fn management_pages(self: &Arc<Self>) -> Router<Arc<Self>>
    where
        Self: Sized,
    {
        Router::new()
    }
}

/// How much is in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreState {
    /// How many bytes it takes of a disk.
    pub bytes: u64,
    /// The number of the last event that there ever was.
    pub last_event: i64,
}

impl<T: Backend> Backend for Partial<T> {
    fn ready(&self) -> impl Future<Output = Result<(), ApiError>> + Send {
        self.0.ready()
    }

    fn store_state(&self) -> impl Future<Output = Option<StoreState>> + Send {
        self.0.store_state()
    }

    fn end_streams(&self) {
        self.0.end_streams();
    }
}

/// How far the service is in its shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// It takes requests.
    Open,
    /// It takes requests, and is not ready for more.
    Leaving,
    /// It takes no new connection, and ends the open ones.
    Closing,
}

/// The probes.
pub(crate) fn routes<A: Backend>(setup: &Setup, stage: watch::Receiver<Stage>) -> Router<Arc<A>> {
    let metrics = setup.metrics.clone();
    Router::new()
        .route("/livez", get(async || said("text/plain", "alive\n")))
        .route("/readyz", get(move |api| ready::<A>(api, stage)))
        .route(
            "/metrics",
            get(async move |State(api): State<Arc<A>>| {
                let state = wearlab_store::within(STATE_TIMEOUT, api.store_state());
                let state = tokio::time::timeout(STATE_TIMEOUT, state).await.ok().flatten();
                match metrics.text(state) {
                    Ok(text) => said(metrics::CONTENT_TYPE, text),
                    Err(error) => ApiError::internal(error).into_response(),
                }
            }),
        )
}

async fn ready<A: Backend>(State(api): State<Arc<A>>, stage: watch::Receiver<Stage>) -> Response {
    if *stage.borrow() != Stage::Open {
        return ApiError::unavailable(Duration::from_secs(1)).into_response();
    }
    let within = wearlab_store::within(READY_TIMEOUT, api.ready());
    match tokio::time::timeout(READY_TIMEOUT, within).await {
        Ok(Ok(())) => said("text/plain", "ready\n"),
        // A damaged store is an error of the service elsewhere, and a service that is not ready here.
        Ok(Err(error)) if error.status() != StatusCode::SERVICE_UNAVAILABLE => {
            tracing::warn!(%error, "not ready");
            ApiError::unavailable(Duration::from_secs(1)).into_response()
        }
        Ok(Err(error)) => error.into_response(),
        Err(_) => ApiError::unavailable(Duration::from_secs(1)).into_response(),
    }
}

fn said(kind: &'static str, text: impl IntoResponse) -> Response {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], text).into_response()
}
