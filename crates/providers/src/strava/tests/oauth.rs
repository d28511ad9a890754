//! Tests of OAuth over HTTP, with the deviations of Strava.

use reqwest::StatusCode;
use reqwest::header::LOCATION;
use serde_json::{Value, json};
use url::Url;
use wearlab_connect::{Provider, Refusal};

use super::super::Strava;
use super::service::Service;
use crate::testing::{client, session};

const REDIRECT: &str = "https://wearlab.example/link/callback/org/strava";

/// Consents to scopes, which are separated by commas, and returns the parameters of the redirect.
async fn consent(service: &Service, scope: &str) -> Vec<(String, String)> {
    let query = [
        ("response_type", "code"),
        ("client_id", "client"),
        ("redirect_uri", REDIRECT),
        ("state", "s-1"),
        ("scope", scope),
        ("approval_prompt", "auto"),
    ];
    let request = client().get(format!("{}/oauth/authorize", service.url)).query(&query);
    let response = request.send().await.expect("a response");
    let target = response.headers()[LOCATION].to_str().expect("a text");
    let target: Url = target.parse().expect("a URL");
    target.query_pairs().into_owned().collect()
}

async fn token(service: &Service, parameters: &[(&str, &str)]) -> (StatusCode, Value) {
    let client_in_body = [("client_id", "client"), ("client_secret", "secret")];
    let form: Vec<_> = parameters.iter().chain(&client_in_body).collect();
    let request = client().post(format!("{}/oauth/token", service.url)).form(&form);
    let response = request.send().await.expect("a response");
    (response.status(), response.json().await.expect("JSON"))
}

#[tokio::test]
async fn a_link_from_consent_to_revocation() {
    let service = Service::start(0).await;
    let redirect = consent(&service, "read,activity:read").await;
    let parameter = |name: &str| {
        let found = redirect.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone()).expect("a parameter")
    };
    assert_eq!(
        parameter("scope"),
        "read,activity:read",
        "the redirect has the granted scopes"
    );
    let code = parameter("code");
    let exchange = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", REDIRECT),
    ];
    let (status, tokens) = token(&service, &exchange).await;
    assert_eq!(status, StatusCode::OK);
    let id = service.simulation.with_data(|data| data.athlete.id);
    assert_eq!(tokens["athlete"]["id"], json!(id));
    let until = tokens["expires_at"].as_i64().expect("a time") - chrono::Utc::now().timestamp();
    assert!((3_590..=3_600).contains(&until), "{until}");
    let (status, fault) = token(&service, &exchange).await;
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

    let refresh = tokens["refresh_token"].as_str().expect("a token");
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", refresh)];
    let (status, next) = token(&service, &refresh).await;
    assert_eq!(status, StatusCode::OK);
    let (status, fault) = token(&service, &refresh).await;
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
