//! Revocation of tokens at providers that have a URL for it, attempted once in the background.

use wearlab_models::RevocationMethod;
use wearlab_store::{LinkedConnection, OAuthTokens, StoredProviderSettings};

use super::Linker;
use super::client::tokens_of;
use super::origins::{grant_origins, may_refresh, may_revoke};
use super::token_request::{TokenGrant, revocation_request};

impl Linker {
    /// Revokes the tokens of connections that have ended.
    pub fn revoke_all(&self, ended: Vec<LinkedConnection>) {
        if ended.is_empty() {
            return;
        }
        let linker = self.clone();
        self.linking.tasks.spawn(async move {
            for linked in ended {
                let stored = linker.store.provider_settings(&linked.organisation, &linked.provider);
                if let Ok(Some(stored)) = stored.await {
                    linker.revoke(&stored, &linked.tokens).await;
                }
            }
        });
    }

    /// Revokes tokens that were issued and cannot be stored.
    pub(super) fn revoke_later(&self, stored: StoredProviderSettings, tokens: OAuthTokens) {
        let linker = self.clone();
        self.linking
            .tasks
            .spawn(async move { linker.revoke(&stored, &tokens).await });
    }

    async fn revoke(&self, stored: &StoredProviderSettings, tokens: &OAuthTokens) {
        let Some(url) = &stored.settings.revocation_url else {
            return;
        };
        let provider = &stored.settings.slug;
        if !may_revoke(stored, tokens, url) {
            tracing::warn!(
                provider,
                "a token is not revoked: revocation_url is of another host than the one that issued it"
            );
            return;
        }
        let refreshed = self.refreshed_for_revocation(stored, tokens).await;
        let Ok(request) = revocation_request(url, stored, refreshed.as_ref().unwrap_or(tokens)) else {
            tracing::warn!(provider, "cannot revoke a token: revocation_url is not a URL");
            return;
        };
        match self.linking.send(request).await {
            Ok(response) if response.status().is_success() => {}
            Ok(response) => {
                let status = response.status().as_u16();
                tracing::warn!(provider, status, "cannot revoke a token: the provider refuses it");
            }
            Err(error) => {
                let reason = error.to_string();
                tracing::warn!(provider, reason, "cannot revoke a token");
            }
        }
    }

    /// Returns new tokens if revocation needs an access token and that has expired.
    async fn refreshed_for_revocation(
        &self,
        stored: &StoredProviderSettings,
        tokens: &OAuthTokens,
    ) -> Option<OAuthTokens> {
        let now = (self.now)();
        let methods = [RevocationMethod::Query, RevocationMethod::BearerDelete];
        let takes_access_token = stored
            .settings
            .revocation_method
            .as_ref()
            .is_some_and(|method| methods.contains(method));
        let is_expired = tokens.expires_at.is_some_and(|end| end <= now);
        let refresh_token = tokens.refresh_token.as_ref()?;
        if !takes_access_token || !is_expired || !may_refresh(stored, tokens) {
            return None;
        }
        let grant = TokenGrant::RefreshToken(refresh_token);
        let response = self.linking.tokens(stored, &grant, &tokens.scopes, now).await.ok()?;
        let origins = grant_origins(stored, tokens);
        Some(tokens_of(response, &tokens.scopes, Some(refresh_token), origins))
    }
}
