//! Authorization requests: the URL of a provider's consent page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use oauth2::basic::BasicClient;
use oauth2::url::ParseError;
use oauth2::{AuthUrl, ClientId, CsrfToken, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl};
use reqwest::Url;
use wearlab_models::{ProviderSettings, Secret};
use wearlab_store::{AuthorizationSecrets, KeyHash, LinkTokenOwner, LinkableProvider, NewAuthorization, StoreError};

use super::{CONSENT, Linker, has_own_redirect_uri, origin, scopes};

/// Session in which a user is sent to a provider.
pub struct LinkSession<'a> {
    /// Link token.
    pub link_token: &'a KeyHash,
    /// Plain link token, if the user comes from the link page.
    pub from_page: Option<&'a str>,
    /// Cookie of the user's browser, if it was sent.
    pub cookie: Option<&'a str>,
}

/// Creates a random text of 256 bits, in letters, digits, `-` and `_`.
pub fn random_text() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

impl Linker {
    /// Returns the providers that a link token can link now.
    pub async fn providers(&self, token: &LinkTokenOwner) -> Result<Vec<LinkableProvider>, StoreError> {
        let providers = self.store.linkable_providers(token.team).await?;
        let fits = |provider: &LinkableProvider| {
            let link = &provider.link;
            token.options.allow(&link.slug) && link.is_active
        };
        Ok(providers.into_iter().filter(fits).collect())
    }

    /// Stores an authorization request, and returns the URL of the provider's consent page, which can be used once.
    pub async fn authorize(
        &self,
        provider: &LinkableProvider,
        session: &LinkSession<'_>,
    ) -> Result<Option<Url>, StoreError> {
        let LinkableProvider {
            organisation,
            settings: stored,
            ..
        } = provider;
        let redirect_uri = self.linking.redirect_uri(organisation, &stored.settings);
        let scopes = scopes::requested(&stored.settings);
        let state = random_text();
        let verifier = (stored.settings.pkce != Some(false)).then(|| PkceCodeVerifier::new(random_text()));
        // Settings are validated when they are stored; the rules may have become stricter since.
        let url = consent_url(&stored.settings, &redirect_uri, &state, &scopes, verifier.as_ref());
        let Ok(url) = url else {
            return Ok(None);
        };
        let secrets = AuthorizationSecrets {
            code_verifier: verifier.map(|verifier| Secret::new(verifier.into_secret())),
            redirect_uri,
            scopes,
            link_token: session.from_page.map(Secret::new),
            has_own_redirect_uri: has_own_redirect_uri(&stored.settings),
            token_origin: Some(origin(&stored.settings.token_url)),
        };
        let new = NewAuthorization {
            link_token: session.link_token,
            provider: &stored.settings.slug,
            state: &state,
            session: session.cookie,
            expires: (self.now)() + CONSENT,
            secrets: &secrets,
        };
        self.store.write(|write| write.put_authorization_request(&new)).await?;
        Ok(Some(url))
    }
}

/// Builds the URL of a provider's consent page.
fn consent_url(
    settings: &ProviderSettings,
    redirect_uri: &str,
    state: &str,
    scopes: &[String],
    verifier: Option<&PkceCodeVerifier>,
) -> Result<Url, ParseError> {
    let client = BasicClient::new(ClientId::new(settings.client_id.clone()))
        .set_auth_uri(AuthUrl::new(settings.authorization_url.clone())?)
        .set_redirect_uri(RedirectUrl::new(redirect_uri.to_owned())?);
    let mut request = client.authorize_url(|| CsrfToken::new(state.to_owned()));
    if let Some(verifier) = verifier {
        request = request.set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(verifier));
    }
    if let Some(scope) = scopes::joined(settings, scopes) {
        request = request.add_extra_param("scope", scope);
    }
    for (name, value) in &settings.authorization_parameters {
        request = request.add_extra_param(name.as_str(), value.as_str());
    }
    Ok(request.url().0)
}
