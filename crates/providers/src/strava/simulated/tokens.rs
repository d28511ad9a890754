//! Responses of the token endpoint, which differ from those of OAuth 2.0.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};

use super::api::Simulation;
use crate::simulated::body::json_body;

/// Adds `athlete` and `expires_at` to tokens, and makes errors of OAuth those of the API.
pub(super) async fn respond(State(simulation): State<Simulation>, request: Request, next: Next) -> Response {
    let (status, mut body) = match json_body(next.run(request).await).await {
        Ok(parts) => parts,
        Err(response) => return response,
    };
    if status == StatusCode::OK {
        let lifetime = TimeDelta::seconds(body["expires_in"].as_i64().unwrap_or_default());
        body["expires_at"] = json!((Utc::now() + lifetime).timestamp());
        body["athlete"] = json!({"id": simulation.with_data(|data| data.athlete.id), "resource_state": 2});
        return (status, Json(body)).into_response();
    }
    let (resource, field) = match body["error"].as_str() {
        Some("invalid_client") => ("Application", "client_id"),
        Some("invalid_grant") => ("RefreshToken", "refresh_token"),
        _ => ("AuthorizationCode", "code"),
    };
    let detail = json!({"resource": resource, "field": field, "code": "invalid"});
    let fault: Value = json!({"message": "Bad Request", "errors": [detail]});
    (status, Json(fault)).into_response()
}
