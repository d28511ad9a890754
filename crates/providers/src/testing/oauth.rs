//! Consents and requests for tokens of tests.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::StatusCode;
use reqwest::header::LOCATION;
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::Url;

use super::service::client;

/// Redirect URI of the client.
pub(crate) const REDIRECT: &str = "https://wearlab.example/link/callback?tenant=1";
/// Verifier of the client.
pub(crate) const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-long";

/// Requests the consent page with a challenge. Returns the parameters of the redirect, or the status without one.
pub(crate) async fn consent(url: &str, state: &str, scope: &str) -> Result<BTreeMap<String, String>, StatusCode> {
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
    let query = [
        ("response_type", "code"),
        ("client_id", "client"),
        ("redirect_uri", REDIRECT),
        ("state", state),
        ("scope", scope),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    let url = format!("{url}/oauth/authorize");
    let response = client().get(url).query(&query).send().await.expect("a response");
    if !response.status().is_redirection() {
        return Err(response.status());
    }
    let location = response.headers()[LOCATION].to_str().expect("a text");
    assert!(location.starts_with(REDIRECT));
    let target: Url = location.parse().expect("a URL");
    Ok(target.query_pairs().into_owned().collect())
}

/// Requests tokens with the client in the body.
pub(crate) async fn token(url: &str, parameters: &[(&str, &str)]) -> (StatusCode, Value) {
    let request = client().post(format!("{url}/oauth/token")).form(parameters);
    let response = request.send().await.expect("a response");
    (response.status(), response.json().await.expect("JSON"))
}

/// Returns the parameters of the exchange of a code.
pub(crate) fn exchange<'a>(code: &'a str, verifier: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", verifier),
        ("client_id", "client"),
        ("client_secret", "secret"),
    ]
}

/// Returns the parameters of a refresh.
pub(crate) fn refresh(token: &str) -> Vec<(&str, &str)> {
    vec![
        ("grant_type", "refresh_token"),
        ("refresh_token", token),
        ("client_id", "client"),
        ("client_secret", "secret"),
    ]
}
