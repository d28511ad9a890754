//! Which operation a request is for.

use axum::extract::{MatchedPath, Request};
use axum::http::Method;

use crate::{Operation, operations};

/// The operation that a request was routed to.
pub fn operation_of(request: &Request) -> Option<&'static Operation> {
    let route = request.extensions().get::<MatchedPath>()?.as_str();
    // HEAD is served wherever GET is.
    let method = match request.method() {
        &Method::HEAD => &Method::GET,
        other => other,
    };
    // A path with a trailing slash and the same path without are the same operation.
    let same = |path: &str| path.trim_end_matches('/') == route.trim_end_matches('/');
    operations::ALL
        .into_iter()
        .find(|operation| operation.method == *method && same(operation.path))
}
