//! Requests to providers, on the HTTP client of the service.

use chrono::{DateTime, Utc};
use oauth2::{HttpRequest, HttpResponse};
use wearlab_delivery::read_body;
use wearlab_models::Secret;
use wearlab_store::{OAuthTokens, StoredProviderSettings, TokenOrigins};

use super::Linking;
use super::token_error::TokenError;
use super::token_request::{TokenGrant, token_request};
use super::token_response::{TokenResponse, read};

/// Maximum body of a response, in bytes.
const MAX_BODY: usize = 256 * 1024;

/// Error of a request without a response.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    #[error("no HTTP client: check the system's certificates")]
    Client,
    #[error("invalid request")]
    Request,
    /// The operator's policy may be stricter than when the settings were stored.
    #[error("{0}")]
    NotAllowed(String),
    #[error("no connection")]
    Connect,
    #[error("no response in time")]
    Response,
    #[error("the response is too long")]
    TooLong,
}

impl From<SendError> for TokenError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Client => Self::unavailable(false, "no HTTP client"),
            SendError::Request => Self::unavailable(false, "an invalid request"),
            SendError::NotAllowed(_) => Self::unavailable(false, "a URL that is not allowed"),
            SendError::Connect => Self::unavailable(false, "no connection"),
            SendError::Response => Self::unavailable(true, "no response in time"),
            SendError::TooLong => Self::unavailable(true, "a response that is too long"),
        }
    }
}

impl Linking {
    /// Requests tokens. `requested` are the scopes that were requested.
    pub(super) async fn tokens(
        &self,
        stored: &StoredProviderSettings,
        grant: &TokenGrant<'_>,
        requested: &[String],
        now: DateTime<Utc>,
    ) -> Result<TokenResponse, TokenError> {
        let request = token_request(stored, grant).map_err(|_| SendError::Request)?;
        let sent = self.send(request).await;
        if let Err(SendError::NotAllowed(reason)) = &sent {
            let provider = &stored.settings.slug;
            tracing::warn!(provider, reason, "no tokens are requested: token_url is not allowed");
        }
        let response = sent?;
        let found = read(&stored.settings, response.status(), response.body(), requested, now);
        if let Err(TokenError::Unavailable { .. }) = &found {
            // The body is never logged: it may contain tokens.
            let (provider, status) = (&stored.settings.slug, response.status().as_u16());
            tracing::debug!(provider, status, "a token endpoint gave no tokens");
        }
        found
    }

    /// Sends a request, if the settings allow its URL.
    pub(super) async fn send(&self, request: HttpRequest) -> Result<HttpResponse, SendError> {
        self.check_url(&request.uri().to_string())
            .map_err(SendError::NotAllowed)?;
        let http = self.client().map_err(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "cannot send requests to providers"
            );
            SendError::Client
        })?;
        let request = reqwest::Request::try_from(request).map_err(|_| SendError::Request)?;
        let sent = http.execute(request).await;
        let response = sent.map_err(|error| match error.is_connect() {
            true => SendError::Connect,
            false => SendError::Response,
        })?;
        let status = response.status();
        let mut body = Vec::new();
        let is_whole = read_body(reqwest::Body::from(response), MAX_BODY, &mut body).await;
        if !is_whole.map_err(|_| SendError::Response)? {
            return Err(SendError::TooLong);
        }
        let mut read = HttpResponse::new(body);
        *read.status_mut() = status;
        Ok(read)
    }
}

/// Returns the tokens of a response. Scopes that it omits are those that were `requested`, as RFC 6749 has it; a
/// refresh token that it omits is the `earlier` one. `origins` are those of the grant: a refresh does not change them,
/// since tokens go only to hosts that the user's consent was for.
pub(super) fn tokens_of(
    response: TokenResponse,
    requested: &[String],
    earlier: Option<&Secret>,
    origins: TokenOrigins,
) -> OAuthTokens {
    OAuthTokens {
        access_token: response.access_token,
        token_type: response.token_type,
        refresh_token: response.refresh_token.or_else(|| earlier.cloned()),
        expires_at: response.expires_at,
        scopes: response.scopes.unwrap_or_else(|| requested.to_vec()),
        origins: Some(origins),
    }
}
