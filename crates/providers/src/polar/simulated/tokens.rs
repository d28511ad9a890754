//! Token endpoint, which differs from that of OAuth 2.0.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::api::Simulation;
use crate::simulated::body::json_body;

/// Refuses clients that do not authenticate themselves by Basic, and adds `x_user_id` to tokens.
pub(super) async fn respond(State(simulation): State<Simulation>, request: Request, next: Next) -> Response {
    let is_basic = request.headers().contains_key(AUTHORIZATION);
    if request.method() == Method::POST && !is_basic {
        return (StatusCode::UNAUTHORIZED, Json(json!({"error": "invalid_client"}))).into_response();
    }
    match json_body(next.run(request).await).await {
        Ok((StatusCode::OK, mut tokens)) => {
            tokens["x_user_id"] = json!(simulation.with_data(|data| data.user_id));
            Json(tokens).into_response()
        }
        Ok((status, body)) => (status, Json(body)).into_response(),
        Err(response) => response,
    }
}
