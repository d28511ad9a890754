//! What every router has: request ids, and problem documents for every error.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, OriginalUri, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};

use crate::ApiError;
use crate::error::Pending;
use crate::request_id::{self, RequestId};

/// Gives a router its back end, and the answers that are the same everywhere: 404 for an unknown path, 405 for a wrong
/// method, a request id and a body for every error.
pub fn finish<A: Send + Sync + 'static>(routes: Router<Arc<A>>, api: Arc<A>) -> Router {
    routes
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .with_state(api)
        .layer(from_fn(write_errors))
}

async fn unknown_path() -> Response {
    ApiError::not_found("There is nothing at this address.").into_response()
}

async fn wrong_method() -> Response {
    ApiError::method_not_allowed().into_response()
}

async fn write_errors(mut request: Request, next: Next) -> Response {
    let id = RequestId::new();
    // Below a nested router, the address is cut; the caller asked for the whole.
    let path = match request.extensions().get::<OriginalUri>() {
        Some(OriginalUri(uri)) => uri.path().to_owned(),
        None => request.uri().path().to_owned(),
    };
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let started = Instant::now();
    request.extensions_mut().insert(id.clone());
    let mut response = next.run(request).await;
    if let Some(error) = response.extensions_mut().remove::<Pending>().and_then(Pending::take) {
        // The router's own headers, such as Allow, go with the answer.
        let headers = std::mem::take(response.headers_mut());
        response = error.answer(&path, id.as_str());
        for (name, value) in &headers {
            response.headers_mut().entry(name).or_insert_with(|| value.clone());
        }
    }
    // The route, not the address: an address names people, and what was searched for.
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let (status, elapsed) = (response.status().as_u16(), started.elapsed());
    tracing::info!(request_id = %id, %method, route, status, ?elapsed, "answered");
    if let Some(value) = id.header() {
        response.headers_mut().insert(request_id::HEADER, value);
    }
    response
}
