//! Reads without a router: found by their path, and run by the operation's own handler.
//!
//! A router costs a request some thirty allocations: copies of boxed services, boxed futures, extensions. What is here
//! answers what the router answers, for `GET` of an operation alone; everything else is left to the router.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse, Response};

use crate::input::Input;
use crate::{Api, ApiError, Operation, generated};

/// The routes of an interface, with a back end for their reads.
pub struct Reads<A> {
    api: Arc<A>,
    routes: matchit::Router<Route>,
}

/// A route, and its read.
#[derive(Clone, Copy)]
struct Route {
    route: &'static str,
    read: Option<&'static Operation>,
}

/// A read that was found.
pub struct FoundRead {
    route: &'static str,
    operation: &'static Operation,
}

impl FoundRead {
    /// The route, as the router has it.
    pub fn route(&self) -> &'static str {
        self.route
    }

    /// The operation.
    pub fn operation(&self) -> &'static Operation {
        self.operation
    }
}

impl<A: Api> Reads<A> {
    /// The reads among routes, such as [`BASE_ROUTES`](crate::BASE_ROUTES).
    pub fn new(
        api: Arc<A>,
        routes: impl IntoIterator<Item = &'static (&'static str, &'static [&'static Operation])>,
    ) -> Self {
        let mut router = matchit::Router::new();
        for (route, operations) in routes {
            let read = operations.iter().find(|operation| operation.method == Method::GET);
            let read = read.copied();
            let inserted = router.insert(*route, Route { route, read });
            debug_assert!(inserted.is_ok(), "{route} contradicts another route of the document");
        }
        Self { api, routes: router }
    }

    /// The read that a request is for, if it is for one.
    pub fn find(&self, method: &Method, path: &str) -> Option<FoundRead> {
        if *method != Method::GET {
            return None;
        }
        let Route { route, read } = *self.routes.at(path).ok()?.value;
        Some(FoundRead {
            route,
            operation: read?,
        })
    }

    /// Runs a read.
    pub async fn run(&self, found: &FoundRead, request: Request) -> Response {
        let input = Input::of_route(found.route, request);
        match generated::run_read(found.operation.id, self.api.clone(), input).await {
            Some(response) => response,
            None => ApiError::unknown_path().into_response(),
        }
    }
}
