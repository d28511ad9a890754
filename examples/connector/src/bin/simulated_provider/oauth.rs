//! OAuth 2.0 for tests of connectors: every user consents immediately, and clients are not authenticated.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Form, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use serde_json::json;

use crate::accounts::Accounts;

#[derive(Deserialize)]
pub(crate) struct Authorization {
    redirect_uri: String,
    state: String,
}

#[derive(Deserialize)]
pub(crate) struct Exchange {
    code: Option<String>,
    refresh_token: Option<String>,
}

pub(crate) async fn authorize(State(accounts): State<Arc<Accounts>>, Query(asked): Query<Authorization>) -> Redirect {
    let Authorization { redirect_uri, state } = asked;
    Redirect::to(&format!("{redirect_uri}?code={}&state={state}", accounts.consent()))
}

pub(crate) async fn token(State(accounts): State<Arc<Accounts>>, Form(asked): Form<Exchange>) -> Response {
    let grant = asked.code.or(asked.refresh_token).unwrap_or_default();
    match accounts.exchange(&grant) {
        Some((access_token, refresh_token)) => Json(json!({
            "access_token": access_token, "token_type": "Bearer", "expires_in": accounts.token_seconds,
            "refresh_token": refresh_token,
        }))
        .into_response(),
        None => (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"}))).into_response(),
    }
}
