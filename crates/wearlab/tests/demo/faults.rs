//! Tests of faults that a tester requests of a demo.

use std::time::{Duration, Instant};

use reqwest::{Method, Response};
use serde_json::Value;

use crate::Demo;

/// Requests the first users with these preferences.
async fn ask(demo: &Demo, method: Method, preferences: &[&str]) -> Response {
    let mut request = reqwest::Client::new()
        .request(method, format!("{}/v2/user/?limit=1", demo.says("base_url")))
        .header("x-service-api-key", demo.says("team_api_key"));
    for preference in preferences {
        request = request.header("prefer", *preference);
    }
    request.send().await.expect("a response")
}

fn header<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    response.headers().get(name).map(|value| value.to_str().expect("text"))
}

#[tokio::test]
async fn an_error_is_answered_as_the_service_would() {
    let demo = Demo::start(&[]);
    for (status, kind, retry_after) in [
        (401, "unauthorized", None),
        (404, "not-found", None),
        (405, "method-not-allowed", None),
        (422, "unprocessable-content", None),
        (429, "too-many-requests", Some("1")),
        (500, "internal-server-error", None),
        (502, "bad-gateway", None),
        (503, "service-unavailable", Some("1")),
        (504, "gateway-timeout", None),
    ] {
        let asked = format!("code={status}");
        let response = ask(&demo, Method::GET, &[&asked]).await;
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(header(&response, "preference-applied"), Some(asked.as_str()));
        assert_eq!(header(&response, "retry-after"), retry_after, "{status}");
        assert_eq!(header(&response, "content-type"), Some("application/problem+json"));
        assert_eq!(header(&response, "allow"), (status == 405).then_some("GET,HEAD"));
        let id = header(&response, "x-request-id").expect("an id").to_owned();
        let problem: Value = response.json().await.expect("JSON");
        assert_eq!(problem["type"], format!("urn:wearlab:problem:{kind}"));
        assert_eq!(problem["status"], status);
        assert_eq!(problem["request_id"], id);
        assert_eq!(problem["instance"], "/v2/user/");
    }
    let head = ask(&demo, Method::HEAD, &["code=503"]).await;
    assert_eq!(head.status(), 503);
    assert_eq!(header(&head, "preference-applied"), Some("code=503"));
}

#[tokio::test]
async fn an_answer_or_an_error_waits_as_long_as_asked() {
    let demo = Demo::start(&[]);
    for (preferences, status, applied) in [
        (&["delay=0.4"][..], 200, "delay=0.4"),
        (&["delay=0.4, code=429"], 429, "code=429, delay=0.4"),
        (&["respond-async; wait=1", "Delay=\"0.4\""], 200, "delay=0.4"),
    ] {
        let began = Instant::now();
        let response = ask(&demo, Method::GET, preferences).await;
        assert!(began.elapsed() >= Duration::from_millis(400), "{preferences:?}");
        assert_eq!(response.status(), status);
        assert_eq!(header(&response, "preference-applied"), Some(applied));
    }
}

#[tokio::test]
async fn an_invalid_fault_is_refused_and_other_preferences_are_ignored() {
    let demo = Demo::start(&[]);
    for preference in ["code=abc", "code=200", "code=999", "delay=-1", "delay=soon", "code"] {
        let response = ask(&demo, Method::GET, &[preference]).await;
        assert_eq!(response.status(), 422, "{preference}");
        assert_eq!(header(&response, "preference-applied"), None, "{preference}");
        let problem: Value = response.json().await.expect("JSON");
        assert_eq!(problem["errors"][0]["location"], "/header/Prefer", "{preference}");
    }
    let response = ask(&demo, Method::GET, &["return=minimal"]).await;
    assert_eq!(response.status(), 200);
    assert_eq!(header(&response, "preference-applied"), None);
    // The probes and unknown paths are unchanged.
    for (path, status) in [("/livez", 200), ("/nowhere", 404)] {
        let request = reqwest::Client::new().get(format!("{}{path}", demo.says("base_url")));
        let response = request.header("prefer", "code=503").send().await.expect("a response");
        assert_eq!(response.status(), status, "{path}");
    }
    // The management API has them as well, without a key.
    let pipelines = format!("{}/v1/org/o/team_etl_pipelines/sandbox/us", demo.says("management_url"));
    let request = reqwest::Client::new().get(pipelines).header("prefer", "code=503");
    assert_eq!(request.send().await.expect("a response").status(), 503);
}
