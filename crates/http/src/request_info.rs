//! Operation and connection of a request, for its middleware.

use axum::extract::Request;
use wearlab_server::Operation;
use wearlab_server::layers::operation_of;

use super::open_connections::OfConnection;

/// Operation and connection of a request. With a router, they are in the request's extensions, which are allocated.
pub(super) struct RequestInfo {
    pub(super) operation: Option<&'static Operation>,
    pub(super) connection: Option<OfConnection>,
}

impl RequestInfo {
    pub(super) fn of(request: &Request) -> Self {
        Self {
            operation: operation_of(request),
            connection: request.extensions().get().cloned(),
        }
    }
}
