//! Faults of simulated providers.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::response::Parts;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use futures_util::stream;

/// Maximum bytes of a response that is truncated.
const MAX_BYTES: usize = 64 << 20;

/// Fault of the response to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// None: the request is served.
    None,
    /// An error, such as 403 of a membership that has lapsed, 500, or 429.
    Status(u16),
    /// An error with a body of JSON.
    Json(u16, &'static str),
    /// 429 with `Retry-After`.
    TooManyRequests(Duration),
    /// 503 with `Retry-After`.
    Unavailable(Duration),
    /// The response comes after a pause.
    Slow(Duration),
    /// The connection breaks in the middle of the body.
    Truncated,
    /// The response is complete, and its body is not what the document says.
    Malformed,
}

/// Faults of the next requests, and actions before them. Clones share them.
#[derive(Clone, Default)]
pub struct Faults(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    next: VecDeque<Fault>,
    /// Actions by the number of their request.
    actions: BTreeMap<u64, Vec<Action>>,
    requests: u64,
}

type Action = Box<dyn FnOnce() + Send>;

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Faults").finish_non_exhaustive()
    }
}

impl Faults {
    /// Adds faults, one for each of the next requests.
    pub fn push(&self, faults: impl IntoIterator<Item = Fault>) {
        self.queue().next.extend(faults);
    }

    /// Calls a function before a request is served, after some others: data change, or tokens end, between two pages.
    pub fn before(&self, requests: u64, action: impl FnOnce() + Send + 'static) {
        let mut queue = self.queue();
        let number = queue.requests + requests + 1;
        queue.actions.entry(number).or_default().push(Box::new(action));
    }

    /// Removes the faults and the actions that no request has had.
    pub fn clear(&self) {
        let mut queue = self.queue();
        queue.next.clear();
        queue.actions.clear();
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> u64 {
        self.queue().requests
    }

    /// Returns a router whose requests have the faults.
    pub fn layer(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), respond))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Fault {
        let (fault, actions) = {
            let mut queue = self.queue();
            queue.requests += 1;
            let number = queue.requests;
            let actions = queue.actions.remove(&number).unwrap_or_default();
            (queue.next.pop_front().unwrap_or(Fault::None), actions)
        };
        actions.into_iter().for_each(|action| action());
        fault
    }
}

async fn respond(State(faults): State<Faults>, request: Request, next: Next) -> Response {
    match faults.next() {
        Fault::None => next.run(request).await,
        Fault::Status(code) => status(code).into_response(),
        Fault::Json(code, body) => (status(code), [(CONTENT_TYPE, "application/json")], body).into_response(),
        Fault::TooManyRequests(wait) => retry_after(StatusCode::TOO_MANY_REQUESTS, wait),
        Fault::Unavailable(wait) => retry_after(StatusCode::SERVICE_UNAVAILABLE, wait),
        Fault::Slow(pause) => {
            tokio::time::sleep(pause).await;
            next.run(request).await
        }
        Fault::Truncated => truncated(next.run(request).await).await,
        Fault::Malformed => malformed(next.run(request).await).await,
    }
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn retry_after(status: StatusCode, wait: Duration) -> Response {
    (status, [(RETRY_AFTER, wait.as_secs().to_string())]).into_response()
}

/// Sends the first half of a body as a complete one.
async fn malformed(response: Response) -> Response {
    let (mut parts, half) = half(response).await;
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(half))
}

/// Returns the first half of a body.
async fn half(response: Response) -> (Parts, Bytes) {
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, MAX_BYTES).await.unwrap_or_default();
    let half = bytes.slice(..bytes.len() / 2);
    (parts, half)
}

/// Sends the first half of a body, and then breaks the connection.
async fn truncated(response: Response) -> Response {
    let (parts, half) = half(response).await;
    let broken = io::Error::new(io::ErrorKind::ConnectionReset, "a simulated fault");
    let body = Body::from_stream(stream::iter([Ok::<Bytes, io::Error>(half), Err(broken)]));
    Response::from_parts(parts, body)
}
