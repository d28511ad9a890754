//! Tests of OAuth of simulated providers.

use reqwest::StatusCode;
use serde_json::Value;
use wearlab_connect::{Provider, Refusal};

use super::super::Oura;
use super::service::Service;
use crate::testing::client;
use crate::testing::oauth::{VERIFIER, consent, exchange, refresh, token};

#[tokio::test]
async fn a_link_from_consent_to_revocation() {
    let service = Service::start(0).await;
    let redirect = consent(&service.url, "a b&c", "daily heartrate").await;
    let redirect = redirect.expect("a redirect");
    assert_eq!(
        (redirect["state"].as_str(), redirect["scope"].as_str()),
        ("a b&c", "daily heartrate")
    );
    let code = &redirect["code"];
    let (status, tokens) = token(&service.url, &exchange(code, VERIFIER)).await;
    assert_eq!((status, &tokens["expires_in"]), (StatusCode::OK, &Value::from(3_600)));
    let (status, refused) = token(&service.url, &exchange(code, VERIFIER)).await;
    assert_eq!(
        (status, refused["error"].as_str()),
        (StatusCode::BAD_REQUEST, Some("invalid_grant"))
    );

    let text = |tokens: &Value, name: &str| tokens[name].as_str().expect("a token").to_owned();
    let first = text(&tokens, "refresh_token");
    let (status, next) = token(&service.url, &refresh(&first)).await;
    assert_eq!(status, StatusCode::OK);
    assert_ne!(next["refresh_token"], tokens["refresh_token"]);
    let (status, _) = token(&service.url, &refresh(&first)).await;
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
    let (status, _) = token(&service.url, &refresh(&text(&next, "refresh_token"))).await;
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
        let redirect = consent(&service.url, "state", "daily").await.expect("a redirect");
        let mut parameters = exchange(&redirect["code"], VERIFIER);
        parameters
            .iter_mut()
            .filter(|parameter| parameter.0 == name)
            .for_each(|parameter| parameter.1 = value);
        let (received, body) = token(&service.url, &parameters).await;
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
