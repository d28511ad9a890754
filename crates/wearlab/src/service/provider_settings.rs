//! How an organisation has set up providers for linking.

use wearlab_models::{
    ProviderSettings, ProviderSettingsInput, ProviderSettingsList, RedirectUriMode, Secret, TokenAuthMethod,
};
use wearlab_server::operations::{DELETE_PROVIDER_SETTINGS, PUT_PROVIDER_SETTINGS};
use wearlab_server::{
    ApiError, ApiResult, DeleteProviderSettingsInput, GetProviderSettingsInput, ListProviderSettingsInput,
    PutProviderSettingsInput, Reply,
};
use wearlab_store::{OrganisationId, StoredProviderSettings};

use super::auth::Caller;
use super::write::{Subject, Write};
use super::{Service, no_organisation, store_error};
use crate::linking::{earlier_origins, has_own_redirect_uri, origin};

mod checks;
use self::checks::{violation, violations};

impl Service {
    /// Settings as reads return them: with the redirect URI, and without the secret.
    fn shown_settings(&self, organisation: &OrganisationId, stored: StoredProviderSettings) -> ProviderSettings {
        let mut settings = stored.settings;
        settings.redirect_uri = Some(self.linking.redirect_uri(organisation, &settings));
        if !has_own_redirect_uri(&settings) {
            settings.redirect_uri_mode = Some(RedirectUriMode::Shared);
        }
        settings
    }

    pub(super) async fn all_provider_settings(
        &self,
        organisation: OrganisationId,
        input: ListProviderSettingsInput,
    ) -> ApiResult<ProviderSettingsList> {
        if organisation.as_str() != input.org_id {
            return Err(no_organisation());
        }
        let all = self.store()?.all_provider_settings(&organisation).await;
        let all = all.map_err(store_error)?.into_iter();
        let providers = all.map(|stored| self.shown_settings(&organisation, stored)).collect();
        Ok(ProviderSettingsList::builder().providers(providers).build().into())
    }

    pub(super) async fn provider_settings(
        &self,
        organisation: OrganisationId,
        input: GetProviderSettingsInput,
    ) -> ApiResult<ProviderSettings> {
        if organisation.as_str() != input.org_id {
            return Err(no_settings());
        }
        let stored = self.store()?.provider_settings(&organisation, &input.slug).await;
        let stored = stored.map_err(store_error)?.ok_or_else(no_settings)?;
        let version = self.version(&stored)?;
        Ok(Reply::versioned(self.shown_settings(&organisation, stored), version))
    }

    pub(super) async fn put_provider_settings_of(
        &self,
        caller: Caller<OrganisationId>,
        input: PutProviderSettingsInput,
    ) -> ApiResult<ProviderSettings> {
        let write = Write::new(&PUT_PROVIDER_SETTINGS, &caller);
        let organisation = caller.owner();
        if organisation.as_str() != input.org_id {
            return Err(no_provider());
        }
        let PutProviderSettingsInput {
            slug, body, if_match, ..
        } = input;
        let violations = violations(&self.linking, &slug, &body);
        let now = (self.now)();
        let put: ProviderSettings = self
            .write(write, |transaction| {
                transaction.oauth_provider(&slug)?.ok_or_else(no_provider)?;
                if !violations.is_empty() {
                    return Err(ApiError::invalid(violations).into());
                }
                let before = transaction.provider_settings(&organisation, &slug)?;
                self.check_settings(if_match.as_deref(), &organisation, before.as_ref())?;
                let before = before.as_ref();
                let mode = redirect_uri_mode(&body, before.map(|before| &before.settings))?;
                let settings = settings(slug.clone(), &body, mode);
                check_redirect_uri(&body, &self.linking.redirect_uri(&organisation, &settings))?;
                let stored = with_secret(settings, body.client_secret, before)?;
                if before.is_some_and(|before| !has_origin(&before.settings.token_url, &stored.settings.token_url)) {
                    // Their refresh is refused then, and they fail.
                    transaction.schedule_refreshes(&organisation, &slug, now)?;
                }
                transaction.put_provider_settings(&organisation, &stored)?;
                let shown = self.shown_settings(&organisation, stored);
                Ok(Subject::Organisation(organisation.clone(), slug.clone()).wrote(shown))
            })
            .await?;
        Ok(put.into())
    }

    pub(super) async fn delete_provider_settings_of(
        &self,
        caller: Caller<OrganisationId>,
        input: DeleteProviderSettingsInput,
    ) -> Result<(), ApiError> {
        let write = Write::new(&DELETE_PROVIDER_SETTINGS, &caller);
        let organisation = caller.owner();
        if organisation.as_str() != input.org_id {
            return Err(no_settings());
        }
        self.write(write, |transaction| {
            let before = transaction.provider_settings(&organisation, &input.slug)?;
            let before = before.ok_or_else(no_settings)?;
            self.check_settings(input.if_match.as_deref(), &organisation, Some(&before))?;
            transaction.delete_provider_settings(&organisation, &input.slug)?;
            Ok(Subject::Organisation(organisation.clone(), input.slug).wrote(()))
        })
        .await
    }
}

fn no_settings() -> ApiError {
    ApiError::not_found("No such organisation, or no settings of this provider.")
}

fn no_provider() -> ApiError {
    ApiError::not_found("No such organisation, or no such provider that links by OAuth.")
}

impl Service {
    /// Fails with 412 unless the settings are as the caller knows them. Where there are none, nobody knows them.
    fn check_settings(
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

/// The settings, without the secret.
fn settings(slug: String, body: &ProviderSettingsInput, mode: RedirectUriMode) -> ProviderSettings {
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

/// The settings with the secret that was sent, or else the one so far.
fn with_secret(
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
    })
}

fn has_origin(one: &str, other: &str) -> bool {
    origin(one) == origin(other)
}

/// Whether a secret would be sent to another host than before.
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

/// Which redirect URI settings have that replace those `before`. The shared one is no more than kept: whoever could choose it
/// could receive the codes of others that have it.
fn redirect_uri_mode(
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

/// What reads return is taken in writes.
fn check_redirect_uri(body: &ProviderSettingsInput, redirect_uri: &str) -> Result<(), ApiError> {
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
