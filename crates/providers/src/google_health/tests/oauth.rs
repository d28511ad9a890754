//! Tests of OAuth of the simulation: a refresh keeps its refresh token.

use reqwest::StatusCode;
use reqwest::header::LOCATION;
use serde_json::Value;
use url::Url;
use wearlab_connect::{Provider, Refusal};

use super::super::GoogleHealth;
use super::service::Service;
use crate::testing::client;

const REDIRECT: &str = "https://wearlab.example/link/callback";

async fn token(service: &Service, parameters: &[(&str, &str)]) -> (StatusCode, Value) {
    let credentials = [("client_id", "client"), ("client_secret", "secret")];
    let form: Vec<_> = parameters.iter().chain(&credentials).collect();
    let request = client().post(format!("{}/oauth/token", service.url)).form(&form);
    let response = request.send().await.expect("a response");
    (response.status(), response.json().await.expect("JSON"))
}

#[tokio::test]
async fn a_link_from_consent_to_revocation() {
    let service = Service::start(0).await;
    let settings = GoogleHealth.settings();
    let scope = settings
        .scopes
        .values()
        .flat_map(|set| &set.required)
        .cloned()
        .collect::<Vec<_>>()
        .join(" ");
    let mut query = vec![
        ("response_type", "code"),
        ("client_id", "client"),
        ("redirect_uri", REDIRECT),
        ("scope", scope.as_str()),
    ];
    query.extend(
        settings
            .authorization_parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str())),
    );
    let request = client().get(format!("{}/oauth/authorize", service.url)).query(&query);
    let response = request.send().await.expect("a response");
    let target: Url = response.headers()[LOCATION]
        .to_str()
        .expect("a text")
        .parse()
        .expect("a URL");
    let code = target
        .query_pairs()
        .find(|(name, _)| name == "code")
        .expect("a code")
        .1
        .into_owned();
    let exchange = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", REDIRECT),
    ];
    let (status, tokens) = token(&service, &exchange).await;
    assert_eq!(status, StatusCode::OK);
    let refresh_token = tokens["refresh_token"].as_str().expect("a token").to_owned();
    let refresh = [
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh_token.as_str()),
    ];
    let mut access = String::new();
    for _ in 0..2 {
        let (status, refreshed) = token(&service, &refresh).await;
        assert_eq!((status, refreshed.get("refresh_token")), (StatusCode::OK, None));
        refreshed["access_token"]
            .as_str()
            .expect("a token")
            .clone_into(&mut access);
    }
    let session = service.session_of(&access);
    assert!(GoogleHealth.account(&session).await.is_ok());
    let revoke = client()
        .post(format!("{}/oauth/revoke", service.url))
        .form(&[("token", &refresh_token)]);
    assert_eq!(revoke.send().await.expect("a response").status(), StatusCode::OK);
    assert_eq!(GoogleHealth.account(&session).await.err(), Some(Refusal::Unauthorized));
    let (status, refused) = token(&service, &refresh).await;
    assert_eq!(
        (status, refused["error"].as_str()),
        (StatusCode::BAD_REQUEST, Some("invalid_grant"))
    );
}
