//! Outcomes of linking, and the redirect to the URL of the team.

use reqwest::Url;
use wearlab_models::Secret;
use wearlab_store::{LinkOptions, PendingAuthorization};

/// Reason why a provider was not linked. The codes of OAuth 2.0 (RFC 6749, section 4.1.2.1) are passed on, the others
/// are Wearlab's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The user refused.
    AccessDenied,
    /// The provider rejects the request.
    InvalidRequest,
    /// The provider rejects the client.
    UnauthorizedClient,
    /// The provider does not support codes.
    UnsupportedResponseType,
    /// The provider does not have a scope.
    InvalidScope,
    /// The provider has failed.
    ServerError,
    /// The provider is overloaded or under maintenance.
    TemporarilyUnavailable,
    /// The provider returned another error.
    ProviderError,
    /// The provider does not respond, or its response is invalid.
    ProviderUnavailable,
    /// The response has the issuer of another provider, or none.
    WrongIssuer,
    /// The response came to the redirect URI of another provider.
    WrongRedirectUri,
    /// The provider rejects the code.
    ExchangeRefused,
    /// The user came back a second time, during the exchange of the code, or after that was interrupted.
    AlreadyUsed,
    /// The link token or the user was deleted meanwhile.
    Expired,
    /// The organisation has not set up the provider, or the token is not for it.
    ProviderNotAvailable,
    /// The user must act at the provider before it gives tokens.
    UserActionRequired,
    /// The service cannot store tokens: no secret key is configured.
    LinkingNotAvailable,
    /// The user left the link page.
    Closed,
}

impl ErrorCode {
    /// Returns the code for a provider's error response.
    pub fn of_provider(code: &str) -> Self {
        match code {
            "access_denied" => Self::AccessDenied,
            "invalid_request" => Self::InvalidRequest,
            "unauthorized_client" => Self::UnauthorizedClient,
            "unsupported_response_type" => Self::UnsupportedResponseType,
            "invalid_scope" => Self::InvalidScope,
            "server_error" => Self::ServerError,
            "temporarily_unavailable" => Self::TemporarilyUnavailable,
            // The text of another code is not passed on.
            _ => Self::ProviderError,
        }
    }

    /// Returns the code, for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AccessDenied => "access_denied",
            Self::InvalidRequest => "invalid_request",
            Self::UnauthorizedClient => "unauthorized_client",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::InvalidScope => "invalid_scope",
            Self::ServerError => "server_error",
            Self::TemporarilyUnavailable => "temporarily_unavailable",
            Self::ProviderError => "provider_error",
            Self::ProviderUnavailable => "provider_unavailable",
            Self::WrongIssuer => "wrong_issuer",
            Self::WrongRedirectUri => "wrong_redirect_uri",
            Self::ExchangeRefused => "exchange_refused",
            Self::AlreadyUsed => "already_used",
            Self::Expired => "expired",
            Self::ProviderNotAvailable => "provider_not_available",
            Self::UserActionRequired => "user_action_required",
            Self::LinkingNotAvailable => "linking_not_available",
            Self::Closed => "closed",
        }
    }
}

/// Outcome of linking.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The provider is linked.
    Linked(Finished),
    /// The provider is not linked.
    Failed(Finished, ErrorCode),
    /// The state is unknown or expired, so its owner is unknown, too.
    UnknownState,
    /// The user comes from another browser than the one that began linking.
    OtherBrowser,
}

/// Data of an outcome for a page or a redirect.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Slug of the provider.
    pub provider: String,
    /// Options of the link token.
    pub options: LinkOptions,
    /// Token of the link page, if the user may go back there.
    pub link_token: Option<Secret>,
}

impl From<&PendingAuthorization> for Finished {
    fn from(pending: &PendingAuthorization) -> Self {
        Self {
            provider: pending.provider.clone(),
            options: pending.options.clone(),
            link_token: pending.secrets.link_token.clone(),
        }
    }
}

impl Outcome {
    /// Returns the URL of the redirect, if there is one.
    pub fn redirect(&self) -> Option<Url> {
        let (finished, error) = match self {
            Self::Linked(finished) => (finished, None),
            Self::Failed(finished, error) => (finished, Some(*error)),
            Self::UnknownState | Self::OtherBrowser => return None,
        };
        redirect(&finished.options, Some(&finished.provider), error)
    }
}

/// Returns the redirect URL of a link token, with the outcome.
pub fn redirect(options: &LinkOptions, provider: Option<&str>, error: Option<ErrorCode>) -> Option<Url> {
    let mut url = Url::parse(options.redirect_url.as_deref()?).ok()?;
    let mut query = url.query_pairs_mut();
    query.append_pair("state", if error.is_none() { "success" } else { "error" });
    if let Some(provider) = provider {
        query.append_pair("provider", provider);
    }
    if let Some(error) = error {
        query.append_pair("error", error.as_str());
    }
    drop(query);
    Some(url)
}

#[cfg(test)]
mod tests {
    use wearlab_store::LinkOptions;

    use super::{ErrorCode, redirect};

    #[test]
    fn the_redirect_url_says_what_came_of_it_behind_its_own_query() {
        let to = |url: &str, error| {
            let options = LinkOptions {
                redirect_url: Some(url.to_owned()),
                ..LinkOptions::default()
            };
            redirect(&options, Some("stridewell"), error).map(String::from)
        };
        assert_eq!(
            to("https://app.example.com/linked", None).as_deref(),
            Some("https://app.example.com/linked?state=success&provider=stridewell")
        );
        assert_eq!(
            to("https://app.example.com/linked?a=b", Some(ErrorCode::AccessDenied)).as_deref(),
            Some("https://app.example.com/linked?a=b&state=error&provider=stridewell&error=access_denied")
        );
        assert_eq!(
            to("com.example.app:/linked", None).as_deref(),
            Some("com.example.app:/linked?state=success&provider=stridewell")
        );
        assert_eq!(redirect(&LinkOptions::default(), None, None), None);
    }

    #[test]
    fn what_a_provider_says_beyond_the_codes_of_oauth_is_not_passed_on() {
        assert_eq!(ErrorCode::of_provider("access_denied").as_str(), "access_denied");
        assert_eq!(ErrorCode::of_provider("invalid_scope").as_str(), "invalid_scope");
        for other in ["", "<b>", "closed", "already_used"] {
            assert_eq!(ErrorCode::of_provider(other), ErrorCode::ProviderError, "{other}");
        }
    }
}
