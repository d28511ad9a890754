//! Settings of providers for linking.

mod checks;

use wearlab_linking::{earlier_origins, has_own_redirect_uri, origin};
use wearlab_models::{ProviderSettings, ProviderSettingsInput, RedirectUriMode, Secret, TokenAuthMethod};
use wearlab_server::ApiError;
use wearlab_store::{OrganisationId, StoredProviderSettings};

use self::checks::violation;
pub(super) use self::checks::violations;
use super::Service;

impl Service {
    /// Converts settings for a response: with the redirect URI, and without the secret.
    pub(super) fn shown_settings(
        &self,
        organisation: &OrganisationId,
        stored: StoredProviderSettings,
    ) -> ProviderSettings {
        let mut settings = stored.settings;
        settings.redirect_uri = Some(self.linking.redirect_uri(organisation, &settings));
        if !has_own_redirect_uri(&settings) {
            settings.redirect_uri_mode = Some(RedirectUriMode::Shared);
        }
        settings
    }
}

pub(super) fn no_settings() -> ApiError {
    ApiError::not_found("No such organisation, or no settings of this provider.")
}

pub(super) fn no_provider() -> ApiError {
    ApiError::not_found("No such organisation, or no such provider that links by OAuth.")
}

/// Returns the 409 for deleting settings that a connector of the service puts back.
pub(super) fn of_connector(slug: String) -> ApiError {
    let detail = "A connector of the service sets up this provider, and would do so again: the operator can switch the \
                  connector off in the configuration, or the organisation can put settings of its own.";
    ApiError::conflict(detail, "provider_settings", Some(slug))
}

impl Service {
    /// Fails with 412 unless the settings match the precondition. Missing settings match none.
    pub(super) fn check_settings(
        &self,
        if_match: Option<&str>,
        organisation: &OrganisationId,
        before: Option<&StoredProviderSettings>,
    ) -> Result<(), ApiError> {
        match (if_match, before) {
            (None, _) => Ok(()),
            (_, Some(before)) => {
                let shown = self.shown_settings(organisation, before.clone());
                self.check_version(if_match, &shown, before)
            }
            (Some(_), None) => Err(ApiError::precondition_failed()),
        }
    }
}

/// Converts a body to settings, without the secret.
pub(super) fn settings(slug: String, body: &ProviderSettingsInput, mode: RedirectUriMode) -> ProviderSettings {
    let method = body.token_auth_method.clone();
    ProviderSettings::builder()
        .slug(slug)
        .client_id(&body.client_id)
        .authorization_url(&body.authorization_url)
        .token_url(&body.token_url)
        .maybe_revocation_url(body.revocation_url.clone())
        .maybe_issuer(body.issuer.clone())
        .scopes(body.scopes.clone())
        .extra_scopes(body.extra_scopes.clone().unwrap_or_default())
        .token_auth_method(method.unwrap_or(TokenAuthMethod::ClientSecretBasic))
        .redirect_uri_mode(mode)
        .maybe_scope_separator(body.scope_separator.clone())
        .maybe_pkce(body.pkce)
        .authorization_parameters(body.authorization_parameters.clone().unwrap_or_default())
        .token_parameters(body.token_parameters.clone().unwrap_or_default())
        .refresh_parameters(body.refresh_parameters.clone().unwrap_or_default())
        .maybe_token_response_path(body.token_response_path.clone())
        .maybe_provider_user_id_path(body.provider_user_id_path.clone())
        .token_errors(body.token_errors.clone().unwrap_or_default())
        .maybe_revocation_auth_method(body.revocation_auth_method.clone())
        .maybe_revocation_method(body.revocation_method.clone())
        .build()
}

/// Adds the secret of the body, or else the stored one.
pub(super) fn with_secret(
    settings: ProviderSettings,
    sent: Option<Secret>,
    before: Option<&StoredProviderSettings>,
) -> Result<StoredProviderSettings, ApiError> {
    let kept = before.and_then(|before| before.client_secret.clone());
    let moved = before.is_some_and(|before| is_moved(&before.settings, &settings));
    let client_secret = match settings.token_auth_method {
        TokenAuthMethod::None => None,
        _ if moved && sent.is_none() && kept.is_some() => {
            let message = "is required again, since token_url or revocation_url is of another host than before: the \
                           stored secret is not sent there";
            return Err(ApiError::invalid(vec![violation(
                "/body/client_secret",
                "missing",
                message,
            )]));
        }
        _ => Some(sent.or(kept).ok_or_else(|| {
            let message = "is required, since there is none so far and token_auth_method is not none";
            ApiError::invalid(vec![violation("/body/client_secret", "missing", message)])
        })?),
    };
    Ok(StoredProviderSettings {
        settings,
        client_secret,
        earlier_origins: Some(earlier_origins(before)),
        is_provisioned: false,
    })
}

pub(super) fn has_origin(one: &str, other: &str) -> bool {
    origin(one) == origin(other)
}

/// Returns true if a secret would be sent to another host than before.
fn is_moved(before: &ProviderSettings, settings: &ProviderSettings) -> bool {
    let revocation = settings.revocation_url.as_deref().is_some_and(|url| {
        let known = before
            .revocation_url
            .as_deref()
            .into_iter()
            .chain([before.token_url.as_str()]);
        !known.into_iter().any(|known| has_origin(known, url))
    });
    revocation || !has_origin(&before.token_url, &settings.token_url)
}

/// Returns the redirect URI mode of new settings that replace those `before`. The shared one can only be kept: a team
/// that could choose it could receive codes of others that use it.
pub(super) fn redirect_uri_mode(
    body: &ProviderSettingsInput,
    before: Option<&ProviderSettings>,
) -> Result<RedirectUriMode, ApiError> {
    let shared_before = before.filter(|before| !has_own_redirect_uri(before));
    let mode = match (&body.redirect_uri_mode, shared_before) {
        (Some(mode), _) => mode.clone(),
        (None, Some(_)) => RedirectUriMode::Shared,
        (None, None) => RedirectUriMode::Own,
    };
    let message = match shared_before {
        _ if mode == RedirectUriMode::Own => return Ok(mode),
        None => "shared is of settings of earlier versions, which have it already: leave it out",
        Some(before)
            if has_origin(&before.authorization_url, &body.authorization_url)
                && has_origin(&before.token_url, &body.token_url) =>
        {
            return Ok(mode);
        }
        Some(_) => {
            "a provider of another host has a redirect URI of its own: set own, and register redirect_uri of the response \
             at the provider"
        }
    };
    let wrong = violation("/body/redirect_uri_mode", "invalid", message);
    Err(ApiError::invalid(vec![wrong]))
}

/// Accepts the redirect URI that reads return, and rejects any other.
pub(super) fn check_redirect_uri(body: &ProviderSettingsInput, redirect_uri: &str) -> Result<(), ApiError> {
    match &body.redirect_uri {
        Some(sent) if sent != redirect_uri => {
            let message = format!("is not a setting: leave it out, or send {redirect_uri}");
            Err(ApiError::invalid(vec![violation(
                "/body/redirect_uri",
                "invalid",
                &message,
            )]))
        }
        _ => Ok(()),
    }
}
