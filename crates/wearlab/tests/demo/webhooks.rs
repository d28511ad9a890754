//! Webhooks over HTTP in a demo, whose receiver is on the tester's machine.

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::Demo;

/// A receiver on this machine: its URL, and what it receives.
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
    let (url, org, team) = (demo.says("management_url"), demo.says("org_id"), demo.says("team_id"));
    let mut request = reqwest::Client::new()
        .request(method, format!("{url}/v1/org/{org}/teams/{team}/webhooks{path}"))
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
    // Other private networks stay out of reach.
    let (status, refused) = send(&demo, Method::POST, "", Some(&json!({"url": "http://10.0.0.1/"}))).await;
    assert_eq!((status, &refused["errors"][0]["location"]), (422, &json!("/body/url")));
}
