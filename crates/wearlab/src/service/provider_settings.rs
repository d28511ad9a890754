//! How an organisation has set up providers for linking.

use wearlab_models::{Encoded, ProviderSettings, ProviderSettingsInput, ProviderSettingsList, Secret, TokenAuthMethod};
use wearlab_server::operations::{DELETE_PROVIDER_SETTINGS, PUT_PROVIDER_SETTINGS};
use wearlab_server::{
    ApiError, ApiResult, DeleteProviderSettingsInput, GetProviderSettingsInput, ListProviderSettingsInput,
    PutProviderSettingsInput,
};
use wearlab_store::{OrganisationId, StoredProviderSettings};

use super::auth::Caller;
use super::write::{Subject, Write, check_precondition};
use super::{Service, no_organisation, store_error};

mod checks;
use self::checks::{violation, violations};

impl Service {
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
        let providers = all.map(|stored| stored.settings).collect();
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
        Ok(stored.settings.into())
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
        let put: ProviderSettings = self
            .write(write, |transaction| {
                transaction.oauth_provider(&slug)?.ok_or_else(no_provider)?;
                if !violations.is_empty() {
                    return Err(ApiError::invalid(violations).into());
                }
                let before = transaction.provider_settings(&organisation, &slug)?;
                check(if_match.as_deref(), before.as_ref())?;
                let kept = before.and_then(|before| before.client_secret);
                let stored = with_secret(settings(slug.clone(), &body), body.client_secret, kept)?;
                transaction.put_provider_settings(&organisation, &stored)?;
                Ok(Subject::Organisation(organisation.clone(), slug.clone()).wrote(stored.settings))
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
            check(input.if_match.as_deref(), Some(&before))?;
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

/// Fails with 412 unless the settings are as the caller knows them. Where there are none, nobody knows them.
fn check(if_match: Option<&str>, before: Option<&StoredProviderSettings>) -> Result<(), ApiError> {
    match (if_match, before) {
        (None, _) => Ok(()),
        (_, Some(before)) => {
            let current = Encoded::encode(&before.settings).map_err(ApiError::internal)?;
            check_precondition(if_match, &current)
        }
        (Some(_), None) => Err(ApiError::precondition_failed()),
    }
}

/// The settings, without the secret.
fn settings(slug: String, body: &ProviderSettingsInput) -> ProviderSettings {
    let method = body.token_auth_method.clone();
    ProviderSettings::builder()
        .slug(slug)
        .client_id(&body.client_id)
        .authorization_url(&body.authorization_url)
        .token_url(&body.token_url)
        .maybe_revocation_url(body.revocation_url.clone())
        .maybe_issuer(body.issuer.clone())
        .scopes(body.scopes.clone())
        .extra_scopes(body.extra_scopes.clone())
        .token_auth_method(method.unwrap_or(TokenAuthMethod::ClientSecretBasic))
        .maybe_scope_separator(body.scope_separator.clone())
        .maybe_pkce(body.pkce)
        .authorization_parameters(body.authorization_parameters.clone())
        .token_parameters(body.token_parameters.clone())
        .refresh_parameters(body.refresh_parameters.clone())
        .maybe_token_response_path(body.token_response_path.clone())
        .maybe_provider_user_id_path(body.provider_user_id_path.clone())
        .token_errors(body.token_errors.clone())
        .maybe_revocation_auth_method(body.revocation_auth_method.clone())
        .build()
}

/// The settings with the secret that was sent, or else the one so far.
fn with_secret(
    settings: ProviderSettings,
    sent: Option<Secret>,
    kept: Option<Secret>,
) -> Result<StoredProviderSettings, ApiError> {
    let client_secret = match settings.token_auth_method {
        TokenAuthMethod::None => None,
        _ => Some(sent.or(kept).ok_or_else(|| {
            let message = "is required, since there is none so far and token_auth_method is not none";
            ApiError::invalid(vec![violation("/body/client_secret", "missing", message)])
        })?),
    };
    Ok(StoredProviderSettings {
        settings,
        client_secret,
    })
}
