//! From routes to a router: a back end, the answers that are the same everywhere, and the habits around them.

use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};

use super::accept::refuse_unacceptable;
use super::answers::complete_answers;
use super::conditional::answer_conditionally;
use super::panics::catch_panics;
use crate::{ApiError, Operation, operations};

/// Gives a router its back end and every habit of [`layers`](crate::layers), in this order, outermost first:
///
/// 1. [`complete_answers`], since whatever is answered further in needs a request id and a body;
/// 2. [`answer_conditionally`], which a layer that compresses must stand below;
/// 3. [`refuse_unacceptable`], which looks at what would be answered;
/// 4. [`catch_panics`], so that all of the above also hold for a handler that panics.
pub fn finish<A: Send + Sync + 'static>(routes: Router<Arc<A>>, api: Arc<A>) -> Router {
    with_back_end(routes, api).layer(from_fn(habits))
}

async fn habits(request: Request, next: Next) -> Response {
    let next = |request| catch_panics(request, next);
    let next = |request| refuse_unacceptable(request, next);
    let next = |request| answer_conditionally(request, next);
    complete_answers(request, next).await
}

/// Gives a router its back end, 404 for an unknown path and 405 for a wrong method, and none of the habits.
pub fn with_back_end<A: Send + Sync + 'static>(routes: Router<Arc<A>>, api: Arc<A>) -> Router {
    routes
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .with_state(api)
}

/// The operation that a request was routed to.
pub fn operation_of(request: &Request) -> Option<&'static Operation> {
    let route = request.extensions().get::<MatchedPath>()?.as_str();
    // Either spelling of an address that ends in a slash is the same operation.
    let spelt = |path: &str| path.trim_end_matches('/') == route.trim_end_matches('/');
    operations::ALL.into_iter().find(|operation| spelt(operation.path))
}

async fn unknown_path() -> Response {
    ApiError::not_found("There is nothing at this address.").into_response()
}

async fn wrong_method() -> Response {
    ApiError::method_not_allowed().into_response()
}
