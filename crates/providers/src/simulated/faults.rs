//! Faults of simulated providers.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
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
    /// The response comes after a pause.
    Slow(Duration),
    /// The connection breaks in the middle of the body.
    Truncated,
}

/// Faults of the next requests. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<Queue>>);

#[derive(Debug, Default)]
struct Queue {
    next: VecDeque<Fault>,
    requests: u64,
}

impl Faults {
    /// Adds faults, one for each of the next requests.
    pub fn push(&self, faults: impl IntoIterator<Item = Fault>) {
        self.queue().next.extend(faults);
    }

    /// Removes the faults that no request has had.
    pub fn clear(&self) {
        self.queue().next.clear();
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
        let mut queue = self.queue();
        queue.requests += 1;
        queue.next.pop_front().unwrap_or(Fault::None)
    }
}

async fn respond(State(faults): State<Faults>, request: Request, next: Next) -> Response {
    match faults.next() {
        Fault::None => next.run(request).await,
        Fault::Status(code) => status(code).into_response(),
        Fault::Json(code, body) => (status(code), [(CONTENT_TYPE, "application/json")], body).into_response(),
        Fault::TooManyRequests(wait) => {
            let header = [(RETRY_AFTER, wait.as_secs().to_string())];
            (StatusCode::TOO_MANY_REQUESTS, header).into_response()
        }
        Fault::Slow(pause) => {
            tokio::time::sleep(pause).await;
            next.run(request).await
        }
        Fault::Truncated => truncated(next.run(request).await).await,
    }
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Sends the first half of a body, and then breaks the connection.
async fn truncated(response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, MAX_BYTES).await.unwrap_or_default();
    let half = bytes.slice(..bytes.len() / 2);
    let broken = io::Error::new(io::ErrorKind::ConnectionReset, "a simulated fault");
    let body = Body::from_stream(stream::iter([Ok::<Bytes, io::Error>(half), Err(broken)]));
    Response::from_parts(parts, body)
}
