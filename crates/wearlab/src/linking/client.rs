//! Requests to a provider, on our HTTP client.

use chrono::{DateTime, Utc};
use oauth2::{HttpRequest, HttpResponse};
use wearlab_models::Secret;
use wearlab_store::{OAuthTokens, StoredProviderSettings};

use super::Linking;
use super::origins::origins;
use super::token_request::{Exchange, token_request};
use super::token_response::{TokenError, TokenResponse, read};

/// A response of a provider is read up to here.
const LONGEST_BODY: usize = 256 * 1024;

/// Why a request has no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    #[error("no connection")]
    Connect,
    #[error("no response")]
    Response,
    #[error("the response is too long")]
    TooLong,
    #[error("not a request")]
    Request,
    #[error("the URL is not allowed")]
    NotAllowed,
}

impl From<SendError> for TokenError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Connect => Self::unavailable(false, "no connection"),
            SendError::Request => Self::unavailable(false, "not a request"),
            SendError::NotAllowed => Self::unavailable(false, "a URL that is not allowed"),
            SendError::Response => Self::unavailable(true, "no response in time"),
            SendError::TooLong => Self::unavailable(true, "a response that is too long"),
        }
    }
}

impl Linking {
    /// Asks for tokens. `requested` are the scopes that were requested.
    pub(super) async fn tokens(
        &self,
        stored: &StoredProviderSettings,
        exchange: &Exchange<'_>,
        requested: &[String],
        now: DateTime<Utc>,
    ) -> Result<TokenResponse, TokenError> {
        let http = self.http()?;
        // The operator may allow less than when the settings were put.
        self.check_url(&stored.settings.token_url)
            .map_err(|_| SendError::NotAllowed)?;
        let request = token_request(stored, exchange).map_err(|_| SendError::Request)?;
        let response = send(http.clone(), request).await?;
        let found = read(&stored.settings, response.status(), response.body(), requested, now);
        if let Err(TokenError::Unavailable { .. }) = &found {
            // Never the body: it may have tokens.
            let (provider, status) = (&stored.settings.slug, response.status().as_u16());
            tracing::debug!(provider, status, "a token endpoint gave no tokens");
        }
        found
    }

    pub(super) fn http(&self) -> Result<&reqwest::Client, TokenError> {
        self.client().map_err(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "cannot send requests to providers"
            );
            TokenError::unavailable(false, "no HTTP client")
        })
    }
}

/// Sends a request.
pub(super) async fn send(http: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, SendError> {
    let request = reqwest::Request::try_from(request).map_err(|_| SendError::Request)?;
    let sent = http.execute(request).await;
    let mut response = sent.map_err(|error| match error.is_connect() {
        true => SendError::Connect,
        false => SendError::Response,
    })?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| SendError::Response)? {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST_BODY {
            return Err(SendError::TooLong);
        }
    }
    let mut read = HttpResponse::new(body);
    *read.status_mut() = response.status();
    Ok(read)
}

/// The tokens of a response. Scopes that it does not name are those that were `requested`, as RFC 6749 has it; a refresh
/// token that it does not have is the `earlier` one.
pub(super) fn tokens_of(
    response: TokenResponse,
    requested: &[String],
    earlier: Option<&Secret>,
    stored: &StoredProviderSettings,
) -> OAuthTokens {
    OAuthTokens {
        access_token: response.access_token,
        token_type: response.token_type,
        refresh_token: response.refresh_token.or_else(|| earlier.cloned()),
        expires_at: response.expires_at,
        scopes: response.scopes.unwrap_or_else(|| requested.to_vec()),
        origins: Some(origins(&stored.settings)),
    }
}
