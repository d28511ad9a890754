//! Request id, log line and problem document of every request.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::time::Instant;

use axum::extract::{MatchedPath, OriginalUri, Request};
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderName, HeaderValue, Method, Uri};
use axum::response::Response;
use tracing::{Instrument, Span, field};

use super::context::{CURRENT, RequestContext};
use super::get_router::GetMatch;
use super::operation::find_operation;
use super::request_id::{self, RequestId};
use crate::error::Pending;
use crate::{Deprecation, Document, MapError, Operation};

/// Header with the time since which an operation is deprecated (RFC 9745).
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
/// Header with the time of an operation's removal (RFC 8594).
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// A request from its receipt to its response: its id, its context and its span.
///
/// The span is `request` of the target [`REQUEST_SPAN`].
pub struct RequestScope<D> {
    context: RequestContext,
    deprecation: Option<Deprecation>,
    map_error: Option<MapError>,
    uri: Uri,
    span: Span,
    started: Instant,
    of: PhantomData<fn() -> D>,
}

/// The target of the spans of requests. A subscriber that has [`RequestContext`] in its lines needs no spans.
pub const REQUEST_SPAN: &str = "wearlab_kit_server::request";

impl<D: Document> RequestScope<D> {
    /// Begins the scope of a request: accepts or makes its id, and finds its operation, which
    /// [`operation_of`](super::operation::operation_of) is from then on.
    pub fn begin(request: &mut Request) -> Self {
        let operation = find_operation::<D>(request);
        let route = request.extensions().get::<MatchedPath>();
        let route = route.map(|route| Cow::Owned(route.as_str().to_owned()));
        Self::new(request, route, operation)
    }

    /// Begins the scope of a request that [`GetRouter`](super::get_router::GetRouter) found the operation of.
    pub fn begin_get(request: &Request, found: &GetMatch<D>) -> Self {
        Self::new(request, Some(Cow::Borrowed(found.route())), Some(found.operation()))
    }

    fn new(request: &Request, route: Option<Cow<'static, str>>, operation: Option<&'static Operation<D>>) -> Self {
        // Below a nested router, the path is cut; the caller sent the whole.
        let uri = match request.extensions().get::<OriginalUri>() {
            Some(OriginalUri(uri)) => uri.clone(),
            None => request.uri().clone(),
        };
        let context = RequestContext {
            request_id: RequestId::of(request.headers()),
            method: known(request.method()),
            route,
            operation: operation.map(|operation| operation.id),
        };
        Self {
            uri,
            span: span(&context),
            deprecation: operation.and_then(|operation| operation.deprecation),
            map_error: request.extensions().get().cloned(),
            context,
            started: Instant::now(),
            of: PhantomData,
        }
    }

    /// Runs the handler of the request, with its [`RequestContext::current`] and its span.
    pub fn run<F: Future>(&self, handling: F) -> impl Future<Output = F::Output> + use<F, D> {
        CURRENT.scope(self.context.clone(), handling.instrument(self.span.clone()))
    }

    /// Completes the response: the body of an error, the log line, and the headers of the request id and of deprecation.
    pub fn complete(self, response: Response) -> Response {
        let _entered = self.span.enter();
        let RequestContext {
            request_id,
            method,
            route,
            operation,
        } = &self.context;
        // The error may be logged on a line of its own.
        let problem = || with_problem::<D>(response, self.map_error.as_ref(), self.uri.path(), request_id);
        let mut response = CURRENT.sync_scope(self.context.clone(), problem);
        let status = response.status().as_u16();
        self.span.record("status", status);
        // To the microsecond.
        let latency_ms = (self.started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        let route = route.as_deref();
        tracing::info!(%request_id, method, route, operation, status, latency_ms, "request completed");
        if let Some(value) = request_id.header() {
            response.headers_mut().insert(request_id::HEADER, value);
        }
        if let Some(Deprecation { since, sunset }) = self.deprecation {
            let headers = response.headers_mut();
            headers.insert(DEPRECATION, HeaderValue::from_static(since));
            headers.extend(sunset.map(|sunset| (SUNSET, HeaderValue::from_static(sunset))));
        }
        response
    }
}

/// The span of a request. It is of the level of errors, so that a log of errors alone has it too.
fn span(context: &RequestContext) -> Span {
    tracing::error_span!(
        target: REQUEST_SPAN,
        "request",
        request_id = %context.request_id,
        method = context.method,
        route = context.route.as_deref(),
        operation = context.operation,
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

/// Writes the body of an error that has none yet, with the data of its request.
fn with_problem<D: Document>(mut response: Response, map: Option<&MapError>, path: &str, id: &RequestId) -> Response {
    let Some(error) = response.extensions_mut().remove::<Pending>().and_then(Pending::take) else {
        return response;
    };
    let mut problem = error.response_for::<D>(map, path, id.as_str());
    // Header fields that do not describe the content, such as Allow, stay.
    for (name, value) in response.headers().iter().filter(|(name, _)| !of_content(name)) {
        problem.headers_mut().entry(name).or_insert_with(|| value.clone());
    }
    // Some statuses are cached by default; errors must not be.
    let none = HeaderValue::from_static("no-store");
    problem.headers_mut().insert(CACHE_CONTROL, none);
    problem
}

fn of_content(name: &HeaderName) -> bool {
    name.as_str().starts_with("content-")
}
