//! Marks connections that carried a request with a valid credential: these are the last to be closed for new ones.

use axum::http::StatusCode;
use axum::response::Response;

use super::open_connections::OfConnection;
use super::request_info::RequestInfo;

/// Connection of a request to an operation that needs a credential.
pub(super) struct Authentication(Option<OfConnection>);

impl Authentication {
    pub(super) fn of(info: &RequestInfo) -> Self {
        let secured = info.operation.is_some_and(|operation| !operation.security.is_empty());
        Self(info.connection.clone().filter(|_| secured))
    }

    /// Marks the connection if the response shows that the credential was valid.
    pub(super) fn note(self, response: &Response) {
        if let Some(connection) = self.0.filter(|_| proves_credential(response.status())) {
            connection.authenticated();
        }
    }
}

/// Returns whether the status shows a valid credential. A server error does not: it may come before credentials are
/// checked.
fn proves_credential(status: StatusCode) -> bool {
    status.is_success() || (status.is_client_error() && status != StatusCode::UNAUTHORIZED)
}
