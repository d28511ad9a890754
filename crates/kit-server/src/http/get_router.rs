//! A router of `GET` operations that saves some thirty allocations of axum's for each request: boxed services and their
//! copies, boxed futures, extensions. Responses are those of axum's router.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse, Response};

use crate::input::Input;
use crate::{ApiError, Document, Operation};

/// The reads of a document, for a back end.
pub trait Reads<A>: Document {
    /// Runs the read with an id. None if there is no such read.
    fn run_read(id: &str, api: Arc<A>, request: Input) -> impl Future<Output = Option<Response>> + Send;
}

/// Finds and runs the `GET` operation of a request.
pub struct GetRouter<A, D: Document> {
    api: Arc<A>,
    routes: matchit::Router<Route<D>>,
}

/// A route, and its `GET` operation.
#[derive(Clone, Copy)]
struct Route<D: Document> {
    route: &'static str,
    operation: Option<&'static Operation<D>>,
}

/// A route that matches a request, with its `GET` operation.
pub struct GetMatch<D: Document> {
    route: &'static str,
    operation: &'static Operation<D>,
}

impl<D: Document> GetMatch<D> {
    /// The route, as axum's router has it.
    pub fn route(&self) -> &'static str {
        self.route
    }

    /// The operation.
    pub fn operation(&self) -> &'static Operation<D> {
        self.operation
    }
}

impl<A, D: Reads<A>> GetRouter<A, D> {
    /// Takes the `GET` operations among routes.
    pub fn new(
        api: Arc<A>,
        routes: impl IntoIterator<Item = &'static (&'static str, &'static [&'static Operation<D>])>,
    ) -> Self {
        let mut router = matchit::Router::new();
        // Operations of several servers may have the same path.
        let mut reads: BTreeMap<&str, Option<&'static Operation<D>>> = BTreeMap::new();
        for (route, operations) in routes {
            let mut operations = operations.iter().copied();
            let operation = operations.find(|operation| operation.method == Method::GET);
            let known = reads.entry(*route).or_default();
            *known = known.or(operation);
        }
        for (route, operation) in reads {
            let inserted = router.insert(route, Route { route, operation });
            debug_assert!(inserted.is_ok(), "{route} contradicts another route of the document");
        }
        Self { api, routes: router }
    }

    /// Returns the `GET` operation of a method and a path. None for other methods and unknown paths.
    pub fn find(&self, method: &Method, path: &str) -> Option<GetMatch<D>> {
        if *method != Method::GET {
            return None;
        }
        let Route { route, operation } = *self.routes.at(path).ok()?.value;
        Some(GetMatch {
            route,
            operation: operation?,
        })
    }

    /// Runs an operation that was found.
    pub async fn run(&self, found: &GetMatch<D>, request: Request) -> Response {
        let input = Input::of_route(found.route, request);
        match D::run_read(found.operation.id, self.api.clone(), input).await {
            Some(response) => response,
            None => ApiError::unknown_path().into_response(),
        }
    }
}
