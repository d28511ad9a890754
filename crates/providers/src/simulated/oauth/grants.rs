//! Consents of users, with their codes and tokens.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::response::Response;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

use super::super::deviations::Deviations;
use super::grant::Grant;
use super::token::{Kind, Token, TokenKeys};

/// Usual lifetime of a code.
const CODE_LIFETIME: Duration = Duration::from_secs(600);
/// Maximum number of codes. At the limit all are dropped: their consent pages are likely to be closed.
const MAX_CODES: usize = 1_000;

/// Request of an application for the data of a user.
#[derive(Debug)]
pub struct ConsentRequest {
    /// Scopes.
    pub scopes: Vec<String>,
    /// URL of the application, without the outcome.
    pub redirect_uri: Url,
    /// URL of the application with the code.
    pub allow: Url,
    /// URL of the application with the error `access_denied`.
    pub deny: Url,
}

/// Page on which a user consents to a request, or denies it.
pub type ConsentPage = dyn Fn(&ConsentRequest) -> Response + Send + Sync;

/// Consents of users, with their tokens.
pub struct Grants {
    client_id: String,
    client_secret: String,
    token_seconds: u32,
    keys: TokenKeys,
    pub(super) deviations: Deviations,
    pub(super) consent_page: Option<Arc<ConsentPage>>,
    state: Mutex<Tokens>,
}

#[derive(Debug, Default)]
struct Tokens {
    codes: HashMap<String, Code>,
    /// Refresh tokens that were exchanged.
    spent: HashSet<Uuid>,
    /// Grants that were revoked.
    revoked: HashSet<Uuid>,
    /// Time at which all grants were revoked.
    all_revoked: Option<DateTime<Utc>>,
    /// Time at which all access tokens ended.
    all_ended: Option<DateTime<Utc>>,
    /// Times before which the access tokens of grants were issued that have ended.
    ended: HashMap<Uuid, DateTime<Utc>>,
    /// True if a valid access token was presented.
    is_used: bool,
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

impl Tokens {
    fn is_revoked(&self, token: &Token) -> bool {
        self.revoked.contains(&token.grant.id) || self.all_revoked.is_some_and(|time| token.issued <= time)
    }
}

impl fmt::Debug for Grants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grants").finish_non_exhaustive()
    }
}

impl Grants {
    /// Creates an empty list for one client, whose access tokens last so many seconds. Users consent immediately.
    pub fn new(client_id: impl Into<String>, client_secret: impl Into<String>, token_seconds: u32) -> Self {
        Self {
            client_id: client_id.into(),
            client_secret: client_secret.into(),
            token_seconds,
            keys: TokenKeys::random(),
            deviations: Deviations::default(),
            consent_page: None,
            state: Mutex::default(),
        }
    }

    /// Returns the list with the deviations of a provider.
    #[must_use]
    pub fn with_deviations(self, deviations: Deviations) -> Self {
        Self { deviations, ..self }
    }

    /// Shows a page on which users consent.
    #[must_use]
    pub fn with_consent_page(self, page: Arc<ConsentPage>) -> Self {
        Self {
            consent_page: Some(page),
            ..self
        }
    }

    /// Signs tokens with the first of some keys, and accepts those of all: tokens of an earlier run stay valid.
    #[must_use]
    pub fn with_keys(self, keys: Vec<[u8; 32]>) -> Self {
        Self {
            keys: TokenKeys::new(keys),
            ..self
        }
    }

    /// Returns the grant of an access token that is valid.
    pub fn check(&self, access_token: &str) -> Option<Grant> {
        let token = self.keys.verify(access_token, Kind::Access)?;
        let mut state = self.state();
        let has_ended = state
            .ended
            .get(&token.grant.id)
            .is_some_and(|time| token.issued < *time)
            || state.all_ended.is_some_and(|time| token.issued <= time);
        let is_valid = !has_ended && !state.is_revoked(&token);
        state.is_used |= is_valid;
        is_valid.then_some(token.grant)
    }

    /// Returns whether a valid access token was presented in this run.
    pub fn is_used(&self) -> bool {
        self.state().is_used
    }

    /// Grants scopes without a consent page, and returns an access token.
    pub fn issue(&self, scopes: &[&str]) -> String {
        let grant = Grant::new(scopes.iter().map(|scope| (*scope).to_owned()).collect());
        self.tokens(&grant).0
    }

    /// Grants scopes without a consent page, and returns an access token, and a refresh token if the provider has them.
    pub fn issue_refreshable(&self, scopes: &[String]) -> (String, Option<String>) {
        let grant = Grant::new(scopes.iter().cloned().collect());
        let (access_token, refresh_token) = self.tokens(&grant);
        (access_token, self.is_refreshable(&grant).then_some(refresh_token))
    }

    /// Revokes the grant of an access or refresh token. Returns whether it was valid.
    pub fn revoke(&self, token: &str) -> bool {
        let verified = self.keys.verify(token, Kind::Access);
        let verified = verified.or_else(|| self.keys.verify(token, Kind::Refresh));
        verified.is_some_and(|token| self.state().revoked.insert(token.grant.id))
    }

    /// Revokes all grants, as if the users had ended them at the provider.
    pub fn revoke_all(&self) {
        let mut state = self.state();
        state.codes.clear();
        state.all_revoked = Some(Utc::now());
    }

    /// Ends all access tokens, as if their lifetime had passed. Refresh tokens stay valid.
    pub fn expire_access_tokens(&self) {
        self.state().all_ended = Some(Utc::now());
    }

    /// Ends all codes, as if their lifetime had passed.
    pub fn expire_codes(&self) {
        let now = Instant::now();
        self.state().codes.values_mut().for_each(|code| code.ends = now);
    }

    /// Returns whether an id and a secret are those of the client.
    pub fn is_client(&self, id: &str, secret: &str) -> bool {
        id == self.client_id && secret == self.client_secret
    }

    /// Returns the id of the client.
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Returns the secret of the client.
    pub fn client_secret(&self) -> &str {
        &self.client_secret
    }

    /// Returns the number of times that tokens were issued for a code or a refresh token.
    pub fn exchanges(&self) -> u64 {
        self.state().exchanges
    }

    fn state(&self) -> MutexGuard<'_, Tokens> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a code for some scopes.
    pub(super) fn put_code(&self, code: String, scopes: Vec<String>, redirect_uri: String, challenge: Option<String>) {
        let mut state = self.state();
        if state.codes.len() >= MAX_CODES {
            state.codes.clear();
        }
        let granted = Code {
            grant: Grant::new(scopes.into_iter().collect()),
            redirect_uri,
            challenge,
            ends: Instant::now() + self.deviations.code_lifetime.unwrap_or(CODE_LIFETIME),
        };
        state.codes.insert(code, granted);
    }

    /// Exchanges a code or a refresh token. The error is a code of OAuth.
    pub(crate) fn exchange(&self, request: &TokenRequest) -> Result<IssuedTokens, &'static str> {
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
                let token = self.keys.verify(token, Kind::Refresh).ok_or("invalid_grant")?;
                let is_valid =
                    !state.is_revoked(&token) && (self.deviations.keeps_refresh_tokens || state.spent.insert(token.id));
                let grant = is_valid.then_some(token.grant).ok_or("invalid_grant")?;
                if self.deviations.ends_access_tokens {
                    state.ended.insert(grant.id, Utc::now());
                }
                grant
            }
            _ => return Err("unsupported_grant_type"),
        };
        state.exchanges += 1;
        let is_kept = self.deviations.keeps_refresh_tokens && request.grant_type == "refresh_token";
        let is_refreshable = !is_kept && self.is_refreshable(&grant);
        let (access_token, refresh_token) = self.tokens(&grant);
        Ok(IssuedTokens {
            access_token,
            refresh_token: is_refreshable.then_some(refresh_token),
            expires_in: self.token_seconds,
            scopes: grant.scopes,
        })
    }

    fn is_refreshable(&self, grant: &Grant) -> bool {
        let scope = self.deviations.refresh_scope;
        scope.is_none_or(|scope| grant.scopes.contains(scope))
    }

    /// Returns a new access token and a new refresh token.
    fn tokens(&self, grant: &Grant) -> (String, String) {
        let lifetime = TimeDelta::seconds(self.token_seconds.into());
        (
            self.keys.sign(Token::new(Kind::Access, grant, Some(lifetime))),
            self.keys.sign(Token::new(Kind::Refresh, grant, None)),
        )
    }
}

/// Tokens of a response.
pub(crate) struct IssuedTokens {
    pub(crate) access_token: String,
    pub(crate) refresh_token: Option<String>,
    /// Lifetime of the access token, in s.
    pub(crate) expires_in: u32,
    pub(crate) scopes: BTreeSet<String>,
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
    pub(crate) scope: Option<String>,
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<String>,
}

/// Returns the challenge of a verifier by the method `S256`.
fn challenge(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}
