//! Requests to a provider: an OAuth 2.0 client of its settings, on our HTTP client.

use std::time::Duration;

use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use oauth2::basic::{BasicClient, BasicErrorResponseType, BasicRequestTokenError, BasicTokenResponse};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, EndpointNotSet, EndpointSet, HttpRequest,
    HttpResponse, PkceCodeVerifier, RedirectUrl, RefreshToken, TokenResponse, TokenUrl,
};
use wearlab_models::{Secret, TokenAuthMethod};
use wearlab_store::{OAuthTokens, StoredProviderSettings};

use super::{Linking, scopes};

/// A response of a provider is read up to here.
const LONGEST_BODY: usize = 256 * 1024;

/// A client of a provider.
pub(super) type ProviderClient = BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// Why a provider gives no tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenError {
    /// The provider refuses the code or the refresh token (`invalid_grant`): trying again does not help.
    Grant,
    /// The provider refuses the client or the request, by an error code of OAuth: what is set up is wrong.
    Client(&'static str),
    /// The provider did not respond, or not as it should. `sent`: the request may have come to its end there.
    Unavailable { sent: bool, reason: &'static str },
}

/// Why a request has no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    #[error("no connection")]
    Connect,
    #[error("no response")]
    Response,
    #[error("the response is too long")]
    TooLong,
    #[error("status {0}")]
    Status(StatusCode),
    #[error("not a request")]
    Request,
}

/// The client of a provider's settings.
///
/// # Errors
///
/// What is wrong with the settings, which were checked when they were put.
pub(super) fn provider_client(
    stored: &StoredProviderSettings,
    redirect_uri: &str,
) -> Result<ProviderClient, oauth2::url::ParseError> {
    let settings = &stored.settings;
    let method = match settings.token_auth_method {
        TokenAuthMethod::ClientSecretPost | TokenAuthMethod::None => AuthType::RequestBody,
        _ => AuthType::BasicAuth,
    };
    let client = BasicClient::new(ClientId::new(settings.client_id.clone()))
        .set_auth_type(method)
        .set_auth_uri(AuthUrl::new(settings.authorization_url.clone())?)
        .set_token_uri(TokenUrl::new(settings.token_url.clone())?)
        .set_redirect_uri(RedirectUrl::new(redirect_uri.to_owned())?);
    let secret = stored
        .client_secret
        .as_ref()
        .filter(|_| settings.token_auth_method != TokenAuthMethod::None);
    Ok(match secret {
        Some(secret) => client.set_client_secret(ClientSecret::new(secret.expose().to_owned())),
        None => client,
    })
}

const INVALID_SETTINGS: TokenError = TokenError::Client("the settings of the provider are invalid");

impl Linking {
    /// Exchanges a code.
    pub(super) async fn exchange(
        &self,
        stored: &StoredProviderSettings,
        redirect_uri: &str,
        code: String,
        verifier: &Secret,
    ) -> Result<BasicTokenResponse, TokenError> {
        let http = self.http()?;
        let client = provider_client(stored, redirect_uri).map_err(|_| INVALID_SETTINGS)?;
        let request = client
            .exchange_code(AuthorizationCode::new(code))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier.expose().to_owned()));
        let send = |request| send(http.clone(), request);
        request.request_async(&send).await.map_err(token_error)
    }

    /// Refreshes tokens.
    pub(super) async fn refresh(
        &self,
        stored: &StoredProviderSettings,
        refresh_token: &Secret,
    ) -> Result<BasicTokenResponse, TokenError> {
        let http = self.http()?;
        let client = provider_client(stored, &self.redirect_uri()).map_err(|_| INVALID_SETTINGS)?;
        let refresh_token = RefreshToken::new(refresh_token.expose().to_owned());
        let request = client.exchange_refresh_token(&refresh_token);
        let send = |request| send(http.clone(), request);
        request.request_async(&send).await.map_err(token_error)
    }

    pub(super) fn http(&self) -> Result<&reqwest::Client, TokenError> {
        self.client().map_err(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "cannot send requests to providers"
            );
            TokenError::Unavailable {
                sent: false,
                reason: "no HTTP client",
            }
        })
    }
}

/// Sends a request. A response of a failing provider is an error.
pub(super) async fn send(http: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, SendError> {
    let request = reqwest::Request::try_from(request).map_err(|_| SendError::Request)?;
    let sent = http.execute(request).await;
    let mut response = sent.map_err(|error| match error.is_connect() {
        true => SendError::Connect,
        false => SendError::Response,
    })?;
    let status = response.status();
    // A redirect is not followed: the secret of the client would go with it.
    if status.is_server_error() || status.is_redirection() || status == StatusCode::TOO_MANY_REQUESTS {
        return Err(SendError::Status(status));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| SendError::Response)? {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST_BODY {
            return Err(SendError::TooLong);
        }
    }
    let mut read = HttpResponse::new(body);
    *read.status_mut() = status;
    *read.headers_mut() = std::mem::take(response.headers_mut());
    Ok(read)
}

fn token_error(error: BasicRequestTokenError<SendError>) -> TokenError {
    let unavailable = |sent, reason| TokenError::Unavailable { sent, reason };
    match error {
        BasicRequestTokenError::ServerResponse(response) => match response.error() {
            BasicErrorResponseType::InvalidGrant => TokenError::Grant,
            BasicErrorResponseType::InvalidClient => TokenError::Client("invalid_client"),
            BasicErrorResponseType::InvalidRequest => TokenError::Client("invalid_request"),
            BasicErrorResponseType::InvalidScope => TokenError::Client("invalid_scope"),
            BasicErrorResponseType::UnauthorizedClient => TokenError::Client("unauthorized_client"),
            BasicErrorResponseType::UnsupportedGrantType => TokenError::Client("unsupported_grant_type"),
            BasicErrorResponseType::Extension(_) => unavailable(false, "an unknown error code"),
        },
        BasicRequestTokenError::Request(SendError::Connect) => unavailable(false, "no connection"),
        BasicRequestTokenError::Request(SendError::Request) => unavailable(false, "not a request"),
        BasicRequestTokenError::Request(SendError::Status(StatusCode::TOO_MANY_REQUESTS)) => {
            unavailable(false, "too many requests")
        }
        BasicRequestTokenError::Request(SendError::Status(_)) => unavailable(true, "an error of the server"),
        BasicRequestTokenError::Request(SendError::Response) => unavailable(true, "no response in time"),
        BasicRequestTokenError::Request(SendError::TooLong) => unavailable(true, "a response that is too long"),
        BasicRequestTokenError::Parse(..) | BasicRequestTokenError::Other(_) => {
            unavailable(true, "a response that is not OAuth's")
        }
    }
}

/// The tokens of a response. Scopes that it does not name are those that were `requested`, as RFC 6749 has it; a refresh
/// token that it does not have is the `earlier` one.
pub(super) fn tokens_of(
    response: &BasicTokenResponse,
    requested: &[String],
    earlier: Option<&Secret>,
    now: DateTime<Utc>,
) -> OAuthTokens {
    let scopes = response.scopes().map(|scopes| {
        let scopes = scopes.iter().map(|scope| scope.as_str());
        scopes.flat_map(scopes::split).collect()
    });
    let fresh = response
        .refresh_token()
        .map(|token| Secret::new(token.secret().clone()));
    let lifetime = response.expires_in();
    OAuthTokens {
        access_token: Secret::new(response.access_token().secret().clone()),
        token_type: token_type(response),
        refresh_token: fresh.or_else(|| earlier.cloned()),
        expires_at: lifetime.map(|lifetime| now + bounded(lifetime)),
        scopes: scopes.unwrap_or_else(|| requested.to_vec()),
    }
}

fn token_type(response: &BasicTokenResponse) -> String {
    match response.token_type() {
        oauth2::basic::BasicTokenType::Bearer => "Bearer".to_owned(),
        other => other.as_ref().to_owned(),
    }
}

/// A lifetime that can be added to any time of today.
fn bounded(lifetime: Duration) -> TimeDelta {
    const LONGEST: TimeDelta = TimeDelta::days(3650);
    TimeDelta::from_std(lifetime).unwrap_or(LONGEST).min(LONGEST)
}
