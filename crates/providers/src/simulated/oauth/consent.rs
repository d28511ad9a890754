//! Endpoint at which users consent.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use url::Url;
use uuid::Uuid;

use super::grants::{ConsentRequest, Grants};
use super::refusal::refusal;

#[derive(Deserialize)]
pub(super) struct Authorization {
    response_type: String,
    client_id: String,
    redirect_uri: String,
    state: Option<String>,
    #[serde(default)]
    scope: String,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

/// Shows the consent page. Without one, redirects back to any URI with a code for all scopes.
pub(super) async fn authorize(
    State(grants): State<Arc<Grants>>,
    Query(authorization): Query<Authorization>,
) -> Response {
    let method = authorization
        .code_challenge
        .as_ref()
        .and(authorization.code_challenge_method.as_deref());
    let target = Url::parse(&authorization.redirect_uri);
    let is_valid = authorization.response_type == "code"
        && authorization.client_id == grants.client_id()
        && authorization.state.as_deref().unwrap_or_default().len() >= grants.deviations.min_state_length
        && (authorization.code_challenge.is_none() || method == Some("S256"));
    let (true, Ok(redirect_uri)) = (is_valid, target) else {
        return refusal(StatusCode::BAD_REQUEST, "invalid_request");
    };
    let code = Uuid::new_v4().simple().to_string();
    let scopes = authorization.scope.split([' ', ',']).filter(|scope| !scope.is_empty());
    let request = ConsentRequest {
        scopes: scopes.map(str::to_owned).collect(),
        allow: with_outcome(
            &redirect_uri,
            authorization.state.as_deref(),
            &[("code", &code), ("scope", &authorization.scope)],
        ),
        deny: with_outcome(
            &redirect_uri,
            authorization.state.as_deref(),
            &[("error", "access_denied")],
        ),
        redirect_uri,
    };
    let response = match &grants.consent_page {
        Some(page) => page(&request),
        None => Redirect::to(request.allow.as_str()).into_response(),
    };
    // A page that refuses the request shows no code.
    if !response.status().is_client_error() {
        grants.put_code(
            code,
            request.scopes,
            authorization.redirect_uri,
            authorization.code_challenge,
        );
    }
    response
}

fn with_outcome(redirect_uri: &Url, state: Option<&str>, outcome: &[(&str, &str)]) -> Url {
    let mut url = redirect_uri.clone();
    url.query_pairs_mut()
        .extend_pairs(outcome)
        .extend_pairs(state.map(|state| ("state", state)));
    url
}
