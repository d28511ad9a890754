//! Tests of webhooks in a demo, to a receiver on the tester's machine.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::Demo;

/// Starts a receiver on this machine; returns its URL, and what it receives.
async fn receiver() -> (String, UnboundedReceiver<Bytes>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/a-secret-path", listener.local_addr().expect("an address"));
    let (sent, received) = unbounded_channel();
    let router = Router::new().fallback(async move |body: Bytes| {
        let _ = sent.send(body);
        StatusCode::ACCEPTED
    });
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, received)
}

async fn send(demo: &Demo, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
    let path = format!("/teams/{}/webhooks{path}", demo.says("team_id"));
    manage(demo, method, &path, body).await
}

/// Calls the management API, below the organisation.
async fn manage(demo: &Demo, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
    let (url, org) = (demo.says("management_url"), demo.says("org_id"));
    let mut request = reqwest::Client::new()
        .request(method, format!("{url}/v1/org/{org}{path}"))
        .header("x-management-key", demo.says("management_key"));
    if let Some(body) = body {
        request = request.json(body);
    }
    let response = request.send().await.expect("a response");
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

#[tokio::test]
async fn an_endpoint_on_this_machine_is_created_and_tested() {
    let demo = Demo::start(&[]);
    let (url, mut received) = receiver().await;
    let (status, created) = send(&demo, Method::POST, "", Some(&json!({ "url": url }))).await;
    assert_eq!(status, 201, "{created}");
    let id = created["webhook_id"].as_str().expect("an id");
    let (_, tested) = send(&demo, Method::POST, &format!("/{id}/test"), None).await;
    assert_eq!((&tested["delivered"], &tested["status"]), (&json!(true), &json!(202)));
    let event: Value = serde_json::from_slice(&received.recv().await.expect("an event")).expect("JSON");
    assert_eq!(event["event_type"], "webhook.test");
    // Other private networks stay unreachable.
    let (status, refused) = send(&demo, Method::POST, "", Some(&json!({"url": "http://10.0.0.1/"}))).await;
    assert_eq!((status, &refused["errors"][0]["location"]), (422, &json!("/body/url")));
}

/// Creates an event of a user, and reads it from the receiver.
async fn triggered(demo: &Demo, team: &str, user: &str, received: &mut UnboundedReceiver<Bytes>) -> Value {
    let path = format!("/teams/{team}/users/{user}/trigger");
    let event = json!({"event_type": "daily.data.steps.created"});
    let (status, created) = manage(demo, Method::POST, &path, Some(&event)).await;
    assert_eq!(status, 201, "{created}");
    let body = tokio::time::timeout(Duration::from_secs(60), received.recv()).await;
    serde_json::from_slice(&body.expect("in time").expect("an event")).expect("JSON")
}

#[tokio::test]
async fn events_of_the_printed_team_are_sent_to_the_url_that_it_is_started_with() {
    let (url, mut received) = receiver().await;
    let demo = Demo::start(&["--webhook", &url]);
    assert!(demo.says("webhook_secret").starts_with("whsec_"));
    let event = triggered(&demo, demo.says("team_id"), demo.says("user_id"), &mut received).await;
    assert_eq!(event["user_id"], demo.says("user_id"));
}

#[tokio::test]
async fn endpoints_that_are_created_over_http_receive_events() {
    let demo = Demo::start(&[]);
    let (url, mut received) = receiver().await;
    let region = json!({"environment": "sandbox", "region": "eu"});
    let (_, team) = manage(&demo, Method::POST, "/teams", Some(&region)).await;
    let team = team["team_id"].as_str().expect("an id");
    let webhooks = format!("/teams/{team}/webhooks");
    let (status, created) = manage(&demo, Method::POST, &webhooks, Some(&json!({ "url": url }))).await;
    assert_eq!(status, 201, "{created}");
    let wanted = json!({"team_id": team, "name": "tests", "scopes": ["write"]});
    let (_, key) = manage(&demo, Method::POST, "/keys", Some(&wanted)).await;
    let user = reqwest::Client::new()
        .post(format!("{}/v2/user/", demo.says("base_url")))
        .header("x-service-api-key", key["key"].as_str().expect("a key"))
        .json(&json!({"client_user_id": "client-1"}));
    let user: Value = user.send().await.expect("a response").json().await.expect("JSON");
    let user = user["user_id"].as_str().expect("an id");
    assert_eq!(triggered(&demo, team, user, &mut received).await["user_id"], user);
}
