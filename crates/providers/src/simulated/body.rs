//! Bodies of responses, for simulations that change those of others.

use axum::body::{Body, to_bytes};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::response::Response;
use serde_json::Value;

/// Maximum bytes of a body.
const MAX_BYTES: usize = 1 << 20;

/// Returns the status and the JSON of a response.
///
/// # Errors
///
/// The response, if it is not JSON, such as a redirect.
pub async fn json_body(response: Response) -> Result<(StatusCode, Value), Response> {
    let (mut parts, body) = response.into_parts();
    let bytes = to_bytes(body, MAX_BYTES).await.unwrap_or_default();
    match serde_json::from_slice(&bytes) {
        Ok(value) => Ok((parts.status, value)),
        Err(_) => {
            parts.headers.remove(CONTENT_LENGTH);
            Err(Response::from_parts(parts, Body::from(bytes)))
        }
    }
}
