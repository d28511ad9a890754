//! Requests of the client: URLs, credentials by operation, and no further fields.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::routing::get;
use wearlab_client::Client;
use wearlab_models::{Environment, OAuthProviderSlug, Region, Uuid};

/// A received request.
#[derive(Clone, Debug, Default)]
struct SentRequest {
    uri: String,
    headers: BTreeMap<String, String>,
}

/// Starts a server that records requests, and returns its URL.
async fn recorder() -> (String, Arc<Mutex<SentRequest>>) {
    let last = Arc::new(Mutex::new(SentRequest::default()));
    let note = last.clone();
    let routes = Router::new().fallback(get(move |request: Request| {
        let headers = request.headers().iter();
        let headers = headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()));
        let sent = SentRequest {
            uri: request.uri().to_string(),
            headers: headers.collect(),
        };
        *note.lock().expect("not poisoned") = sent;
        async { StatusCode::IM_A_TEAPOT }
    }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (url, last)
}

#[tokio::test]
async fn each_operation_gets_its_own_credentials_at_its_own_address() {
    let (base, at_base) = recorder().await;
    let (management, at_management) = recorder().await;
    let client = Client::builder()
        .base_url(format!("{base}/stem/"))
        .management_url(&management)
        .api_key("team")
        .link_token("token")
        .management_key("boss")
        .build()
        .expect("a client");
    let taken = |place: &Arc<Mutex<SentRequest>>| std::mem::take(&mut *place.lock().expect("not poisoned"));

    client.list_users().limit(5).send().await.expect_err("a teapot");
    let sent = taken(&at_base);
    assert_eq!(sent.uri, "/stem/v2/user/?limit=5");
    let names: Vec<_> = sent.headers.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["accept", "host", "user-agent", "x-service-api-key"],
        "nothing else is sent"
    );
    assert_eq!(sent.headers["x-service-api-key"], "team");

    client
        .get_oauth_provider(OAuthProviderSlug::from("a/b"))
        .send()
        .await
        .expect_err("a teapot");
    let sent = taken(&at_base);
    assert_eq!(sent.uri, "/stem/v2/link/provider/oauth/a%2Fb");
    assert_eq!(sent.headers["x-service-link-token"], "token");
    assert_eq!(sent.headers["x-service-api-key"], "team");

    let pipelines = client.list_team_pipelines("o", Environment::Sandbox, Region::Eu);
    pipelines.team_id(Uuid::nil()).send().await.expect_err("a teapot");
    let sent = taken(&at_management);
    assert_eq!(
        sent.uri,
        format!("/v1/org/o/team_etl_pipelines/sandbox/eu?team_id={}", Uuid::nil())
    );
    assert_eq!(sent.headers["x-management-key"], "boss");
    assert!(
        !sent.headers.contains_key("x-service-api-key"),
        "a team key stays away from the management area"
    );
    assert!(
        taken(&at_base).uri.is_empty(),
        "the management call went to its own address alone"
    );

    client.search_diagnoses("a b&c=é").send().await.expect_err("a teapot");
    assert_eq!(
        taken(&at_base).uri,
        "/stem/v3/insurance/search/diagnosis?diagnosis_query=a+b%26c%3D%C3%A9"
    );
}

#[test]
fn a_client_that_cannot_work_is_not_built() {
    for (builder, complaint) in [
        (Client::builder(), "base_url"),
        (Client::builder().base_url("not an address"), "base_url"),
        (Client::builder().base_url("ftp://host"), "base_url"),
        (
            Client::builder().base_url("http://h").management_url("http://h?x"),
            "management_url",
        ),
        (Client::builder().base_url("http://h").api_key("new\nline"), "api_key"),
    ] {
        let error = builder.build().expect_err("it cannot work");
        assert!(error.to_string().contains(complaint), "{error}");
        assert!(!error.to_string().contains("line"));
    }
}
