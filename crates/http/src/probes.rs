//! `/livez`, `/readyz` and `/metrics`, on the management listener, without a key.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::watch;
use wearlab_clock::deadline;
use wearlab_server::ApiError;

use super::backend::Backend;
use super::metrics;
use super::setup::Setup;

/// Timeout of `/readyz` for the store. Probes mostly wait for five seconds or more.
const READY_TIMEOUT: Duration = Duration::from_secs(4);

/// Timeout of `/metrics` for the state of the store. Without it, the other metrics are returned.
const STATE_TIMEOUT: Duration = Duration::from_secs(1);

/// Progress of the shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShutdownState {
    /// Accepts requests.
    Open,
    /// Accepts requests, and `/readyz` fails.
    Draining,
    /// Accepts no new connections, and ends the open ones.
    Closing,
}

/// Returns the routes of the probes.
pub fn routes<A: Backend>(setup: &Setup, shutdown: watch::Receiver<ShutdownState>) -> Router<Arc<A>> {
    let metrics = setup.metrics.clone();
    Router::new()
        .route("/livez", get(async || response("text/plain", "alive\n")))
        .route("/readyz", get(move |api| ready::<A>(api, shutdown)))
        .route(
            "/metrics",
            get(async move |State(api): State<Arc<A>>| {
                let state = deadline::within(STATE_TIMEOUT, api.store_state());
                let state = tokio::time::timeout(STATE_TIMEOUT, state).await.ok().flatten();
                match metrics.text(state) {
                    Ok(text) => response(metrics::CONTENT_TYPE, text),
                    Err(error) => ApiError::internal(error).into_response(),
                }
            }),
        )
}

async fn ready<A: Backend>(State(api): State<Arc<A>>, shutdown: watch::Receiver<ShutdownState>) -> Response {
    if *shutdown.borrow() != ShutdownState::Open {
        return ApiError::unavailable(Duration::from_secs(1)).into_response();
    }
    let within = deadline::within(READY_TIMEOUT, api.ready());
    match tokio::time::timeout(READY_TIMEOUT, within).await {
        Ok(Ok(())) => response("text/plain", "ready\n"),
        // Other responses report a damaged store as an internal error. The probe reports that the service is not ready.
        Ok(Err(error)) if error.status() != StatusCode::SERVICE_UNAVAILABLE => {
            tracing::warn!(%error, "not ready");
            ApiError::unavailable(Duration::from_secs(1)).into_response()
        }
        Ok(Err(error)) => error.into_response(),
        Err(_) => ApiError::unavailable(Duration::from_secs(1)).into_response(),
    }
}

fn response(kind: &'static str, text: impl IntoResponse) -> Response {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], text).into_response()
}
