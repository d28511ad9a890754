//! OAuth 2.0 server of a provider: strict about the client, with configurable faults.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;

use super::shape::{Refusal, Shape};

pub(super) const CLIENT_ID: &str = "wearlab: a test";
pub(super) const CLIENT_SECRET: &str = "s%cret with a space";

/// Configuration of the server.
#[derive(Clone, Debug)]
pub(super) struct Behaviour {
    /// Issuer in its responses.
    pub(super) issuer: Option<String>,
    /// Decision of the user: the granted scopes among the requested ones, or a refusal.
    pub(super) consent: Consent,
    /// Lifetime of access tokens, in seconds.
    pub(super) lifetime: Option<i64>,
    /// True if each refresh token is valid once.
    pub(super) rotates: bool,
    /// Status of the token endpoint, if it fails.
    pub(super) failure: Option<u16>,
    /// Delay of the token endpoint after it has issued tokens.
    pub(super) delay: Duration,
    /// Error code of the token endpoint, if it refuses.
    pub(super) refusal: Option<&'static str>,
    /// Provider whose deviations it imitates.
    pub(super) shape: Shape,
    /// Changed members of a token response.
    pub(super) members: Vec<(&'static str, Value)>,
}

/// Decision of the user.
#[derive(Clone, Debug)]
pub(super) enum Consent {
    All,
    Only(&'static [&'static str]),
    Refused,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            issuer: None,
            consent: Consent::All,
            lifetime: Some(3600),
            rotates: true,
            failure: None,
            delay: Duration::ZERO,
            refusal: None,
            shape: Shape::OAuth,
            members: Vec::new(),
        }
    }
}

/// Issued code.
#[derive(Clone)]
struct Code {
    challenge: Option<String>,
    redirect_uri: String,
    scopes: Vec<String>,
}

#[derive(Default)]
struct Books {
    behaviour: Behaviour,
    number: u32,
    codes: BTreeMap<String, Code>,
    refresh_tokens: BTreeMap<String, Vec<String>>,
    revoked: BTreeSet<String>,
    /// Grant types of the requests to the token endpoint.
    token_requests: Vec<String>,
    /// Queries of the authorization endpoint.
    authorizations: Vec<BTreeMap<String, String>>,
    /// Valid refresh tokens, and all issued access tokens.
    access_tokens: Vec<String>,
}

/// Server on a free port of this machine.
#[derive(Clone)]
pub(super) struct Provider {
    pub(super) url: String,
    books: Arc<Mutex<Books>>,
}

impl Provider {
    pub(super) async fn start() -> Self {
        let books: Arc<Mutex<Books>> = Arc::default();
        let routes = Router::new()
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/revoke", post(revoke).delete(revoke_by_bearer))
            .with_state(books.clone());
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))
            .await
            .expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { url, books }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the configuration.
    pub(super) fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.books().behaviour);
    }

    /// Counts the requests to the token endpoint, by grant type.
    pub(super) fn token_requests(&self, grant_type: &str) -> usize {
        let books = self.books();
        books.token_requests.iter().filter(|kind| *kind == grant_type).count()
    }

    /// Returns the query of the last authorization request.
    pub(super) fn last_authorization(&self) -> BTreeMap<String, String> {
        self.books().authorizations.last().cloned().unwrap_or_default()
    }

    pub(super) fn is_revoked(&self, token: &str) -> bool {
        self.books().revoked.contains(token)
    }

    /// Returns whether a refresh token is valid.
    pub(super) fn knows(&self, refresh_token: &str) -> bool {
        self.books().refresh_tokens.contains_key(refresh_token)
    }

    /// Revokes all tokens.
    pub(super) fn forget(&self) {
        self.books().refresh_tokens.clear();
    }

    /// Returns the last issued access token.
    pub(super) fn last_access_token(&self) -> Option<String> {
        self.books().access_tokens.last().cloned()
    }

    /// Returns the settings of this provider.
    pub(super) fn settings(&self) -> Value {
        let mut settings = json!({
            "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET,
            "authorization_url": format!("{}/authorize?audience=wearlab", self.url),
            "token_url": format!("{}/token", self.url),
            "revocation_url": format!("{}/revoke", self.url),
            "scopes": {
                "activity": {"required": ["activity:read"], "optional": []},
                "sleep": {"required": ["sleep:read"], "optional": ["heart:read"]},
            },
            "extra_scopes": ["offline_access"],
        });
        let more = self.books().behaviour.shape.settings();
        let members = settings.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        settings
    }
}

fn pairs(encoded: &str) -> BTreeMap<String, String> {
    let url = Url::parse(&format!("http://localhost/?{encoded}")).expect("a query");
    let mut pairs = BTreeMap::new();
    for (name, value) in url.query_pairs() {
        let before = pairs.insert(name.clone().into_owned(), value.into_owned());
        assert_eq!(before, None, "{name} is there twice");
    }
    pairs
}

async fn authorize(State(books): State<Arc<Mutex<Books>>>, uri: Uri) -> Response {
    let asked = pairs(uri.query().unwrap_or_default());
    let mut books = books.lock().unwrap_or_else(PoisonError::into_inner);
    books.authorizations.push(asked.clone());
    assert_eq!(asked["response_type"], "code");
    assert_eq!(asked["client_id"], CLIENT_ID);
    let shape = books.behaviour.shape;
    if shape.has_pkce() {
        assert_eq!(asked["code_challenge_method"], "S256");
        assert_eq!(asked["code_challenge"].len(), 43);
    } else {
        assert!(!asked.contains_key("code_challenge") && !asked.contains_key("code_challenge_method"));
    }
    let mut back = Url::parse(&asked["redirect_uri"]).expect("a URL");
    back.query_pairs_mut().append_pair("state", &asked["state"]);
    if let Some(issuer) = books.behaviour.issuer.clone() {
        back.query_pairs_mut().append_pair("iss", &issuer);
    }
    let requested: Vec<_> = asked["scope"].split(shape.separator()).map(str::to_owned).collect();
    let granted = match books.behaviour.consent.clone() {
        Consent::All => requested,
        Consent::Only(scopes) => scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        Consent::Refused => {
            back.query_pairs_mut()
                .append_pair("error", "access_denied")
                .append_pair("error_description", "<b>no</b>");
            return found(&back);
        }
    };
    if shape == Shape::Strava {
        back.query_pairs_mut().append_pair("scope", &granted.join(","));
    }
    books.number += 1;
    let code = format!("code {}&=", books.number);
    back.query_pairs_mut().append_pair("code", &code);
    let given = Code {
        challenge: asked.get("code_challenge").cloned(),
        redirect_uri: asked["redirect_uri"].clone(),
        scopes: granted,
    };
    books.codes.insert(code, given);
    found(&back)
}

fn found(to: &Url) -> Response {
    (StatusCode::FOUND, [(LOCATION, to.to_string())]).into_response()
}

/// Returns whether a request is authenticated as the client, by its header or its body.
fn is_client(headers: &HeaderMap, form: &BTreeMap<String, String>) -> bool {
    let encoded = |text: &str| {
        let mut url = Url::parse("http://localhost/").expect("a URL");
        url.query_pairs_mut().append_pair("x", text);
        url.query().expect("a query")[2..].to_owned()
    };
    let pair = format!("{}:{}", encoded(CLIENT_ID), encoded(CLIENT_SECRET));
    let basic = format!("Basic {}", STANDARD.encode(pair));
    let by_header = headers.get(AUTHORIZATION).is_some_and(|sent| sent == basic.as_str());
    let by_body = form.get("client_id").is_some_and(|id| id == CLIENT_ID)
        && form.get("client_secret").is_some_and(|secret| secret == CLIENT_SECRET);
    by_header != by_body
}

async fn form(request: Request) -> (HeaderMap, BTreeMap<String, String>) {
    let (parts, body) = request.into_parts();
    assert_eq!(parts.headers[CONTENT_TYPE], "application/x-www-form-urlencoded");
    let body = axum::body::to_bytes(body, 64 * 1024).await.expect("a body");
    (parts.headers, pairs(std::str::from_utf8(&body).expect("text")))
}

async fn token(State(books): State<Arc<Mutex<Books>>>, request: Request) -> Response {
    let (headers, form) = form(request).await;
    let (response, delay) = {
        let mut books = books.lock().unwrap_or_else(PoisonError::into_inner);
        books.token_requests.push(form["grant_type"].clone());
        let response = match books.behaviour.failure {
            Some(status) => {
                let status = StatusCode::from_u16(status).expect("a status");
                (status, "<html>down</html>").into_response()
            }
            None => {
                let shape = books.behaviour.shape;
                shape.check(&form);
                match answer(&mut books, &headers, &form) {
                    Ok(tokens) => shape.tokens(tokens, form["grant_type"] == "authorization_code"),
                    Err(refusal) => shape.refused(refusal, &form["grant_type"]),
                }
            }
        };
        (response, books.behaviour.delay)
    };
    tokio::time::sleep(delay).await;
    response
}

fn answer(books: &mut Books, headers: &HeaderMap, form: &BTreeMap<String, String>) -> Result<Value, Refusal> {
    if !is_client(headers, form) {
        return Err((StatusCode::UNAUTHORIZED, "invalid_client"));
    }
    if let Some(code) = books.behaviour.refusal {
        return Err((StatusCode::BAD_REQUEST, code));
    }
    let invalid = (StatusCode::BAD_REQUEST, "invalid_grant");
    let scopes = match form["grant_type"].as_str() {
        "authorization_code" => {
            // Valid once, whatever the result is.
            let Some(code) = books.codes.remove(&form["code"]) else {
                return Err(invalid);
            };
            let verifier = form.get("code_verifier");
            let challenge = verifier.map(|verifier| URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)));
            if challenge != code.challenge || form["redirect_uri"] != code.redirect_uri {
                return Err(invalid);
            }
            code.scopes
        }
        "refresh_token" => {
            let token = &form["refresh_token"];
            let known = match books.behaviour.rotates {
                true => books.refresh_tokens.remove(token),
                false => books.refresh_tokens.get(token).cloned(),
            };
            match known {
                Some(scopes) => scopes,
                None => return Err(invalid),
            }
        }
        other => panic!("{other}"),
    };
    books.number += 1;
    let (access, refresh) = (format!("access-{}", books.number), format!("refresh {}", books.number));
    books.access_tokens.push(access.clone());
    let mut tokens = json!({"access_token": access, "token_type": "bearer", "scope": scopes.join(" ")});
    if let Some(lifetime) = books.behaviour.lifetime {
        tokens["expires_in"] = lifetime.into();
    }
    if books.behaviour.rotates || form["grant_type"] == "authorization_code" {
        books.refresh_tokens.insert(refresh.clone(), scopes);
        tokens["refresh_token"] = refresh.into();
    }
    for (name, value) in &books.behaviour.members {
        tokens[*name] = value.clone();
    }
    Ok(tokens)
}

/// Revokes tokens like WHOOP and Garmin.
async fn revoke_by_bearer(State(books): State<Arc<Mutex<Books>>>, headers: HeaderMap) -> Response {
    let sent = headers[AUTHORIZATION].to_str().expect("text");
    let token = sent.strip_prefix("Bearer ").expect("a bearer token").to_owned();
    books
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .revoked
        .insert(token);
    StatusCode::NO_CONTENT.into_response()
}

async fn revoke(State(books): State<Arc<Mutex<Books>>>, request: Request) -> Response {
    // Like Oura.
    if let Some(query) = request.uri().query() {
        assert!(!request.headers().contains_key(AUTHORIZATION));
        let mut pairs = pairs(query);
        let token = pairs.remove("access_token").expect("a token");
        books
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .revoked
            .insert(token);
        return StatusCode::OK.into_response();
    }
    let (headers, form) = form(request).await;
    let mut books = books.lock().unwrap_or_else(PoisonError::into_inner);
    if !is_client(&headers, &form) {
        return refused(StatusCode::UNAUTHORIZED, "invalid_client");
    }
    books.refresh_tokens.remove(&form["token"]);
    books.revoked.insert(form["token"].clone());
    StatusCode::OK.into_response()
}

fn refused(status: StatusCode, code: &str) -> Response {
    json_of(status, &json!({"error": code, "error_description": "no"}))
}

fn json_of(status: StatusCode, body: &Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
