//! Revocation of tokens at providers that have a URL for it, attempted once in the background.

use std::borrow::Cow;

use oauth2::url::form_urlencoded::byte_serialize;
use wearlab_models::RevocationMethod;
use wearlab_store::{LinkedConnection, OAuthTokens, StoredProviderSettings};

use super::Linker;
use super::client::tokens_of;
use super::origins::{grant_origins, may_refresh, may_revoke};
use super::token_request::{TokenGrant, revocation_request};

/// Part of a revocation URL that stands for the provider's own id of the user.
const USER_ID: &str = "{user_id}";

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
                    let user_id = linked.provider_user_id.as_deref();
                    linker.revoke(&stored, &linked.tokens, user_id).await;
                }
            }
        });
    }

    /// Revokes tokens that were issued and cannot be stored. `user_id` is the provider's own id of the user.
    pub(super) fn revoke_later(&self, stored: StoredProviderSettings, tokens: OAuthTokens, user_id: Option<String>) {
        let linker = self.clone();
        self.linking
            .tasks
            .spawn(async move { linker.revoke(&stored, &tokens, user_id.as_deref()).await });
    }

    async fn revoke(&self, stored: &StoredProviderSettings, tokens: &OAuthTokens, user_id: Option<&str>) {
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
        let Some(url) = url_for_user(url, user_id) else {
            tracing::warn!(
                provider,
                "cannot revoke a token: revocation_url needs the provider's id of the user, which is not known"
            );
            return;
        };
        let refreshed = self.refreshed_for_revocation(stored, tokens).await;
        let Ok(request) = revocation_request(&url, stored, refreshed.as_ref().unwrap_or(tokens)) else {
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

/// Returns a revocation URL with the provider's id of the user in place of `{user_id}`. None if that is not known.
fn url_for_user<'u>(url: &'u str, user_id: Option<&str>) -> Option<Cow<'u, str>> {
    if !url.contains(USER_ID) {
        return Some(Cow::Borrowed(url));
    }
    let user_id: String = byte_serialize(user_id?.as_bytes()).collect();
    Some(Cow::Owned(url.replace(USER_ID, &user_id)))
}

#[cfg(test)]
mod tests {
    use super::url_for_user;

    #[test]
    fn a_url_has_the_id_of_the_user() {
        let url = |url: &'static str, id| url_for_user(url, id).map(std::borrow::Cow::into_owned);
        let of_user = "https://api.example.com/users/{user_id}";
        assert_eq!(
            url(of_user, Some("5150")).as_deref(),
            Some("https://api.example.com/users/5150")
        );
        assert_eq!(
            url(of_user, Some("a/../b?c")).as_deref(),
            Some("https://api.example.com/users/a%2F..%2Fb%3Fc")
        );
        assert_eq!(url(of_user, None), None);
        let of_all = "https://api.example.com/revoke";
        assert_eq!(url(of_all, None).as_deref(), Some(of_all));
    }
}
