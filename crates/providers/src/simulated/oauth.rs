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

/// Usual lifetime of a code.
const CODE_LIFETIME: Duration = Duration::from_secs(600);

/// Consents of users, with their tokens.
#[derive(Debug)]
pub struct Grants {
    client_id: String,
    client_secret: String,
    token_seconds: u32,
    code_lifetime: Duration,
    keeps_refresh_tokens: bool,
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
            code_lifetime: CODE_LIFETIME,
            keeps_refresh_tokens: false,
            state: Mutex::default(),
        }
    }

    /// Sets the lifetime of codes, which is 10 minutes by default.
    #[must_use]
    pub fn code_lifetime(mut self, lifetime: Duration) -> Self {
        self.code_lifetime = lifetime;
        self
    }

    /// Lets refresh tokens stay valid: a refresh gives no new one.
    #[must_use]
    pub fn keep_refresh_tokens(mut self) -> Self {
        self.keeps_refresh_tokens = true;
        self
    }

    /// Returns the endpoints `/oauth/authorize` and `/oauth/token`.
    pub fn router(self: Arc<Self>) -> Router {
        let token = Router::new()
            .route("/oauth/token", post(token))
            .with_state(Arc::clone(&self));
        self.consent_router("/oauth/authorize").merge(token)
    }

    /// Returns the consent page alone, for a provider whose token endpoint differs from OAuth.
    pub fn consent_router(self: Arc<Self>, path: &str) -> Router {
        Router::new().route(path, get(authorize)).with_state(self)
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

    /// Ends all codes, as if their lifetime had passed.
    pub fn expire_codes(&self) {
        let now = Instant::now();
        self.state().codes.values_mut().for_each(|code| code.ends = now);
    }

    /// Returns the number of times that tokens were issued for a code or a refresh token.
    pub fn exchanges(&self) -> u64 {
        self.state().exchanges
    }

    fn state(&self) -> MutexGuard<'_, Tokens> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Exchanges a code or a refresh token of the client. The error is a code of OAuth.
    pub(crate) fn exchange(&self, request: &TokenRequest) -> Result<IssuedTokens, &'static str> {
        let client = request.client_id.as_deref().zip(request.client_secret.as_deref());
        if client != Some((self.client_id.as_str(), self.client_secret.as_str())) {
            return Err("invalid_client");
        }
        let mut state = self.state();
        let mut is_kept = false;
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
                let grant = state.refresh.remove(token).ok_or("invalid_grant")?;
                if self.keeps_refresh_tokens {
                    is_kept = true;
                    state.refresh.insert(token.to_owned(), grant.clone());
                }
                grant
            }
            _ => return Err("unsupported_grant_type"),
        };
        state.exchanges += 1;
        let scopes = grant.scopes.clone();
        let (access_token, refresh_token) = state.issue(grant, self.token_seconds);
        if is_kept {
            state.refresh.remove(&refresh_token);
        }
        Ok(IssuedTokens {
            access_token,
            refresh_token: (!is_kept).then_some(refresh_token),
            expires_in: self.token_seconds,
            scopes,
        })
    }
}

/// Tokens of a response.
pub(crate) struct IssuedTokens {
    pub(crate) access_token: String,
    /// None if that of the request stays valid.
    pub(crate) refresh_token: Option<String>,
    /// Lifetime of the access token, in s.
    pub(crate) expires_in: u32,
    pub(crate) scopes: BTreeSet<String>,
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
        && (request.code_challenge.is_none() || method == Some("S256"));
    let (true, Ok(mut target)) = (is_valid, target) else {
        return refusal(StatusCode::BAD_REQUEST, "invalid_request");
    };
    let scopes = request.scope.split([' ', ',']).filter(|scope| !scope.is_empty());
    let code = Code {
        grant: Grant::new(scopes.map(str::to_owned).collect()),
        redirect_uri: request.redirect_uri,
        challenge: request.code_challenge,
        ends: Instant::now() + grants.code_lifetime,
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

/// Request for tokens.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct TokenRequest {
    pub(crate) grant_type: String,
    pub(crate) code: Option<String>,
    pub(crate) redirect_uri: Option<String>,
    pub(crate) code_verifier: Option<String>,
    pub(crate) refresh_token: Option<String>,
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<String>,
}

/// Returns tokens to the client, which authenticates itself in the body or by `Authorization: Basic`.
async fn token(State(grants): State<Arc<Grants>>, headers: HeaderMap, Form(request): Form<TokenRequest>) -> Response {
    let mut request = request;
    if let (None, Some((id, secret))) = (&request.client_secret, basic(&headers)) {
        (request.client_id, request.client_secret) = (Some(id), Some(secret));
    }
    match grants.exchange(&request) {
        Ok(tokens) => {
            let mut response = json!({
                "access_token": tokens.access_token, "token_type": "bearer", "expires_in": tokens.expires_in,
            });
            if let Some(token) = tokens.refresh_token {
                response["refresh_token"] = json!(token);
            }
            Json(response).into_response()
        }
        Err("invalid_client") => refusal(StatusCode::UNAUTHORIZED, "invalid_client"),
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
