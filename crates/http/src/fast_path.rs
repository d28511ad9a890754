//! Dispatches `GET` requests to operations without the router, which costs more than most reads. The middleware is the
//! same.

use std::sync::Arc;

use axum::body::HttpBody;
use axum::extract::Request;
use axum::response::Response;
use wearlab_server::layers::{GetMatch, GetRouter, RequestScope};
use wearlab_server::{Api, Operation};

use super::MiddlewareStack;
use super::open_connections::OfConnection;
use super::request_info::RequestInfo;

/// `GET` operations of a listener.
pub struct FastPath<A> {
    router: GetRouter<A>,
    middleware: Arc<MiddlewareStack>,
}

impl<A: Api> FastPath<A> {
    /// Takes the `GET` operations among routes of a server of the document.
    pub fn new(
        api: Arc<A>,
        routes: impl IntoIterator<Item = &'static (&'static str, &'static [&'static Operation])>,
        middleware: Arc<MiddlewareStack>,
    ) -> Self {
        Self {
            router: GetRouter::new(api, routes),
            middleware,
        }
    }

    /// Returns the operation of a request. Other methods, and GETs with a body, go through the router.
    pub(super) fn find<B: HttpBody>(&self, request: &axum::http::Request<B>) -> Option<GetMatch> {
        let found = self.router.find(request.method(), request.uri().path());
        found.filter(|_| request.body().is_end_stream())
    }

    /// Runs the operation of a request on a connection.
    pub(super) async fn respond(&self, found: &GetMatch, connection: OfConnection, request: Request) -> Response {
        let info = RequestInfo {
            operation: Some(found.operation()),
            connection: Some(connection),
        };
        let scope = RequestScope::begin_get(&request, found);
        let run = |request| self.router.run(found, request);
        let limited = |request| self.middleware.within_limits(request, &info, run);
        self.middleware.scope(scope, request, &info, limited).await
    }
}
