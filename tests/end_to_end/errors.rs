//! Every class of errors, with raw requests and the client.

use serde_json::Value;
use wearlab_client::operations::Credential;
use wearlab_client::{Client, Error};
use wearlab_models::{Environment, OAuthProviderSlug, Region, Uuid};
use wearlab_service::Settings;
use wearlab_tests::{EXPIRED_LINK_TOKEN, LINK_TOKEN, Running};

struct RawResponse {
    status: u16,
    headers: reqwest::header::HeaderMap,
    body: Value,
}

async fn send(running: &Running, method: &str, path: &str, headers: &[(&str, &str)]) -> RawResponse {
    let method = method.parse().expect("a method");
    let mut request = wearlab_tests::http().request(method, format!("{}{path}", running.url));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.expect("a response");
    RawResponse {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.json().await.unwrap_or(Value::Null),
    }
}

#[tokio::test]
async fn errors_are_problem_documents() {
    let running = Running::start(5).await;
    let key = [("x-service-api-key", running.sample.team_api_key.as_str())];
    let nobody = format!("/v2/user/{}", Uuid::nil());
    for (method, path, headers, status, kind) in [
        ("GET", "/v2/user/", &[][..], 401, "unauthorized"),
        (
            "GET",
            "/v2/user/",
            &[("x-service-api-key", "wl_team_none")],
            401,
            "unauthorized",
        ),
        ("GET", &nobody, &key, 404, "not-found"),
        ("GET", "/v2/nothing", &key, 404, "not-found"),
        ("GET", "/nothing", &[], 404, "not-found"),
        ("DELETE", "/v2/user/", &key, 405, "method-not-allowed"),
        ("POST", "/openapi.json", &key, 405, "method-not-allowed"),
        ("GET", "/v2/user/?limit=501", &key, 422, "unprocessable-content"),
        ("GET", "/v3/lab_tests/none/markers", &key, 404, "not-found"),
    ] {
        let response = send(&running, method, path, headers).await;
        let body = &response.body;
        assert_eq!(response.status, status, "{method} {path}: {body}");
        assert_eq!(response.headers["content-type"], "application/problem+json");
        assert_eq!(body["type"], format!("urn:wearlab:problem:{kind}"));
        assert_eq!(body["status"], status);
        assert_eq!(body["instance"], path.split('?').next().unwrap_or_default());
        assert_eq!(
            body["request_id"],
            response.headers["x-request-id"].to_str().expect("text")
        );
        assert!(body["title"].is_string() && body["detail"].is_string());
        assert_eq!(response.headers.contains_key("allow"), status == 405);
    }
}

#[tokio::test]
async fn head_is_answered_wherever_get_is() {
    let running = Running::start(5).await;
    let key = [("x-service-api-key", running.sample.team_api_key.as_str())];
    let response = send(&running, "HEAD", "/v2/user/", &key).await;
    assert_eq!((response.status, response.body), (200, Value::Null));
}

#[tokio::test]
async fn the_client_tells_errors_apart() {
    let running = Running::start(5).await;
    let client = running.client();

    let error = client.get_user(Uuid::nil()).send().await.expect_err("nobody");
    assert!(
        matches!(&error, Error::NotFound(failure) if failure.problem().is_some()),
        "{error:?}"
    );
    assert!(error.request_id().is_some());

    let error = client
        .list_users()
        .limit(501)
        .offset(-1)
        .send()
        .await
        .expect_err("out of bounds");
    let Error::Invalid(failure) = &error else {
        panic!("{error:?}")
    };
    let locations: Vec<_> = failure
        .violations()
        .iter()
        .map(|violation| violation.location.as_str())
        .collect();
    assert_eq!(locations, ["/query/offset", "/query/limit"]);

    let stranger = Client::builder()
        .base_url(&running.url)
        .api_key("wl_team_none")
        .build()
        .expect("a client");
    let error = stranger.list_users().send().await.expect_err("a stranger");
    assert!(matches!(error, Error::Unauthorized(_)));
    let error = stranger
        .list_team_pipelines("o", Environment::Sandbox, Region::Eu)
        .send()
        .await;
    let error = error.expect_err("no key for it");
    assert!(matches!(error, Error::InvalidRequest(_)), "{error}");
    for way_out in ["`.management_key(...)`", "WEARLAB_MANAGEMENT_KEY", "x-management-key"] {
        assert!(error.to_string().contains(way_out), "{error}");
    }
    for empty in [
        Client::builder().api_key(""),
        Client::builder().management_key(" "),
        Client::builder().credential(Credential::LinkToken, ""),
    ] {
        let error = empty.base_url(&running.url).build().expect_err("an empty key");
        assert!(error.to_string().contains("is empty"), "{error}");
    }

    let error = client
        .list_lab_test_markers("..")
        .send()
        .await
        .expect_err("another address");
    assert!(matches!(error, Error::InvalidRequest(_)));

    let nowhere = Client::builder()
        .base_url("http://127.0.0.1:1")
        .api_key("k")
        .build()
        .expect("a client");
    let error = nowhere.list_users().send().await.expect_err("nobody listens there");
    assert!(matches!(error, Error::Transport(_)));
}

#[tokio::test]
async fn link_tokens_go_beside_the_key_unless_a_setting_lets_them_go_alone() {
    let path = "/v2/link/provider/oauth/none_such";
    let mut settings = Settings::default();
    for alone in [401, 404] {
        let running = Running::start_with(5, settings).await;
        let key = ("x-service-api-key", running.sample.team_api_key.as_str());
        let other = ("x-service-api-key", running.sample.other_team.team_api_key.as_str());
        for (headers, status) in [
            (vec![key], 404),
            (vec![key, ("x-service-link-token", LINK_TOKEN)], 404),
            (vec![key, ("x-service-link-token", EXPIRED_LINK_TOKEN)], 401),
            (vec![key, ("x-service-link-token", "none")], 401),
            (vec![other, ("x-service-link-token", LINK_TOKEN)], 401),
            (vec![("x-service-link-token", LINK_TOKEN)], alone),
            (vec![], 401),
        ] {
            let response = send(&running, "GET", path, &headers).await;
            assert_eq!(response.status, status, "{headers:?}");
        }
        settings.link_token_suffices = true;
    }
}

#[tokio::test]
async fn nothing_shows_a_key() {
    let running = Running::start(5).await;
    let client = running.client();
    let shown = format!("{client:?} {:?} {:?}", client.list_users(), running.sample);
    for secret in [&running.sample.team_api_key, &running.sample.management_key, LINK_TOKEN] {
        assert!(!shown.contains(secret));
    }
    let slug = OAuthProviderSlug::from("none_such");
    let error = client
        .get_oauth_provider(slug)
        .send()
        .await
        .expect_err("no such provider");
    assert!(!format!("{error:?} {error}").contains(&running.sample.team_api_key));
}
