//! Errors of OAuth.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Returns a response with a code of OAuth.
pub(super) fn refusal(status: StatusCode, code: &str) -> Response {
    (status, Json(json!({"error": code}))).into_response()
}
