//! What every answer has: a request id, a line in the log, and a body where it is an error.

use std::time::Instant;

use axum::extract::{MatchedPath, OriginalUri, Request};
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderName, HeaderValue, Method};
use axum::response::Response;
use tracing::{Instrument, Span, field};

use super::onward::Onward;
use super::request_id::{self, RequestId};
use super::routing::operation_of;
use crate::error::Pending;

/// Takes or makes a request id, runs the rest in a span of the log, and writes the body of every error.
///
/// The log has the route, not the address: an address names people, and what was searched for.
pub async fn complete_answers<N: Onward>(mut request: Request, next: N) -> Response {
    let id = RequestId::of(request.headers());
    let span = span(&id, &request);
    // Below a nested router, the address is cut; the caller asked for the whole.
    let path = match request.extensions().get::<OriginalUri>() {
        Some(OriginalUri(uri)) => uri.path().to_owned(),
        None => request.uri().path().to_owned(),
    };
    let started = Instant::now();
    request.extensions_mut().insert(id.clone());
    let response = next.run(request).instrument(span.clone()).await;
    span.in_scope(|| {
        let mut response = with_problem(response, &path, &id);
        span.record("status", response.status().as_u16());
        // To the microsecond.
        let latency_ms = (started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        tracing::info!(latency_ms, "answered");
        if let Some(value) = id.header() {
            response.headers_mut().insert(request_id::HEADER, value);
        }
        response
    })
}

/// The span of a request. It is of the level of errors, so that a log of nothing but errors has it too.
fn span(id: &RequestId, request: &Request) -> Span {
    let route = request.extensions().get::<MatchedPath>();
    tracing::error_span!(
        "request",
        request_id = %id,
        method = known(request.method()),
        route = route.map(MatchedPath::as_str),
        operation = operation_of(request).map(|operation| operation.id),
        status = field::Empty,
    )
}

/// A method's name, of those that there are: any other is the caller's text.
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
    let mut answer = error.answer(path, id.as_str());
    // What was said of the answer beside its content, such as Allow, goes along.
    for (name, value) in response.headers().iter().filter(|(name, _)| !of_content(name)) {
        answer.headers_mut().entry(name).or_insert_with(|| value.clone());
    }
    // Some statuses may be kept by default, and whoever asks again wants to know again.
    let none = HeaderValue::from_static("no-store");
    answer.headers_mut().insert(CACHE_CONTROL, none);
    answer
}

fn of_content(name: &HeaderName) -> bool {
    name.as_str().starts_with("content-")
}
