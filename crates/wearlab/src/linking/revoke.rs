//! Revoking tokens at providers, where these have a URL for it (RFC 7009). Nobody waits for it, and it is tried once.

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use oauth2::HttpRequest;
use oauth2::url::form_urlencoded::{Serializer, byte_serialize};
use wearlab_models::{Secret, TokenAuthMethod};
use wearlab_store::{LinkedConnection, OAuthTokens, StoredProviderSettings};

use super::Linker;
use super::client::send;

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
        // The end of a refresh token is that of all access tokens of its grant.
        let (token, hint) = match &tokens.refresh_token {
            Some(token) => (token, "refresh_token"),
            None => (&tokens.access_token, "access_token"),
        };
        let revoked = match (self.linking.http(), request(url, stored, token, hint)) {
            (Ok(http), Ok(request)) => send(http.clone(), request).await.is_ok_and(|r| r.status().is_success()),
            _ => false,
        };
        if !revoked {
            let provider = &stored.settings.slug;
            tracing::warn!(provider, "cannot revoke a token at its provider");
        }
    }
}

/// The request that revokes a token. The library has one for https alone, which an operator may have let go.
fn request(
    url: &str,
    stored: &StoredProviderSettings,
    token: &Secret,
    hint: &str,
) -> Result<HttpRequest, axum::http::Error> {
    let settings = &stored.settings;
    let mut form = Serializer::new(String::new());
    form.append_pair("token", token.expose())
        .append_pair("token_type_hint", hint);
    let mut request = axum::http::Request::post(url).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    match (&stored.client_secret, &settings.token_auth_method) {
        (Some(secret), TokenAuthMethod::ClientSecretBasic) => {
            // RFC 6749, section 2.3.1.
            let encoded = |text: &str| -> String { byte_serialize(text.as_bytes()).collect() };
            let pair = format!("{}:{}", encoded(&settings.client_id), encoded(secret.expose()));
            request = request.header(AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair)));
        }
        (Some(secret), TokenAuthMethod::ClientSecretPost) => {
            form.append_pair("client_id", &settings.client_id)
                .append_pair("client_secret", secret.expose());
        }
        _ => {
            form.append_pair("client_id", &settings.client_id);
        }
    }
    request.body(form.finish().into_bytes())
}
