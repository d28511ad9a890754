//! How many requests are worked on at once, and for how long.

use std::time::Duration;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;
use wearlab_server::ApiError;
use wearlab_server::layers::Onward;

/// When to come back: load is short.
const RETRY: Duration = Duration::from_secs(1);

/// In the extensions of requests on a connection above the bound, which is there for the probes.
#[derive(Clone, Copy)]
pub(super) struct ProbesOnly;

/// Answers 503 where every permit is taken. A queue would only make everyone late.
pub(super) async fn shed(places: &Semaphore, request: Request, next: impl Onward) -> Response {
    let over = request.extensions().get::<ProbesOnly>().is_some();
    let Some(_permit) = places.try_acquire().ok().filter(|_| !over) else {
        return ApiError::unavailable(RETRY).into_response();
    };
    next.run(request).await
}

/// Answers 503 where the answer is not there in time, and gives up what would make it, what waits for the store's server
/// too.
pub(super) async fn end_in_time(limit: Duration, request: Request, next: impl Onward) -> Response {
    let within = wearlab_store::within(limit, next.run(request));
    let Ok(response) = tokio::time::timeout(limit, within).await else {
        tracing::error!(?limit, "gave up a request that took too long");
        return ApiError::unavailable(RETRY).into_response();
    };
    response
}
