//! The way to a provider's consent page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use oauth2::{CsrfToken, PkceCodeChallenge, PkceCodeVerifier, Scope};
use reqwest::Url;
use wearlab_models::Secret;
use wearlab_store::{
    AuthorizationSecrets, KeyHash, LinkTokenOwner, LinkableProvider, NewAuthorization, StoreError,
    StoredProviderSettings,
};

use super::client::provider_client;
use super::{CONSENT, Linker, scopes};
use crate::administration::keys::random;

/// Who is sent to a provider.
pub(crate) struct Visitor<'a> {
    /// The link token.
    pub(crate) link_token: &'a KeyHash,
    /// The link token as the user has it, if the user comes from the link page.
    pub(crate) from_page: Option<&'a str>,
    /// What the user's browser has, if it is known.
    pub(crate) session: Option<&'a str>,
}

/// A new link token.
pub(crate) fn new_link_token() -> String {
    random("wl_link_")
}

/// A text that nobody guesses: 256 bits, in letters, digits, `-` and `_`.
pub(crate) fn random_text() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

impl Linker {
    /// The providers that a link token can link now.
    pub(crate) async fn providers(&self, token: &LinkTokenOwner) -> Result<Vec<LinkableProvider>, StoreError> {
        let providers = self.store.linkable_providers(token.team).await?;
        let fits = |provider: &LinkableProvider| {
            let link = &provider.link;
            token.options.allow(&link.slug) && link.is_active
        };
        Ok(providers.into_iter().filter(fits).collect())
    }

    /// Notes that a user is sent to a provider, and returns the URL of its consent page, which is good once.
    pub(crate) async fn authorize(
        &self,
        stored: &StoredProviderSettings,
        visitor: &Visitor<'_>,
    ) -> Result<Option<Url>, StoreError> {
        let redirect_uri = self.linking.redirect_uri();
        // Settings are checked when they are put; the rules may have become stricter since.
        let Ok(client) = provider_client(stored, &redirect_uri) else {
            return Ok(None);
        };
        let scopes = scopes::requested(&stored.settings);
        let (state, verifier) = (random_text(), PkceCodeVerifier::new(random_text()));
        let url = client
            .authorize_url(|| CsrfToken::new(state.clone()))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
            .add_scopes(scopes.iter().cloned().map(Scope::new));
        let (url, _) = url.url();
        let secrets = AuthorizationSecrets {
            code_verifier: Secret::new(verifier.into_secret()),
            redirect_uri,
            scopes,
            link_token: visitor.from_page.map(Secret::new),
        };
        let new = NewAuthorization {
            link_token: visitor.link_token,
            provider: &stored.settings.slug,
            state: &state,
            session: visitor.session,
            expires: (self.now)() + CONSENT,
            secrets: &secrets,
        };
        self.store.write(|write| write.put_authorization_request(&new)).await?;
        Ok(Some(url))
    }
}
