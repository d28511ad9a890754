//! Tests of OAuth of the simulation.

use reqwest::StatusCode;
use serde_json::Value;
use wearlab_connect::{Provider, Refusal};

use super::super::Dexcom;
use super::service::Service;
use crate::testing::oauth::{VERIFIER, consent, exchange, refresh, token};
use crate::testing::session;

/// Each refresh returns another refresh token, which replaces the one before.
#[tokio::test]
async fn a_link_from_consent_to_its_end() {
    let service = Service::start().await;
    let redirect = consent(&service.url, "state", "offline_access")
        .await
        .expect("a redirect");
    let (status, tokens) = token(&service.url, &exchange(&redirect["code"], VERIFIER)).await;
    assert_eq!((status, &tokens["expires_in"]), (StatusCode::OK, &Value::from(7_200)));
    let text = |tokens: &Value, name: &str| tokens[name].as_str().expect("a token").to_owned();
    let first = session(&service.url, &text(&tokens, "access_token"));
    assert!(Dexcom.account(&first).await.is_ok());

    let earlier = text(&tokens, "refresh_token");
    let (status, next) = token(&service.url, &refresh(&earlier)).await;
    assert_eq!(status, StatusCode::OK);
    let (status, refused) = token(&service.url, &refresh(&earlier)).await;
    assert_eq!(
        (status, &refused["error"]),
        (StatusCode::BAD_REQUEST, &Value::from("invalid_grant"))
    );
    let second = session(&service.url, &text(&next, "access_token"));
    assert!(Dexcom.account(&second).await.is_ok());

    // The user withdraws the consent at the provider.
    service.simulation.grants().revoke_all();
    assert_eq!(Dexcom.account(&second).await.err(), Some(Refusal::Unauthorized));
    let (status, _) = token(&service.url, &refresh(&text(&next, "refresh_token"))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}
