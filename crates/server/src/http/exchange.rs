//! What every request and its response have: a request id, a line in the log, and a problem document for an error.

use std::time::Instant;

use axum::extract::{MatchedPath, OriginalUri, Request};
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderName, HeaderValue, Method, Uri};
use axum::response::Response;
use tracing::{Instrument, Span, field};

use super::operation::{find_operation, note_operation};
use super::reads::FoundRead;
use super::request_id::{self, RequestId};
use crate::Operation;
use crate::error::Pending;

/// A request that was received, and whose response is to come.
///
/// The log has the route, not the path: a path names people, and a query what was searched for.
pub struct Exchange {
    id: RequestId,
    uri: Uri,
    span: Span,
    started: Instant,
}

impl Exchange {
    /// Takes or makes the request id, and finds the operation, which [`operation_of`](super::operation::operation_of) is
    /// from then on.
    pub fn begin(request: &mut Request) -> Self {
        let operation = find_operation(request);
        let route = request.extensions().get::<MatchedPath>();
        Self::new(request, route.map(MatchedPath::as_str), operation)
    }

    /// Begins that of a request to a read that [`Reads`](super::reads::Reads) found.
    pub fn begin_read(request: &mut Request, found: &FoundRead) -> Self {
        note_operation(request, found.operation());
        Self::new(request, Some(found.route()), Some(found.operation()))
    }

    fn new(request: &Request, route: Option<&str>, operation: Option<&Operation>) -> Self {
        let id = RequestId::of(request.headers());
        // Below a nested router, the path is cut; the caller sent the whole.
        let uri = match request.extensions().get::<OriginalUri>() {
            Some(OriginalUri(uri)) => uri.clone(),
            None => request.uri().clone(),
        };
        Self {
            id,
            uri,
            span: span(&id, request.method(), route, operation),
            started: Instant::now(),
        }
    }

    /// Runs what handles the request, in its span of the log. Meanwhile [`RequestId::current`] is its id.
    pub fn run<F: Future>(&self, handling: F) -> impl Future<Output = F::Output> + use<F> {
        self.id.scope(handling.instrument(self.span.clone()))
    }

    /// Writes the body of an error and the line in the log, and adds the request id.
    pub fn complete(self, response: Response) -> Response {
        let _entered = self.span.enter();
        let mut response = with_problem(response, self.uri.path(), &self.id);
        self.span.record("status", response.status().as_u16());
        // To the microsecond.
        let latency_ms = (self.started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        tracing::info!(latency_ms, "request completed");
        if let Some(value) = self.id.header() {
            response.headers_mut().insert(request_id::HEADER, value);
        }
        response
    }
}

/// The span of a request. It is of the level of errors, so that a log of nothing but errors has it too.
fn span(id: &RequestId, method: &Method, route: Option<&str>, operation: Option<&Operation>) -> Span {
    tracing::error_span!(
        "request",
        request_id = %id,
        method = known(method),
        route,
        operation = operation.map(|operation| operation.id),
        status = field::Empty,
    )
}

/// A method's name, if it is a standard one: any other is the caller's text.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

/// Writes the body of an error that has none yet, now that the request is known to it.
fn with_problem(mut response: Response, path: &str, id: &RequestId) -> Response {
    let Some(error) = response.extensions_mut().remove::<Pending>().and_then(Pending::take) else {
        return response;
    };
    let mut problem = error.response_for(path, id.as_str());
    // Header fields that do not describe the content, such as Allow, stay.
    for (name, value) in response.headers().iter().filter(|(name, _)| !of_content(name)) {
        problem.headers_mut().entry(name).or_insert_with(|| value.clone());
    }
    // Some statuses are cached by default; an error is to be asked for again.
    let none = HeaderValue::from_static("no-store");
    problem.headers_mut().insert(CACHE_CONTROL, none);
    problem
}

fn of_content(name: &HeaderName) -> bool {
    name.as_str().starts_with("content-")
}
