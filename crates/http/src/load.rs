//! Limits of concurrent requests and of their duration. A request that waits for an event or another machine does not
//! count.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use wearlab_clock::deadline;
use wearlab_server::ApiError;

/// Value of `Retry-After`: peaks of load are short.
const RETRY: Duration = Duration::from_secs(1);

tokio::task_local! {
    /// Permit of the request that the task handles.
    static PERMIT: Arc<RequestPermit>;
}

/// Marks requests of a connection above the limit, in their extensions: only probes are served.
#[derive(Clone, Copy)]
pub(super) struct ProbesOnly;

/// Permit of a request to run, and its deadline.
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
    /// Deadline of the request, unless it waits without a permit.
    deadline: Option<Instant>,
}

impl RequestPermit {
    /// Takes a permit for `limit`; none if all are taken: a queue would only delay everyone.
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

    /// Returns the response, or 503 if it is not complete in time. The handler is dropped then.
    ///
    /// tower-http's `Timeout` cannot be used: the store needs the deadline too, since it waits for its database server
    /// on another thread, which a dropped future does not stop.
    pub(super) async fn run(self: Arc<Self>, response: impl Future<Output = Response>) -> Response {
        let response = PERMIT.scope(self.clone(), deadline::within(self.limit, response));
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
            // Registered before the deadline is read, so that no change of it is missed.
            let changed = self.changed.notified();
            let deadline = self.state().deadline;
            tokio::select! {
                () = tokio::time::sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => return,
                () = changed => {}
            }
        }
    }

    /// Waits without a permit and without the deadline of the request, which would end queries of the store, too.
    /// Returns true if the request has a permit again.
    async fn wait<W>(&self, waiting: impl Future<Output = W>) -> (W, bool) {
        self.pause();
        let waited = deadline::within_anew(Duration::MAX, waiting).await;
        (waited, self.resume())
    }

    fn pause(&self) {
        *self.state() = PermitState {
            _permit: None,
            deadline: None,
        };
        self.changed.notify_waiters();
    }

    /// Takes a permit again. Returns false if all are taken.
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

/// Waits without a permit and without a deadline, and then continues with a permit like that of a new request.
///
/// # Errors
///
/// Those of `work`, and 503 if all permits are taken after the wait.
pub async fn after<W, T>(
    waiting: impl Future<Output = W>,
    work: impl AsyncFnOnce(W) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let Ok(permit) = PERMIT.try_with(Clone::clone) else {
        // The caller is not an HTTP request.
        return work(waiting.await).await;
    };
    let (waited, resumed) = permit.wait(waiting).await;
    match resumed {
        true => deadline::within_anew(permit.limit, work(waited)).await,
        false => Err(ApiError::unavailable(RETRY)),
    }
}

/// Waits without a permit, such as for a provider that may hang, and then runs `work`, even if all permits are taken:
/// the wait had an effect already, and the rest is a response.
pub async fn without_permit<W, T>(waiting: impl Future<Output = W>, work: impl AsyncFnOnce(W) -> T) -> T {
    let Ok(permit) = PERMIT.try_with(Clone::clone) else {
        return work(waiting.await).await;
    };
    let (waited, _) = permit.wait(waiting).await;
    deadline::within_anew(permit.limit, work(waited)).await
}

/// Returns the 503 for a request without a permit, or one that timed out.
pub(super) fn shed() -> Response {
    ApiError::unavailable(RETRY).into_response()
}
