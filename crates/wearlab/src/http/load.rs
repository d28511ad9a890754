//! How many requests are worked on at once, and for how long. One that waits for something to happen is not worked on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
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
    limit: Duration,
    state: Mutex<TurnState>,
    /// Notified when its end is another one.
    changed: Notify,
}

struct TurnState {
    /// Held while the request is worked on.
    _permit: Option<OwnedSemaphorePermit>,
    /// When it is over. None while the request waits.
    end: Option<Instant>,
}

impl Turn {
    /// A turn of `limit`. None where all permits are taken: a queue would only make everyone late.
    pub(super) fn take(permits: &Arc<Semaphore>, limit: Duration, request: &Request) -> Option<Arc<Self>> {
        let over = request.extensions().get::<ProbesOnly>().is_some();
        let permit = permits.clone().try_acquire_owned().ok().filter(|_| !over)?;
        Some(Arc::new(Self {
            permits: permits.clone(),
            limit,
            state: Mutex::new(TurnState {
                _permit: Some(permit),
                end: end_of(limit),
            }),
            changed: Notify::new(),
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
        loop {
            // Before the end is read, so that no change of it is missed.
            let changed = self.changed.notified();
            let end = self.state().end;
            tokio::select! {
                () = tokio::time::sleep_until(end.unwrap_or_else(Instant::now)), if end.is_some() => return,
                () = changed => {}
            }
        }
    }

    /// Waits without a permit and without the deadline of the request, which would end queries of the store, too. Returns whether
    /// the request has a permit again.
    async fn wait<W>(&self, waiting: impl Future<Output = W>) -> (W, bool) {
        self.pause();
        let waited = wearlab_store::within_anew(Duration::MAX, waiting).await;
        (waited, self.resume())
    }

    fn pause(&self) {
        *self.state() = TurnState {
            _permit: None,
            end: None,
        };
        self.changed.notify_waiters();
    }

    /// Takes a permit again. False where all are taken.
    fn resume(&self) -> bool {
        let permit = self.permits.clone().try_acquire_owned().ok();
        let resumed = permit.is_some();
        *self.state() = TurnState {
            _permit: permit,
            end: end_of(self.limit),
        };
        self.changed.notify_waiters();
        resumed
    }

    fn state(&self) -> MutexGuard<'_, TurnState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
    let (waited, resumed) = turn.wait(waiting).await;
    match resumed {
        true => wearlab_store::within_anew(turn.limit, work(waited)).await,
        false => Err(ApiError::unavailable(RETRY)),
    }
}

/// Waits without a permit, such as for a provider that may hang, and then does the rest of the `work`, also where all permits
/// are taken: what it waited for has an effect already, and the rest is a response.
pub(crate) async fn without_permit<W, T>(waiting: impl Future<Output = W>, work: impl AsyncFnOnce(W) -> T) -> T {
    let Ok(turn) = TURN.try_with(Clone::clone) else {
        return work(waiting.await).await;
    };
    let (waited, _) = turn.wait(waiting).await;
    wearlab_store::within_anew(turn.limit, work(waited)).await
}

/// 503 for a request without a permit, and for one that took too long.
pub(super) fn shed() -> Response {
    ApiError::unavailable(RETRY).into_response()
}
