//! Tests of OAuth of the simulation, by the settings of the provider.

use reqwest::header::LOCATION;
use serde_json::{Value, json};
use url::Url;
use wearlab_connect::Provider;

use super::super::Withings;
use super::service::Service;
use crate::simulated::faults::Fault;
use crate::testing::client;

const REDIRECT: &str = "https://wearlab.example/link/callback?tenant=1";

/// Consents, and returns the code of the redirect.
async fn consent(url: &str, scope: &str) -> String {
    let query = [
        ("response_type", "code"),
        ("client_id", "client"),
        ("redirect_uri", REDIRECT),
        ("state", "a b&c"),
        ("scope", scope),
    ];
    let request = client().get(format!("{url}/oauth2_user/authorize2")).query(&query);
    let response = request.send().await.expect("a response");
    let target: Url = response.headers()[LOCATION]
        .to_str()
        .expect("a text")
        .parse()
        .expect("a URL");
    assert!(target.as_str().starts_with(REDIRECT));
    let code = target.query_pairs().find(|(name, _)| name == "code").expect("a code");
    code.1.into_owned()
}

/// Requests tokens. The HTTP status is always 200.
async fn token(url: &str, parameters: &[(&str, &str)]) -> Value {
    let settings = Withings.settings();
    let action = [("action", settings.token_parameters["action"].as_str())];
    let credentials = [("client_id", "client"), ("client_secret", "secret")];
    let mut form: Vec<_> = parameters.iter().chain(&action).copied().collect();
    let missing = credentials
        .into_iter()
        .filter(|(name, _)| !parameters.iter().any(|(sent, _)| sent == name));
    form.extend(missing);
    let response = client()
        .post(format!("{url}/v2/oauth2"))
        .form(&form)
        .send()
        .await
        .expect("a response");
    assert_eq!(response.status(), 200);
    response.json().await.expect("JSON")
}

fn exchange(code: &str) -> [(&str, &str); 3] {
    [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", REDIRECT),
    ]
}

fn refresh(token: &str) -> [(&str, &str); 2] {
    [("grant_type", "refresh_token"), ("refresh_token", token)]
}

#[tokio::test]
async fn a_link_from_consent_to_refresh() {
    let service = Service::start("Europe/Oslo").await;
    let settings = Withings.settings();
    let body = settings.token_response_path.expect("a path");
    let user = settings.provider_user_id_path.expect("a path");
    let code = consent(&service.url, "user.metrics,user.activity").await;
    let response = token(&service.url, &exchange(&code)).await;
    assert_eq!(response["status"], json!(0));
    assert_eq!(response.pointer(&user), Some(&json!("9001")), "a text after a code");
    let tokens = response.pointer(&body).expect("tokens").clone();
    assert_eq!(
        (&tokens["expires_in"], &tokens["token_type"]),
        (&json!(10_800), &json!("Bearer"))
    );
    assert_eq!(tokens["scope"], json!("user.activity,user.metrics"));

    let text = |tokens: &Value, name: &str| tokens[name].as_str().expect("a token").to_owned();
    let session = service.session_of(&text(&tokens, "access_token"));
    assert!(
        Withings
            .account(&session)
            .await
            .is_ok_and(|account| account.provider_user_id.is_none())
    );
    let first = text(&tokens, "refresh_token");
    let response = token(&service.url, &refresh(&first)).await;
    assert_eq!(response.pointer(&user), Some(&json!(9_001)), "a number after a refresh");
    assert_ne!(
        response.pointer(&body).expect("tokens")["refresh_token"],
        tokens["refresh_token"]
    );
    assert_eq!(service.grants().exchanges(), 2);

    for (parameters, error) in [
        (exchange(&code).to_vec(), "Invalid Params: invalid code"),
        (refresh(&first).to_vec(), "Invalid Params: invalid refresh_token"),
    ] {
        let refused = token(&service.url, &parameters).await;
        assert_eq!(refused, json!({"status": 503, "body": {}, "error": error}));
    }
}

/// Errors mean what the settings say, by the first rule that fits.
#[tokio::test]
async fn errors_have_the_meaning_of_the_settings() {
    let service = Service::start("Europe/Oslo").await;
    let rules = Withings.settings().token_errors;
    let meaning = |response: &Value| {
        let found = rules.iter().find(|rule| {
            let value = response.pointer(rule.path.as_deref().expect("a path"));
            let value = value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            value.is_some_and(|value| {
                rule.equals.as_ref().is_none_or(|wanted| *wanted == value)
                    && rule.contains.as_ref().is_none_or(|part| value.contains(part.as_str()))
            })
        });
        found.map(|rule| rule.meaning.to_string())
    };
    let dead = token(&service.url, &refresh("invented")).await;
    assert_eq!(meaning(&dead).as_deref(), Some("link_again"));
    let used = token(&service.url, &exchange("invented")).await;
    assert_eq!(meaning(&used).as_deref(), Some("link_again"));
    service.simulation.push_error(601, "Too many requests");
    let limited = token(&service.url, &refresh("invented")).await;
    assert_eq!(meaning(&limited).as_deref(), Some("temporary"));
    let mut guessed = refresh("invented").to_vec();
    guessed.push(("client_secret", "guessed"));
    assert_eq!(meaning(&token(&service.url, &guessed).await), None);
}

/// A code is good for a short time, and for its redirect URI.
#[tokio::test]
async fn codes_that_are_refused() {
    let Service { simulation, url } = Service::start("Europe/Oslo").await;
    let code = consent(&url, "user.metrics").await;
    let mut elsewhere = exchange(&code);
    elsewhere[2].1 = "https://elsewhere.example/";
    assert_eq!(
        token(&url, &elsewhere).await["error"],
        json!("Invalid Params: invalid code")
    );
    let code = consent(&url, "user.metrics").await;
    simulation.grants().expire_codes();
    assert_eq!(
        token(&url, &exchange(&code)).await["error"],
        json!("Invalid Params: invalid code")
    );
    // The token endpoint has the faults of the API.
    simulation.faults().push([Fault::Status(502)]);
    let failed = client()
        .post(format!("{url}/v2/oauth2"))
        .send()
        .await
        .expect("a response");
    assert_eq!(failed.status(), 502);
}
