//! Tests of OAuth of simulated providers.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::StatusCode;
use reqwest::header::LOCATION;
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::Url;
use wearlab_connect::{Provider, Refusal};

use super::super::Oura;
use super::service::Service;
use crate::testing::client;

const REDIRECT: &str = "https://wearlab.example/link/callback?tenant=1";
const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-long";

/// Consents, and returns the parameters of the redirect.
async fn consent(service: &Service, scope: &str) -> Vec<(String, String)> {
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
    let query = [
        ("response_type", "code"),
        ("client_id", "client"),
        ("redirect_uri", REDIRECT),
        ("state", "a b&c"),
        ("scope", scope),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    let url = format!("{}/oauth/authorize", service.url);
    let response = client().get(url).query(&query).send().await.expect("a response");
    assert!(response.status().is_redirection());
    let target: Url = response.headers()[LOCATION]
        .to_str()
        .expect("a text")
        .parse()
        .expect("a URL");
    assert!(target.as_str().starts_with(REDIRECT));
    target.query_pairs().into_owned().collect()
}

async fn token(service: &Service, parameters: &[(&str, &str)]) -> (StatusCode, Value) {
    let request = client().post(format!("{}/oauth/token", service.url)).form(parameters);
    let response = request.send().await.expect("a response");
    (response.status(), response.json().await.expect("JSON"))
}

fn exchange<'a>(code: &'a str, verifier: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", verifier),
        ("client_id", "client"),
        ("client_secret", "secret"),
    ]
}

fn refresh(token: &str) -> Vec<(&str, &str)> {
    vec![
        ("grant_type", "refresh_token"),
        ("refresh_token", token),
        ("client_id", "client"),
        ("client_secret", "secret"),
    ]
}

#[tokio::test]
async fn a_link_from_consent_to_revocation() {
    let service = Service::start(0).await;
    let redirect = consent(&service, "daily heartrate").await;
    let parameter = |name: &str| {
        let found = redirect.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone()).expect("a parameter")
    };
    assert_eq!(
        (parameter("state").as_str(), parameter("scope").as_str()),
        ("a b&c", "daily heartrate")
    );
    let code = parameter("code");
    let (status, tokens) = token(&service, &exchange(&code, VERIFIER)).await;
    assert_eq!((status, &tokens["expires_in"]), (StatusCode::OK, &Value::from(3_600)));
    let (status, refused) = token(&service, &exchange(&code, VERIFIER)).await;
    assert_eq!(
        (status, refused["error"].as_str()),
        (StatusCode::BAD_REQUEST, Some("invalid_grant"))
    );

    let text = |tokens: &Value, name: &str| tokens[name].as_str().expect("a token").to_owned();
    let first = text(&tokens, "refresh_token");
    let (status, next) = token(&service, &refresh(&first)).await;
    assert_eq!(status, StatusCode::OK);
    assert_ne!(next["refresh_token"], tokens["refresh_token"]);
    let (status, _) = token(&service, &refresh(&first)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "a refresh token is good once");
    assert_eq!(service.grants().exchanges(), 2);

    let access = text(&next, "access_token");
    let session = service.session_of(&access);
    assert!(Oura.account(&session).await.is_ok());
    let revoke = format!("{}/oauth/revoke", service.url);
    let revoked = client()
        .post(revoke)
        .query(&[("access_token", &access)])
        .send()
        .await
        .expect("a response");
    assert_eq!(revoked.status(), StatusCode::OK);
    assert_eq!(Oura.account(&session).await.err(), Some(Refusal::Unauthorized));
    let (status, _) = token(&service, &refresh(&text(&next, "refresh_token"))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn codes_are_bound_to_the_client() {
    let service = Service::start(0).await;
    for (name, value, status, error) in [
        ("code_verifier", "another-verifier", 400, "invalid_grant"),
        ("redirect_uri", "https://elsewhere.example/", 400, "invalid_grant"),
        ("grant_type", "password", 400, "unsupported_grant_type"),
        ("client_secret", "guessed", 401, "invalid_client"),
    ] {
        let redirect = consent(&service, "daily").await;
        let code = redirect
            .iter()
            .find(|(name, _)| name == "code")
            .map(|(_, code)| code.clone());
        let code = code.expect("a code");
        let mut parameters = exchange(&code, VERIFIER);
        parameters
            .iter_mut()
            .filter(|parameter| parameter.0 == name)
            .for_each(|parameter| parameter.1 = value);
        let (received, body) = token(&service, &parameters).await;
        assert_eq!(
            (received.as_u16(), body["error"].as_str()),
            (status, Some(error)),
            "{name}"
        );
    }
    let without: Vec<_> = exchange("", "")
        .into_iter()
        .filter(|(name, _)| !name.starts_with("client"))
        .collect();
    let request = client()
        .post(format!("{}/oauth/token", service.url))
        .basic_auth("client", Some("secret"));
    let body: Value = request
        .form(&without)
        .send()
        .await
        .expect("a response")
        .json()
        .await
        .expect("JSON");
    assert_eq!(body["error"], "invalid_grant", "the client may be in a header");
}
