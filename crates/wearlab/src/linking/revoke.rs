//! Revoking tokens at providers, where these have a URL for it (RFC 7009). Nobody waits for it, and it is tried once.

use wearlab_store::{LinkedConnection, OAuthTokens, StoredProviderSettings};

use super::Linker;
use super::client::send;
use super::origins::may_revoke;
use super::token_request::revocation_request;

impl Linker {
    /// Revokes the tokens of connections that have ended.
    pub(crate) fn revoke_all(&self, ended: Vec<LinkedConnection>) {
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

    /// Revokes tokens that were given and cannot be kept.
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
        if !may_revoke(stored, tokens, url) {
            let provider = &stored.settings.slug;
            tracing::warn!(
                provider,
                "a token is not revoked: revocation_url is of another host than the one that issued it"
            );
            return;
        }
        if let Err(reason) = self.linking.check_url(url) {
            let provider = &stored.settings.slug;
            tracing::warn!(
                provider,
                reason,
                "a token is not revoked: revocation_url is not allowed"
            );
            return;
        }
        // The end of a refresh token is that of all access tokens of its grant.
        let (token, hint) = match &tokens.refresh_token {
            Some(token) => (token, "refresh_token"),
            None => (&tokens.access_token, "access_token"),
        };
        let revoked = match (self.linking.http(), revocation_request(url, stored, token, hint)) {
            (Ok(http), Ok(request)) => send(http.clone(), request).await.is_ok_and(|r| r.status().is_success()),
            _ => false,
        };
        if !revoked {
            let provider = &stored.settings.slug;
            tracing::warn!(provider, "cannot revoke a token at its provider");
        }
    }
}
