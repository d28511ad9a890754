//! Tests of OAuth over HTTP, with the deviations of Polar, and of the settings for them.

use reqwest::StatusCode;
use serde_json::{Value, json};
use wearlab_connect::{Provider, Refusal};
use wearlab_models::{ResourceName, RevocationMethod, TokenAuthMethod};

use super::super::Polar;
use super::super::generated::client::Client;
use super::service::Service;
use crate::testing::oauth::{REDIRECT, VERIFIER, consent, exchange, token};
use crate::testing::{client, session};

/// Exchanges a code by Basic.
async fn exchange_by_basic(service: &Service, code: &str, secret: &str) -> (StatusCode, Value) {
    let form = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
    ];
    let request = client().post(format!("{}/oauth/token", service.url)).form(&form);
    let response = request
        .basic_auth("client", Some(secret))
        .send()
        .await
        .expect("a response");
    (response.status(), response.json().await.expect("JSON"))
}

#[tokio::test]
async fn a_link_from_consent_to_its_end() {
    let service = Service::start(0).await;
    service.simulation.with_data(|data| data.is_registered = false);
    let redirect = consent(&service.url, "s-1", "accesslink.read_all")
        .await
        .expect("a redirect");
    let code = &redirect["code"];
    let (status, refused) = token(&service.url, &exchange(code, VERIFIER)).await;
    assert_eq!(
        (status, &refused["error"]),
        (StatusCode::UNAUTHORIZED, &json!("invalid_client"))
    );
    let (status, _) = exchange_by_basic(&service, code, "guessed").await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let (status, tokens) = exchange_by_basic(&service, code, "secret").await;
    assert_eq!(status, StatusCode::OK);
    let id = service.simulation.with_data(|data| data.user_id);
    assert_eq!(tokens["x_user_id"], json!(id));
    assert_eq!(tokens["expires_in"], json!(31_535_999));
    assert_eq!(tokens.get("refresh_token"), None);

    let access = tokens["access_token"].as_str().expect("a token");
    let session = session(&service.url, access);
    assert!(Polar.account(&session).await.is_ok());
    let api = Client::builder()
        .http_client(client())
        .base_url(&service.url)
        .access_token(access);
    let api = api.build().expect("a client");
    assert!(api.delete_user(id + 1).send().await.is_err(), "another person");
    api.delete_user(id).send().await.expect("the end of the grant");
    assert_eq!(Polar.account(&session).await.err(), Some(Refusal::Unauthorized));
}

#[test]
fn deviations_from_oauth() {
    let settings = Polar.settings();
    assert_eq!(settings.token_auth_method, TokenAuthMethod::ClientSecretBasic);
    assert_eq!(settings.provider_user_id_path.as_deref(), Some("/x_user_id"));
    let url = "https://www.polaraccesslink.com/v3/users/{user_id}";
    assert_eq!(settings.revocation_url.as_deref(), Some(url));
    assert_eq!(settings.revocation_method, Some(RevocationMethod::BearerDelete));
    let hosts = [&settings.authorization_url, &settings.token_url].map(|url| url.split('/').nth(2));
    assert_eq!(hosts, [Some("flow.polar.com"), Some("polarremote.com")]);
    let scopes = &settings.scopes[&ResourceName::Sleep];
    assert_eq!(
        (scopes.required.join(" ").as_str(), scopes.optional.len()),
        ("accesslink.read_all", 0)
    );
    assert_eq!(settings.scopes.get(&ResourceName::WorkoutStream), None);
}
