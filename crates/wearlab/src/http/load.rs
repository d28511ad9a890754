//! Limits of concurrent requests and of their time. A request that waits for an event or another machine does not count.

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
    /// That of the request that a task handles.
    static PERMIT: Arc<RequestPermit>;
}

/// In the extensions of requests on a connection above the bound, which is there for the probes.
#[derive(Clone, Copy)]
pub(super) struct ProbesOnly;

/// The permit of a request to run, and its deadline.
pub(super) struct RequestPermit {
    permits: Arc<Semaphore>,
    limit: Duration,
    state: Mutex<PermitState>,
    /// Notified when the deadline changes.
    changed: Notify,
}

struct PermitState {
    /// Held while the request runs.
    _permit: Option<OwnedSemaphorePermit>,
    /// None while the request waits.
    deadline: Option<Instant>,
}

impl RequestPermit {
    /// Takes a permit, for a time of `limit`. None where all are taken: a queue would only make everyone late.
    pub(super) fn acquire(permits: &Arc<Semaphore>, limit: Duration, request: &Request) -> Option<Arc<Self>> {
        let over = request.extensions().get::<ProbesOnly>().is_some();
        let permit = permits.clone().try_acquire_owned().ok().filter(|_| !over)?;
        Some(Arc::new(Self {
            permits: permits.clone(),
            limit,
            state: Mutex::new(PermitState {
                _permit: Some(permit),
                deadline: deadline_after(limit),
            }),
            changed: Notify::new(),
        }))
    }

    /// Returns the response, or 503 where it is not there in time, and its handler is dropped.
    ///
    /// It is not tower-http's `Timeout`, since the store is to know the deadline too: it waits for its server on another
    /// thread, which nothing could drop.
    pub(super) async fn run(self: Arc<Self>, response: impl Future<Output = Response>) -> Response {
        let response = PERMIT.scope(self.clone(), wearlab_store::within(self.limit, response));
        tokio::select! {
            biased;
            response = response => response,
            () = self.expired() => {
                tracing::error!(limit = ?self.limit, "request timed out");
                shed()
            }
        }
    }

    /// Waits until the deadline.
    async fn expired(&self) {
        loop {
            // Before the deadline is read, so that no change of it is missed.
            let changed = self.changed.notified();
            let deadline = self.state().deadline;
            tokio::select! {
                () = tokio::time::sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => return,
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
        *self.state() = PermitState {
            _permit: None,
            deadline: None,
        };
        self.changed.notify_waiters();
    }

    /// Takes a permit again. Returns false where all are taken.
    fn resume(&self) -> bool {
        let permit = self.permits.clone().try_acquire_owned().ok();
        let resumed = permit.is_some();
        *self.state() = PermitState {
            _permit: permit,
            deadline: deadline_after(self.limit),
        };
        self.changed.notify_waiters();
        resumed
    }

    fn state(&self) -> MutexGuard<'_, PermitState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn deadline_after(limit: Duration) -> Option<Instant> {
    Instant::now().checked_add(limit)
}

/// Waits, without a permit and for as long as that takes, and then goes on with a permit like that of a new request.
///
/// # Errors
///
/// Those of `work`, and 503 where all permits are taken by then.
pub(crate) async fn after<W, T>(
    waiting: impl Future<Output = W>,
    work: impl AsyncFnOnce(W) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let Ok(permit) = PERMIT.try_with(Clone::clone) else {
        // It is no request over HTTP.
        return work(waiting.await).await;
    };
    let (waited, resumed) = permit.wait(waiting).await;
    match resumed {
        true => wearlab_store::within_anew(permit.limit, work(waited)).await,
        false => Err(ApiError::unavailable(RETRY)),
    }
}

/// Waits without a permit, such as for a provider that may hang, and then does the rest of the `work`, also where all permits
/// are taken: what it waited for has an effect already, and the rest is a response.
pub(crate) async fn without_permit<W, T>(waiting: impl Future<Output = W>, work: impl AsyncFnOnce(W) -> T) -> T {
    let Ok(permit) = PERMIT.try_with(Clone::clone) else {
        return work(waiting.await).await;
    };
    let (waited, _) = permit.wait(waiting).await;
    wearlab_store::within_anew(permit.limit, work(waited)).await
}

/// Responds 503 to a request without a permit, and to one that timed out.
pub(super) fn shed() -> Response {
    ApiError::unavailable(RETRY).into_response()
}
