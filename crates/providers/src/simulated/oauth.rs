//! OAuth 2.0 of a simulated provider: the user consents immediately. Codes and refresh tokens are good once.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Form, Query, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;
use wearlab_kit_server::Scoped;

use super::deviations::Deviations;

/// Lifetime of a code.
const CODE_SECONDS: u64 = 600;

/// Consents of users, with their tokens.
#[derive(Debug)]
pub struct Grants {
    client_id: String,
    client_secret: String,
    token_seconds: u32,
    deviations: Deviations,
    state: Mutex<Tokens>,
}

#[derive(Debug, Default)]
struct Tokens {
    codes: HashMap<String, Code>,
    refresh: HashMap<String, Grant>,
    access: HashMap<String, (Grant, Instant)>,
    /// Requests for tokens that were answered with some.
    exchanges: u64,
}

#[derive(Debug)]
struct Code {
    grant: Grant,
    redirect_uri: String,
    challenge: Option<String>,
    ends: Instant,
}

/// Consent of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    id: Uuid,
    /// Scopes that the user granted.
    pub scopes: BTreeSet<String>,
}

impl Grants {
    /// Creates an empty list for one client, whose access tokens last so many seconds.
    pub fn new(client_id: impl Into<String>, client_secret: impl Into<String>, token_seconds: u32) -> Self {
        Self {
            client_id: client_id.into(),
            client_secret: client_secret.into(),
            token_seconds,
            deviations: Deviations::default(),
            state: Mutex::default(),
        }
    }

    /// Returns the list with the deviations of a provider.
    #[must_use]
    pub fn with_deviations(mut self, deviations: Deviations) -> Self {
        self.deviations = deviations;
        self
    }

    /// Returns whether an id and a secret are those of the client.
    pub fn is_client(&self, id: &str, secret: &str) -> bool {
        id == self.client_id && secret == self.client_secret
    }

    /// Returns the endpoints `/oauth/authorize` and `/oauth/token`.
    pub fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/oauth/authorize", get(authorize))
            .route("/oauth/token", post(token))
            .with_state(self)
    }

    /// Returns the grant of an access token that is valid.
    pub fn check(&self, access_token: &str) -> Option<Grant> {
        let state = self.state();
        let (grant, ends) = state.access.get(access_token)?;
        (*ends > Instant::now()).then(|| grant.clone())
    }

    /// Grants scopes without a consent page, and returns an access token.
    pub fn issue(&self, scopes: &[&str]) -> String {
        let grant = Grant::new(scopes.iter().map(|scope| (*scope).to_owned()).collect());
        self.state().issue(grant, self.token_seconds).0
    }

    /// Revokes the grant of an access or refresh token. Returns whether there was one.
    pub fn revoke(&self, token: &str) -> bool {
        let mut state = self.state();
        let access = state.access.get(token).map(|(grant, _)| grant.id);
        let Some(id) = access.or_else(|| state.refresh.get(token).map(|grant| grant.id)) else {
            return false;
        };
        state.access.retain(|_, (grant, _)| grant.id != id);
        state.refresh.retain(|_, grant| grant.id != id);
        true
    }

    /// Revokes all grants, as if the user had ended them at the provider.
    pub fn revoke_all(&self) {
        let mut state = self.state();
        state.access.clear();
        state.refresh.clear();
        state.codes.clear();
    }

    /// Returns the number of times that tokens were issued for a code or a refresh token.
    pub fn exchanges(&self) -> u64 {
        self.state().exchanges
    }

    fn state(&self) -> MutexGuard<'_, Tokens> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Exchanges a code or a refresh token. The error is a code of OAuth.
    fn exchange(&self, request: &TokenRequest) -> Result<(String, Option<String>), &'static str> {
        let mut state = self.state();
        let refresh_scope = self.deviations.refresh_scope;
        let grant = match request.grant_type.as_str() {
            "authorization_code" => {
                let code = request.code.as_deref().ok_or("invalid_request")?;
                let code = state.codes.remove(code).ok_or("invalid_grant")?;
                let matches = code.redirect_uri == request.redirect_uri.as_deref().unwrap_or_default()
                    && code.ends > Instant::now()
                    && code.challenge == request.code_verifier.as_deref().map(challenge);
                matches.then_some(code.grant).ok_or("invalid_grant")?
            }
            "refresh_token" => {
                let token = request.refresh_token.as_deref().ok_or("invalid_request")?;
                if refresh_scope.is_some() && request.scope.as_deref() != refresh_scope {
                    return Err("invalid_scope");
                }
                let grant = state.refresh.remove(token).ok_or("invalid_grant")?;
                if self.deviations.ends_access_tokens {
                    state.access.retain(|_, (of, _)| of.id != grant.id);
                }
                grant
            }
            _ => return Err("unsupported_grant_type"),
        };
        state.exchanges += 1;
        let is_refreshable = refresh_scope.is_none_or(|scope| grant.scopes.contains(scope));
        let (access, refresh) = state.issue(grant, self.token_seconds);
        if !is_refreshable {
            state.refresh.remove(&refresh);
        }
        Ok((access, is_refreshable.then_some(refresh)))
    }
}

impl Tokens {
    /// Returns a new access token and a new refresh token.
    fn issue(&mut self, grant: Grant, seconds: u32) -> (String, String) {
        let (access, refresh) = (secret(), secret());
        let ends = Instant::now() + Duration::from_secs(seconds.into());
        self.access.insert(access.clone(), (grant.clone(), ends));
        self.refresh.insert(refresh.clone(), grant);
        (access, refresh)
    }
}

impl Grant {
    fn new(scopes: BTreeSet<String>) -> Self {
        Self {
            id: Uuid::new_v4(),
            scopes,
        }
    }
}

impl Scoped for Grant {
    fn has_scope(&self, scope: &str) -> bool {
        self.scopes.contains(scope)
    }
}

fn secret() -> String {
    Uuid::new_v4().simple().to_string()
}

/// Returns the challenge of a verifier by the method `S256`.
fn challenge(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

#[derive(Deserialize)]
struct Authorization {
    response_type: String,
    client_id: String,
    redirect_uri: String,
    state: Option<String>,
    #[serde(default)]
    scope: String,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

/// Consents to all scopes, and redirects back to any URI with a code.
async fn authorize(State(grants): State<Arc<Grants>>, Query(request): Query<Authorization>) -> Response {
    let method = request
        .code_challenge
        .as_ref()
        .and(request.code_challenge_method.as_deref());
    let target = Url::parse(&request.redirect_uri);
    let is_valid = request.response_type == "code"
        && request.client_id == grants.client_id
        && request.state.as_deref().unwrap_or_default().len() >= grants.deviations.min_state_length
        && (request.code_challenge.is_none() || method == Some("S256"));
    let (true, Ok(mut target)) = (is_valid, target) else {
        return refusal(StatusCode::BAD_REQUEST, "invalid_request");
    };
    let scopes = request.scope.split([' ', ',']).filter(|scope| !scope.is_empty());
    let code = Code {
        grant: Grant::new(scopes.map(str::to_owned).collect()),
        redirect_uri: request.redirect_uri,
        challenge: request.code_challenge,
        ends: Instant::now() + Duration::from_secs(CODE_SECONDS),
    };
    let secret = secret();
    target
        .query_pairs_mut()
        .append_pair("code", &secret)
        .append_pair("scope", &request.scope);
    if let Some(state) = &request.state {
        target.query_pairs_mut().append_pair("state", state);
    }
    grants.state().codes.insert(secret, code);
    Redirect::to(target.as_str()).into_response()
}

#[derive(Deserialize)]
struct TokenRequest {
    grant_type: String,
    code: Option<String>,
    redirect_uri: Option<String>,
    code_verifier: Option<String>,
    refresh_token: Option<String>,
    scope: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
}

/// Returns tokens to the client, which authenticates itself in the body or by `Authorization: Basic`.
async fn token(State(grants): State<Arc<Grants>>, headers: HeaderMap, Form(request): Form<TokenRequest>) -> Response {
    let in_body = request.client_id.clone().zip(request.client_secret.clone());
    let in_header = || basic(&headers).filter(|_| !grants.deviations.is_body_only);
    let client = in_body.or_else(in_header);
    if client != Some((grants.client_id.clone(), grants.client_secret.clone())) {
        return refusal(StatusCode::UNAUTHORIZED, "invalid_client");
    }
    match grants.exchange(&request) {
        Ok((access_token, refresh_token)) => {
            let mut tokens = json!({
                "access_token": access_token, "token_type": "bearer", "expires_in": grants.token_seconds,
            });
            if let Some(token) = refresh_token {
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

fn refusal(status: StatusCode, code: &str) -> Response {
    (status, Json(json!({"error": code}))).into_response()
}
