//! Tests of OAuth over HTTP, with the deviations of Strava.

use reqwest::StatusCode;
use serde_json::json;
use wearlab_connect::{Provider, Refusal};

use super::super::Strava;
use super::service::Service;
use crate::testing::oauth::{VERIFIER, consent, exchange, refresh, token};
use crate::testing::{client, session};

#[tokio::test]
async fn a_link_from_consent_to_revocation() {
    let service = Service::start(0).await;
    let redirect = consent(&service.url, "s-1", "read,activity:read")
        .await
        .expect("a redirect");
    assert_eq!(
        redirect["scope"], "read,activity:read",
        "the redirect has the granted scopes"
    );
    let code = exchange(&redirect["code"], VERIFIER);
    let (status, tokens) = token(&service.url, &code).await;
    assert_eq!(status, StatusCode::OK);
    let id = service.simulation.with_data(|data| data.athlete.id);
    assert_eq!(tokens["athlete"]["id"], json!(id));
    let until = tokens["expires_at"].as_i64().expect("a time") - chrono::Utc::now().timestamp();
    assert!((3_590..=3_600).contains(&until), "{until}");
    let (status, fault) = token(&service.url, &code).await;
    assert_eq!(
        (status, &fault["errors"][0]["code"]),
        (StatusCode::BAD_REQUEST, &json!("invalid"))
    );

    let access = tokens["access_token"].as_str().expect("a token");
    let account = Strava
        .account(&session(&service.url, access))
        .await
        .expect("an account");
    assert_eq!(account.provider_user_id, Some(id.to_string()));

    let refresh = refresh(tokens["refresh_token"].as_str().expect("a token"));
    let (status, next) = token(&service.url, &refresh).await;
    assert_eq!(status, StatusCode::OK);
    let (status, fault) = token(&service.url, &refresh).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "the refresh token was replaced");
    let expected = json!({"resource": "RefreshToken", "field": "refresh_token", "code": "invalid"});
    assert_eq!(fault["errors"], json!([expected]));

    let access = next["access_token"].as_str().expect("a token");
    let revoke = async |secret: &str| {
        let request = client()
            .post(format!("{}/oauth/revoke", service.url))
            .form(&[("token", access)]);
        let response = request
            .basic_auth("client", Some(secret))
            .send()
            .await
            .expect("a response");
        response.status()
    };
    assert_eq!(revoke("guessed").await, StatusCode::UNAUTHORIZED);
    assert!(Strava.account(&session(&service.url, access)).await.is_ok());
    assert_eq!(revoke("secret").await, StatusCode::OK);
    let account = Strava.account(&session(&service.url, access)).await;
    assert_eq!(account.err(), Some(Refusal::Unauthorized));
}
