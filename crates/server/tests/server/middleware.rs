//! Middleware around the operations: request ids, entity tags, 304, HEAD, 406, panics, another header prefix.

use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::routing::get;
use axum::{Extension, Router};
use serde_json::Value;
use tower::ServiceExt;
use wearlab_server::{HeaderPrefix, Partial, finish, routes};

use crate::in_memory;

const KEY: (&str, &str) = ("x-service-api-key", "secret");

/// The example's operations, and one that panics.
fn router() -> Router {
    let api = in_memory::InMemory::with_users(3).expect("a back end");
    let panics = get(async || -> &'static str { panic!("the patient is called Ada") });
    finish(routes().route("/panics", panics), Arc::new(Partial(api)))
}

async fn send(router: Router, method: &str, uri: &str, headers: &[(&str, &str)]) -> (StatusCode, HeaderMap, Bytes) {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::empty()).expect("a request");
    let (parts, body) = router.oneshot(request).await.expect("a response").into_parts();
    (
        parts.status,
        parts.headers,
        to_bytes(body, 1 << 20).await.expect("a body"),
    )
}

#[tokio::test]
async fn a_sane_request_id_is_taken_and_any_other_is_replaced() {
    for (given, taken) in [
        ("5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11", true),
        ("trace:1.2_3", true),
        ("", false),
        ("two words", false),
        ("a\u{e9}", false),
        (&"x".repeat(65), false),
    ] {
        for path in ["/v2/nothing", "/v2/user/"] {
            let (status, headers, body) = send(router(), "GET", path, &[("x-request-id", given)]).await;
            let id = headers["x-request-id"].to_str().expect("text");
            assert_eq!(id == given, taken, "{given}");
            assert!(taken || id.starts_with("req_"));
            assert!(status.is_client_error());
            let body: Value = serde_json::from_slice(&body).expect("JSON");
            assert_eq!(body["request_id"], id);
        }
    }
    let twice = [("x-request-id", "a"), ("x-request-id", "b")];
    let (_, headers, _) = send(router(), "GET", "/v2/nothing", &twice).await;
    assert!(headers["x-request-id"].to_str().expect("text").starts_with("req_"));
}

#[tokio::test]
async fn an_entity_tag_saves_the_body() {
    let (status, headers, body) = send(router(), "GET", "/v2/user/", &[KEY]).await;
    assert_eq!(status, 200);
    let tag = headers["etag"].to_str().expect("text").to_owned();
    assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() == 34, "{tag}");

    let (_, other, _) = send(router(), "GET", "/v2/user/?limit=1", &[KEY]).await;
    assert_ne!(other["etag"], tag);
    let (status, head, nothing) = send(router(), "HEAD", "/v2/user/", &[KEY]).await;
    assert_eq!((status, nothing.len()), (StatusCode::OK, 0));
    assert_eq!(head["etag"], tag);
    assert_eq!(head["content-length"], body.len().to_string());
    assert_eq!(head["content-type"], headers["content-type"]);

    let weak = format!("W/{tag}");
    let list = format!("\"x\", {tag}");
    for method in ["GET", "HEAD"] {
        for known in [&*tag, &*weak, &*list, "*"] {
            let (status, headers, body) = send(router(), method, "/v2/user/", &[KEY, ("if-none-match", known)]).await;
            assert_eq!((status, body.len()), (StatusCode::NOT_MODIFIED, 0), "{known}");
            assert_eq!(headers["etag"], tag);
            for gone in ["content-type", "content-length", "content-encoding"] {
                assert!(!headers.contains_key(gone), "{gone}");
            }
        }
        let (status, ..) = send(router(), method, "/v2/user/", &[KEY, ("if-none-match", "\"x\"")]).await;
        assert_eq!(status, 200);
    }
    let (status, ..) = send(router(), "GET", "/v2/user/", &[("if-none-match", "*")]).await;
    assert_eq!(status, 401, "a tag opens nothing");
}

#[tokio::test]
async fn a_caller_who_takes_no_json_is_reported_in_json() {
    let (status, headers, body) = send(router(), "GET", "/v2/user/", &[KEY, ("accept", "text/html")]).await;
    assert_eq!(status, 406);
    assert_eq!(headers["content-type"], "application/problem+json");
    assert_eq!(headers["vary"], "accept");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body["type"], "urn:wearlab:problem:not-acceptable");
    assert!(!headers.contains_key("etag"));
    let (status, ..) = send(router(), "GET", "/v2/user/", &[KEY, ("accept", "text/html, */*;q=0.1")]).await;
    assert_eq!(status, 200);
    let (status, ..) = send(router(), "GET", "/v2/user/", &[("accept", "text/html")]).await;
    assert_eq!(status, 401, "an error is not hidden behind another");
}

#[tokio::test]
async fn a_panic_is_a_problem_that_says_nothing_of_it() {
    let (status, headers, body) = send(router(), "GET", "/panics", &[]).await;
    assert_eq!(status, 500);
    assert_eq!(headers["content-type"], "application/problem+json");
    assert_eq!(headers["cache-control"], "no-store");
    let text = String::from_utf8(body.to_vec()).expect("text");
    assert!(!text.contains("Ada"), "{text}");
    let body: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(body["request_id"], headers["x-request-id"].to_str().expect("text"));
}

#[tokio::test]
async fn another_prefix_replaces_the_documents() {
    let router = || router().layer(Extension(HeaderPrefix::new("acme").expect("a prefix")));
    let pipelines = "/v1/org/o/team_etl_pipelines/sandbox/eu";
    for (uri, header, status) in [
        ("/v2/user/", "x-acme-api-key", 200),
        ("/v2/user/", "x-service-api-key", 401),
        (pipelines, "x-acme-org-key", 200),
        (pipelines, "x-management-key", 200),
        (pipelines, "x-service-org-key", 401),
    ] {
        let (response, _, body) = send(router(), "GET", uri, &[(header, "secret")]).await;
        assert_eq!(response, status, "{uri} {header}");
        let text = String::from_utf8_lossy(&body);
        assert!(!text.contains("x-service-"), "{text}");
        assert!(
            status == 200 || uri == pipelines || text.contains("x-acme-api-key"),
            "{text}"
        );
    }
}
