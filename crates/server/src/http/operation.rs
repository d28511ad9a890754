//! Which operation a request is for.

use axum::extract::{MatchedPath, Request};

use crate::{Operation, operations};

/// The operation that a request was routed to.
pub fn operation_of(request: &Request) -> Option<&'static Operation> {
    let route = request.extensions().get::<MatchedPath>()?.as_str();
    // A path with a trailing slash and the same path without are the same operation.
    let same = |path: &str| path.trim_end_matches('/') == route.trim_end_matches('/');
    operations::ALL.into_iter().find(|operation| same(operation.path))
}
