//! OAuth 2.0 of a simulated provider. Codes and refresh tokens are good once.

mod consent;
mod grant;
mod grants;
mod refusal;
mod token;

use std::sync::Arc;

use axum::extract::{Form, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

pub use self::grant::Grant;
pub(crate) use self::grants::TokenRequest;
pub use self::grants::{ConsentPage, ConsentRequest, Grants};
use self::refusal::refusal;

impl Grants {
    /// Returns the endpoints `/oauth/authorize` and `/oauth/token`.
    pub fn router(self: Arc<Self>) -> Router {
        let token = Router::new()
            .route("/oauth/token", post(token))
            .with_state(Arc::clone(&self));
        self.consent_router("/oauth/authorize").merge(token)
    }

    /// Returns the consent page alone, for a provider whose token endpoint differs from OAuth.
    pub fn consent_router(self: Arc<Self>, path: &str) -> Router {
        Router::new().route(path, get(consent::authorize)).with_state(self)
    }
}

/// Returns tokens to the client, which authenticates itself in the body or by `Authorization: Basic`.
async fn token(State(grants): State<Arc<Grants>>, headers: HeaderMap, Form(request): Form<TokenRequest>) -> Response {
    let in_body = request.client_id.clone().zip(request.client_secret.clone());
    let in_header = || basic(&headers).filter(|_| !grants.deviations.is_body_only);
    let client = in_body.or_else(in_header);
    if client != Some((grants.client_id().to_owned(), grants.client_secret().to_owned())) {
        return refusal(StatusCode::UNAUTHORIZED, "invalid_client");
    }
    match grants.exchange(&request) {
        Ok(issued) => {
            let mut tokens = json!({
                "access_token": issued.access_token, "token_type": "bearer", "expires_in": issued.expires_in,
            });
            if let Some(token) = issued.refresh_token {
                tokens["refresh_token"] = token.into();
            }
            Json(tokens).into_response()
        }
        Err(code) => refusal(StatusCode::BAD_REQUEST, code),
    }
}

/// Reads the id and the secret of the client from a header.
fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let encoded = headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Basic ")?;
    let text = String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok()?;
    let (id, secret) = text.split_once(':')?;
    Some((id.to_owned(), secret.to_owned()))
}
