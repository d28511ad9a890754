//! Assembles a router from routes, a back end, fallbacks and middleware.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use super::accept::Accepted;
use super::conditional::IfNoneMatch;
use super::request_scope::RequestScope;
use crate::{ApiError, Document};

/// Gives a router its back end and all of [`layers`](crate::layers), in this order, outermost first:
///
/// 1. [`RequestScope`], since responses from further in need a request id and a body;
/// 2. [`IfNoneMatch`], which has to be outside a layer that compresses;
/// 3. [`Accepted`], which checks the response of the operation;
/// 4. [`catch_panic`], so that all of the above also hold for a handler that panics.
pub fn finish<D: Document, A: Send + Sync + 'static>(routes: Router<Arc<A>>, api: Arc<A>) -> Router {
    with_back_end(routes, api).layer(from_fn(middleware::<D>))
}

async fn middleware<D: Document>(mut request: Request, next: Next) -> Response {
    let scope = RequestScope::<D>::begin(&mut request);
    let known = IfNoneMatch::of(&request);
    let accepted = Accepted::by(&request);
    let response = scope.run(catch_panic(next.run(request))).await;
    let response = accepted.check(response);
    let response = known.check(response);
    scope.complete(response)
}

/// Runs a response, or returns a 500 without the text of its panic; the connection is kept.
pub async fn catch_panic(response: impl Future<Output = Response>) -> Response {
    // The panic hook logs the location; the message may hold secrets, which must not reach a log.
    let response = AssertUnwindSafe(response).catch_unwind().await;
    response.unwrap_or_else(|_| ApiError::internal("a handler panicked").into_response())
}

/// Gives a router its back end, 404 for an unknown path, 405 for a wrong method, and no layers.
pub fn with_back_end<A: Send + Sync + 'static>(routes: Router<Arc<A>>, api: Arc<A>) -> Router {
    routes
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .with_state(api)
}

async fn unknown_path() -> Response {
    ApiError::unknown_path().into_response()
}

async fn wrong_method() -> Response {
    ApiError::method_not_allowed().into_response()
}
