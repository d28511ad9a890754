//! Finds the operation that a request is for.

use std::cell::RefCell;
use std::collections::HashMap;

use axum::extract::{MatchedPath, Request};
use axum::http::Method;

use crate::{Operation, operations};

/// In the extensions of a request: the operation that it was routed to.
#[derive(Clone, Copy)]
struct Routed(&'static Operation);

/// The operation that a request was routed to. `RequestScope::begin` finds it: before, there is
/// none.
pub fn operation_of(request: &Request) -> Option<&'static Operation> {
    request.extensions().get().map(|&Routed(operation)| operation)
}

/// Finds the operation by the route, once, for all that ask [`operation_of`].
pub(super) fn find_operation(request: &mut Request) -> Option<&'static Operation> {
    let route = request.extensions().get::<MatchedPath>()?.as_str();
    // HEAD is served wherever GET is.
    let method = match request.method() {
        &Method::HEAD => &Method::GET,
        other => other,
    };
    let operation = of_route(route, |operations| {
        operations.iter().find(|operation| operation.method == *method).copied()
    })?;
    request.extensions_mut().insert(Routed(operation));
    Some(operation)
}

/// Looks at the operations of a route. Routes are few, and are compared with the paths of all operations once a thread.
fn of_route<T>(route: &str, look: impl FnOnce(&[&'static Operation]) -> T) -> T {
    thread_local! {
        static KNOWN: RefCell<HashMap<Box<str>, Vec<&'static Operation>>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(operations) = known.get(route) {
            return look(operations);
        }
        let operations = operations::ALL.into_iter();
        let operations = operations.filter(|operation| is_route(route, operation.path));
        look(known.entry(route.into()).or_insert(operations.collect()))
    })
}

/// Returns whether a route is that of a path. One with a trailing slash and the same without are the same; so are
/// segments with a parameter, which may have text beside it that a route does not have.
fn is_route(route: &str, path: &str) -> bool {
    let (mut route, mut path) = (
        route.trim_end_matches('/').split('/'),
        path.trim_end_matches('/').split('/'),
    );
    loop {
        match (route.next(), path.next()) {
            (None, None) => return true,
            (Some(found), Some(wanted)) if found == wanted || found.starts_with('{') && wanted.contains('{') => {}
            _ => return false,
        }
    }
}
