//! Requests to the token endpoint and the revocation endpoint of a provider.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{Error, Request};
use oauth2::HttpRequest;
use oauth2::url::form_urlencoded::{Serializer, byte_serialize};
use wearlab_models::{RevocationMethod, Secret, TokenAuthMethod};
use wearlab_store::{OAuthTokens, StoredProviderSettings};

/// Parameters that OAuth defines. Settings of a provider cannot override them.
pub const OAUTH_PARAMETERS: &[&str] = &[
    "client_assertion",
    "client_assertion_type",
    "client_id",
    "client_secret",
    "code",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "grant_type",
    "redirect_uri",
    "refresh_token",
    "response_type",
    "state",
    "token",
];

/// Grant that a token endpoint exchanges for tokens.
pub(super) enum TokenGrant<'a> {
    /// Code, with the redirect URI that it was sent to.
    Code {
        code: &'a str,
        redirect_uri: &'a str,
        verifier: Option<&'a Secret>,
    },
    /// Refresh token.
    RefreshToken(&'a Secret),
}

/// Builds the request for tokens.
pub(super) fn token_request(stored: &StoredProviderSettings, grant: &TokenGrant<'_>) -> Result<HttpRequest, Error> {
    let settings = &stored.settings;
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    match grant {
        TokenGrant::Code {
            code,
            redirect_uri,
            verifier,
        } => {
            pairs.extend([
                ("grant_type", "authorization_code"),
                ("code", *code),
                ("redirect_uri", *redirect_uri),
            ]);
            pairs.extend(verifier.map(|verifier| ("code_verifier", verifier.expose())));
        }
        TokenGrant::RefreshToken(token) => {
            pairs.extend([("grant_type", "refresh_token"), ("refresh_token", token.expose())]);
            pairs.extend(pairs_of(&settings.refresh_parameters));
        }
    }
    for (name, value) in pairs_of(&settings.token_parameters) {
        if !pairs.iter().any(|(present, _)| *present == name) {
            pairs.push((name, value));
        }
    }
    form_request(&settings.token_url, stored, &settings.token_auth_method, &pairs)
}

/// Builds the request that revokes tokens at `url`, by the method of the settings.
pub(super) fn revocation_request(
    url: &str,
    stored: &StoredProviderSettings,
    tokens: &OAuthTokens,
) -> Result<HttpRequest, Error> {
    let settings = &stored.settings;
    let access_token = tokens.access_token.expose();
    match settings.revocation_method {
        Some(RevocationMethod::Query) => {
            let separator = if url.contains('?') { '&' } else { '?' };
            let mut query = Serializer::new(format!("{url}{separator}"));
            query.append_pair("access_token", access_token);
            let request = Request::post(query.finish()).header(ACCEPT, "application/json");
            request.body(Vec::new())
        }
        Some(RevocationMethod::BearerDelete) => {
            let request = Request::delete(url).header(ACCEPT, "application/json");
            let request = request.header(AUTHORIZATION, format!("Bearer {access_token}"));
            request.body(Vec::new())
        }
        _ => {
            // Revoking a refresh token revokes all access tokens of its grant.
            let (token, hint) = match &tokens.refresh_token {
                Some(token) => (token, "refresh_token"),
                None => (&tokens.access_token, "access_token"),
            };
            let method = settings.revocation_auth_method.as_ref();
            let method = method.unwrap_or(&settings.token_auth_method);
            let pairs = [("token", token.expose()), ("token_type_hint", hint)];
            form_request(url, stored, method, &pairs)
        }
    }
}

fn pairs_of(parameters: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

/// Builds a POST of a form, with the client's authentication.
fn form_request(
    url: &str,
    stored: &StoredProviderSettings,
    method: &TokenAuthMethod,
    pairs: &[(&str, &str)],
) -> Result<HttpRequest, Error> {
    let client_id = &stored.settings.client_id;
    let mut form = Serializer::new(String::new());
    form.extend_pairs(pairs);
    let mut request = Request::post(url)
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(ACCEPT, "application/json");
    match (&stored.client_secret, method) {
        (Some(secret), TokenAuthMethod::ClientSecretBasic) => {
            // RFC 6749, section 2.3.1.
            let encoded = |text: &str| -> String { byte_serialize(text.as_bytes()).collect() };
            let pair = format!("{}:{}", encoded(client_id), encoded(secret.expose()));
            request = request.header(AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair)));
        }
        (Some(secret), TokenAuthMethod::ClientSecretPost) => {
            form.append_pair("client_id", client_id)
                .append_pair("client_secret", secret.expose());
        }
        _ => {
            form.append_pair("client_id", client_id);
        }
    }
    request.body(form.finish().into_bytes())
}
