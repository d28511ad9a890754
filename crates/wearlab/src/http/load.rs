//! How many requests are worked on at once, and for how long.

use std::time::Duration;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use tokio::sync::{Semaphore, SemaphorePermit};
use wearlab_server::ApiError;

/// The `Retry-After`: peaks of load are short.
const RETRY: Duration = Duration::from_secs(1);

/// In the extensions of requests on a connection above the bound, which is there for the probes.
#[derive(Clone, Copy)]
pub(super) struct ProbesOnly;

/// A permit to work on a request. None where all are taken: a queue would only make everyone late.
pub(super) fn permit<'p>(permits: &'p Semaphore, request: &Request) -> Option<SemaphorePermit<'p>> {
    let over = request.extensions().get::<ProbesOnly>().is_some();
    permits.try_acquire().ok().filter(|_| !over)
}

/// 503 for a request without a permit, and for one that took too long.
pub(super) fn shed() -> Response {
    ApiError::unavailable(RETRY).into_response()
}

/// The response, or 503 where it is not there in time: what works on it is dropped.
///
/// It is not tower-http's `Timeout`, since the store is to know the deadline too: it waits for its server on another
/// thread, which nothing could drop.
pub(super) async fn in_time(limit: Duration, response: impl Future<Output = Response>) -> Response {
    let Ok(response) = tokio::time::timeout(limit, wearlab_store::within(limit, response)).await else {
        tracing::error!(?limit, "gave up a request that took too long");
        return shed();
    };
    response
}
