//! Finds the operation that a request is for.

use axum::extract::{MatchedPath, Request};
use axum::http::Method;

use crate::{Document, Operation};

/// Operation that a request was routed to, in the extensions of the request.
#[derive(Clone, Copy)]
struct Routed<D: Document>(&'static Operation<D>);

/// The operation that a request was routed to. `RequestScope::begin` finds it: before, there is
/// none.
pub fn operation_of<D: Document>(request: &Request) -> Option<&'static Operation<D>> {
    request.extensions().get().map(|&Routed(operation)| operation)
}

/// Finds the operation by the route, once, for all that ask [`operation_of`].
pub(super) fn find_operation<D: Document>(request: &mut Request) -> Option<&'static Operation<D>> {
    let route = request.extensions().get::<MatchedPath>()?.as_str();
    let routes = D::ROUTES.iter().copied().flatten();
    let operations = routes.filter(|(known, _)| *known == route);
    let operations = operations.flat_map(|(_, operations)| operations.iter().copied());
    let of_method = |method: &Method| operations.clone().find(|operation| operation.method == *method);
    let operation = of_method(request.method()).or_else(|| {
        // GET answers HEAD where none is declared.
        (request.method() == Method::HEAD).then(|| of_method(&Method::GET))?
    })?;
    request.extensions_mut().insert(Routed(operation));
    Some(operation)
}
