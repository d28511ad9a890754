//! How many requests are worked on at once, and for how long. One that waits for something to happen is not worked on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;
use wearlab_server::ApiError;

/// The `Retry-After`: peaks of load are short.
const RETRY: Duration = Duration::from_secs(1);

tokio::task_local! {
    /// The turn of the request that a task works on.
    static TURN: Arc<Turn>;
}

/// In the extensions of requests on a connection above the bound, which is there for the probes.
#[derive(Clone, Copy)]
pub(super) struct ProbesOnly;

/// The turn of a request to be worked on: its permit, and its time.
pub(super) struct Turn {
    permits: Arc<Semaphore>,
    permit: Mutex<Option<OwnedSemaphorePermit>>,
    limit: Duration,
    /// When it is over. None while the request waits.
    end: watch::Sender<Option<Instant>>,
}

impl Turn {
    /// A turn of `limit`. None where all permits are taken: a queue would only make everyone late.
    pub(super) fn take(permits: &Arc<Semaphore>, limit: Duration, request: &Request) -> Option<Arc<Self>> {
        let over = request.extensions().get::<ProbesOnly>().is_some();
        let permit = permits.clone().try_acquire_owned().ok().filter(|_| !over)?;
        Some(Arc::new(Self {
            permits: permits.clone(),
            permit: Mutex::new(Some(permit)),
            limit,
            end: watch::Sender::new(end_of(limit)),
        }))
    }

    /// The response, or 503 where it is not there in time: what works on it is dropped.
    ///
    /// It is not tower-http's `Timeout`, since the store is to know the deadline too: it waits for its server on another
    /// thread, which nothing could drop.
    pub(super) async fn work(self: Arc<Self>, response: impl Future<Output = Response>) -> Response {
        let response = TURN.scope(self.clone(), wearlab_store::within(self.limit, response));
        tokio::select! {
            biased;
            response = response => response,
            () = self.over() => {
                tracing::error!(limit = ?self.limit, "gave up a request that took too long");
                shed()
            }
        }
    }

    /// Ready when its time is over.
    async fn over(&self) {
        let mut end = self.end.subscribe();
        loop {
            let at = *end.borrow_and_update();
            tokio::select! {
                () = tokio::time::sleep_until(at.unwrap_or_else(Instant::now)), if at.is_some() => return,
                _ = end.changed() => {}
            }
        }
    }

    fn pause(&self) {
        self.end.send_replace(None);
        self.permit().take();
    }

    /// Takes a permit again. False where all are taken.
    fn resume(&self) -> bool {
        let permit = self.permits.clone().try_acquire_owned().ok();
        let resumed = permit.is_some();
        *self.permit() = permit;
        self.end.send_replace(end_of(self.limit));
        resumed
    }

    fn permit(&self) -> std::sync::MutexGuard<'_, Option<OwnedSemaphorePermit>> {
        self.permit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn end_of(limit: Duration) -> Option<Instant> {
    Instant::now().checked_add(limit)
}

/// Waits, without a permit and for as long as that takes, and then goes on with a turn like that of a new request.
///
/// # Errors
///
/// Those of `work`, and 503 where all permits are taken by then.
pub(crate) async fn after<W, T>(
    waiting: impl Future<Output = W>,
    work: impl AsyncFnOnce(W) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let Ok(turn) = TURN.try_with(Clone::clone) else {
        // Nobody counts: it is not a request over HTTP.
        return work(waiting.await).await;
    };
    turn.pause();
    let waited = waiting.await;
    match turn.resume() {
        true => wearlab_store::within_anew(turn.limit, work(waited)).await,
        false => Err(ApiError::unavailable(RETRY)),
    }
}

/// 503 for a request without a permit, and for one that took too long.
pub(super) fn shed() -> Response {
    ApiError::unavailable(RETRY).into_response()
}
