//! Requests to the token and the revocation endpoint of a provider: a form, with the client's authentication.

use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use oauth2::HttpRequest;
use oauth2::url::form_urlencoded::{Serializer, byte_serialize};
use wearlab_models::{Secret, TokenAuthMethod};
use wearlab_store::StoredProviderSettings;

/// Parameters of a request that OAuth gives a meaning: settings of a provider do not change them.
pub(crate) const OAUTH_PARAMETERS: &[&str] = &[
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

/// What a token endpoint is asked to exchange.
pub(super) enum Exchange<'a> {
    /// A code, with the redirect URI that it was sent to.
    Code {
        code: &'a str,
        redirect_uri: &'a str,
        verifier: Option<&'a Secret>,
    },
    /// A refresh token.
    RefreshToken(&'a Secret),
}

/// The request for tokens.
pub(super) fn token_request(
    stored: &StoredProviderSettings,
    exchange: &Exchange<'_>,
) -> Result<HttpRequest, axum::http::Error> {
    let settings = &stored.settings;
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    match exchange {
        Exchange::Code {
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
        Exchange::RefreshToken(token) => {
            pairs.extend([("grant_type", "refresh_token"), ("refresh_token", token.expose())]);
            pairs.extend(texts(&settings.refresh_parameters));
        }
    }
    for (name, value) in texts(&settings.token_parameters) {
        if !pairs.iter().any(|(known, _)| *known == name) {
            pairs.push((name, value));
        }
    }
    request(&settings.token_url, stored, &settings.token_auth_method, &pairs)
}

/// The request that revokes a token.
pub(super) fn revocation_request(
    url: &str,
    stored: &StoredProviderSettings,
    token: &Secret,
    hint: &str,
) -> Result<HttpRequest, axum::http::Error> {
    let settings = &stored.settings;
    let method = settings.revocation_auth_method.as_ref();
    let method = method.unwrap_or(&settings.token_auth_method);
    request(
        url,
        stored,
        method,
        &[("token", token.expose()), ("token_type_hint", hint)],
    )
}

fn texts(parameters: &std::collections::BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

fn request(
    url: &str,
    stored: &StoredProviderSettings,
    method: &TokenAuthMethod,
    pairs: &[(&str, &str)],
) -> Result<HttpRequest, axum::http::Error> {
    let client_id = &stored.settings.client_id;
    let mut form = Serializer::new(String::new());
    form.extend_pairs(pairs);
    let mut request = axum::http::Request::post(url)
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
