//! Notes which connections carry requests with a valid credential: these are the last to be closed for new ones.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use wearlab_server::layers::{Onward, operation_of};

use super::open_connections::OfConnection;

/// Marks the connection of a request once an operation that asks for a credential took it.
pub(super) async fn note(request: Request, next: impl Onward) -> Response {
    let secured = operation_of(&request).is_some_and(|operation| !operation.security.is_empty());
    let connection = request.extensions().get::<OfConnection>().filter(|_| secured).cloned();
    let response = next.run(request).await;
    if let Some(connection) = connection.filter(|_| took_credential(response.status())) {
        connection.authenticated();
    }
    response
}

/// Whether a status is given to callers with a valid credential alone. After a failure nobody knows whether it was.
fn took_credential(status: StatusCode) -> bool {
    status.is_success() || (status.is_client_error() && status != StatusCode::UNAUTHORIZED)
}
