//! Reads without a router, since a router costs more than most reads: from the connection straight to the operation, with
//! everything around it that it has with a router.

use std::sync::Arc;

use axum::body::HttpBody;
use axum::extract::Request;
use axum::response::Response;
use wearlab_server::layers::{Exchange, FoundRead, Reads};
use wearlab_server::{Api, Operation};

use super::open_connections::OfConnection;
use super::{Around, Facts};

/// The reads of a listener.
pub(crate) struct Direct<A> {
    reads: Reads<A>,
    around: Arc<Around>,
}

impl<A: Api> Direct<A> {
    /// The reads among the routes of a document's server.
    pub(crate) fn new(
        api: Arc<A>,
        routes: impl IntoIterator<Item = &'static (&'static str, &'static [&'static Operation])>,
        around: Arc<Around>,
    ) -> Self {
        Self {
            reads: Reads::new(api, routes),
            around,
        }
    }

    /// The read that a request is for. Nothing else is, nor is a read with a body.
    pub(super) fn find<B: HttpBody>(&self, request: &axum::http::Request<B>) -> Option<FoundRead> {
        let found = self.reads.find(request.method(), request.uri().path());
        found.filter(|_| request.body().is_end_stream())
    }

    /// Responds to a read that came on a connection.
    pub(super) async fn respond(&self, found: &FoundRead, connection: OfConnection, request: Request) -> Response {
        let facts = Facts {
            operation: Some(found.operation()),
            connection: Some(connection),
        };
        let exchange = Exchange::begin_read(&request, found);
        let run = |request| self.reads.run(found, request);
        let limited = |request| self.around.within_limits(request, &facts, run);
        self.around.exchange(exchange, request, &facts, limited).await
    }
}
