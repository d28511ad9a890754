//! Tests of OAuth of the simulation, with the provider's deviations.

use reqwest::StatusCode;
use serde_json::Value;
use wearlab_connect::{Provider, Refusal};

use super::super::Whoop;
use super::service::{SCOPES, Service};
use crate::testing::oauth::{VERIFIER, consent, exchange, refresh, token};
use crate::testing::{client, session};

fn text(tokens: &Value, name: &str) -> String {
    tokens[name].as_str().expect("a token").to_owned()
}

/// Links with some scopes, and returns the tokens.
async fn link(service: &Service, scopes: &str) -> Value {
    let redirect = consent(&service.url, "a-long-state", scopes).await.expect("a redirect");
    let (status, tokens) = token(&service.url, &exchange(&redirect["code"], VERIFIER)).await;
    assert_eq!(status, StatusCode::OK);
    tokens
}

#[tokio::test]
async fn a_link_from_consent_to_revocation() {
    let service = Service::start(0).await;
    let tokens = link(&service, &SCOPES.join(" ")).await;
    let before = session(&service.url, &text(&tokens, "access_token"));
    assert!(Whoop.account(&before).await.is_ok());

    let first = text(&tokens, "refresh_token");
    let (status, refused) = token(&service.url, &refresh(&first)).await;
    assert_eq!(
        (status, &refused["error"]),
        (StatusCode::BAD_REQUEST, &Value::from("invalid_scope"))
    );
    let mut parameters = refresh(&first);
    let settings = Whoop.settings();
    parameters.extend(
        settings
            .refresh_parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str())),
    );
    let (status, next) = token(&service.url, &parameters).await;
    assert_eq!(status, StatusCode::OK);
    let (status, refused) = token(&service.url, &parameters).await;
    assert_eq!(
        (status, &refused["error"]),
        (StatusCode::BAD_REQUEST, &Value::from("invalid_grant"))
    );
    let ended = Whoop.account(&before).await.err();
    assert_eq!(
        ended,
        Some(Refusal::Unauthorized),
        "a refresh ends the access token before it"
    );

    let access = text(&next, "access_token");
    let after = session(&service.url, &access);
    assert!(Whoop.account(&after).await.is_ok());
    let revoke = client().delete(format!("{}/v2/user/access", service.url));
    let revoked = revoke.bearer_auth(&access).send().await.expect("a response");
    assert_eq!(revoked.status(), StatusCode::NO_CONTENT);
    assert_eq!(Whoop.account(&after).await.err(), Some(Refusal::Unauthorized));
}

#[tokio::test]
async fn a_consent_without_offline_has_no_refresh_token() {
    let service = Service::start(0).await;
    let tokens = link(&service, "read:profile").await;
    assert_eq!(tokens.get("refresh_token"), None);
    assert!(
        Whoop
            .account(&session(&service.url, &text(&tokens, "access_token")))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_short_state_and_a_client_in_the_header_are_refused() {
    let service = Service::start(0).await;
    let refused = consent(&service.url, "7 chars", "offline").await;
    assert_eq!(refused.err(), Some(StatusCode::BAD_REQUEST));

    let redirect = consent(&service.url, "a-long-state", "offline")
        .await
        .expect("a redirect");
    let parameters = exchange(&redirect["code"], VERIFIER);
    let in_header: Vec<_> = parameters
        .iter()
        .filter(|(name, _)| !name.starts_with("client"))
        .collect();
    let request = client().post(format!("{}/oauth/token", service.url));
    let request = request.basic_auth("client", Some("secret")).form(&in_header);
    let response = request.send().await.expect("a response");
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    let body: Value = response.json().await.expect("JSON");
    assert_eq!(body["error"], "invalid_client");
}
