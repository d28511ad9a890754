//! Duties of the router for every implementer: credentials, bounds, formats, problems.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::{Value, json};
use tower::ServiceExt;
use wearlab_server::{Partial, router};

use crate::in_memory;

const ID: &str = "00000000-0000-0000-0000-000000000001";

async fn send(method: &str, uri: &str, headers: &[(&str, &str)]) -> (StatusCode, HeaderMap, Value) {
    let api = in_memory::InMemory::with_users(3).expect("a back end");
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::empty()).expect("a request");
    let response = router(Arc::new(Partial(api)))
        .oneshot(request)
        .await
        .expect("a response");
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, 1 << 20).await.expect("a body");
    (
        parts.status,
        parts.headers,
        serde_json::from_slice(&body).unwrap_or(Value::Null),
    )
}

async fn get(uri: &str) -> (StatusCode, Value) {
    let (status, headers, body) = send("GET", uri, &[("x-service-api-key", "secret")]).await;
    assert!(headers.contains_key("x-request-id"));
    let json = if status.is_success() {
        "application/json"
    } else {
        "application/problem+json"
    };
    assert_eq!(headers["content-type"], json);
    (status, body)
}

/// The violations of a 422, as location and code.
async fn violations(uri: &str) -> Vec<(String, String)> {
    let (status, body) = get(uri).await;
    assert_eq!(status, 422, "{uri}: {body}");
    let text = |violation: &Value, key: &str| violation[key].as_str().unwrap_or_default().to_owned();
    let list = body["errors"].as_array().expect("a list of violations");
    assert!(list.iter().all(|violation| !text(violation, "message").is_empty()));
    list.iter()
        .map(|violation| (text(violation, "location"), text(violation, "code")))
        .collect()
}

fn found(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(location, code)| ((*location).to_owned(), (*code).to_owned()))
        .collect()
}

#[tokio::test]
async fn defaults_and_bounds_are_the_documents() {
    let (status, body) = get("/v2/user/").await;
    assert_eq!(
        (status, &body["offset"], &body["limit"]),
        (StatusCode::OK, &json!(0), &json!(100))
    );
    let (_, body) = get("/v2/user?limit=500&offset=2&unknown=1&unknown=2").await;
    assert_eq!(
        (&body["offset"], &body["limit"], &body["total"]),
        (&json!(2), &json!(500), &json!(3))
    );

    for (query, code) in [
        ("limit=501", "out_of_range"),
        ("limit=0", "out_of_range"),
        ("limit=-1", "out_of_range"),
        ("limit=99999999999999999999", "out_of_range"),
        ("limit=ten", "malformed"),
        ("limit=+5", "malformed"),
        ("limit=", "malformed"),
        ("limit=%FF", "malformed"),
        ("limit=5&limit=5", "repeated"),
    ] {
        assert_eq!(
            violations(&format!("/v2/user/?{query}")).await,
            found(&[("/query/limit", code)]),
            "{query}"
        );
    }
}

#[tokio::test]
async fn every_violation_is_reported_at_once() {
    assert_eq!(
        violations("/v2/user/?limit=0&offset=-1").await,
        found(&[("/query/offset", "out_of_range"), ("/query/limit", "out_of_range")])
    );
    assert_eq!(
        violations("/v3/lab_tests/x/markers?page=0&size=101&lab_account_id=1").await,
        found(&[
            ("/query/lab_account_id", "malformed"),
            ("/query/page", "out_of_range"),
            ("/query/size", "out_of_range")
        ])
    );
    let long = "x".repeat(201);
    assert_eq!(
        violations("/v3/insurance/search/diagnosis").await,
        found(&[("/query/diagnosis_query", "missing")])
    );
    assert_eq!(
        violations(&format!("/v3/insurance/search/diagnosis?diagnosis_query={long}")).await,
        found(&[("/query/diagnosis_query", "too_long")])
    );
    assert_eq!(
        violations("/v2/user/none").await,
        found(&[("/path/user_id", "malformed")])
    );
    assert_eq!(
        violations("/v2/user/%FF").await,
        found(&[("/path/user_id", "malformed")])
    );
}

#[tokio::test]
async fn open_enums_are_never_refused_and_closed_ones_are() {
    assert_eq!(get("/v2/link/provider/oauth/brand_new").await.0, 404);
    assert_eq!(
        get("/v2/providers?source_type=brand_new").await,
        (StatusCode::OK, json!([]))
    );
    let (status, _, body) = send(
        "GET",
        "/v1/org/o/team_etl_pipelines/staging/mars",
        &[("x-management-key", "secret")],
    )
    .await;
    assert_eq!(status, 422);
    assert_eq!(body["errors"][0]["location"], "/path/env");
    assert_eq!(body["errors"][1]["location"], "/path/region");
}

#[tokio::test]
async fn credentials_come_before_everything_else() {
    let user = format!("/v2/user/{ID}");
    let pipelines = "/v1/org/o/team_etl_pipelines/sandbox/eu";
    for (uri, headers, status) in [
        (user.as_str(), &[][..], 401),
        (&user, &[("x-service-api-key", "")], 401),
        (&user, &[("x-service-api-key", "wrong")], 401),
        (
            &user,
            &[("x-service-api-key", "secret"), ("x-service-api-key", "other")],
            401,
        ),
        (&user, &[("X-SERVICE-API-KEY", "secret")], 200),
        ("/v2/user/none", &[], 401),
        (pipelines, &[("x-service-api-key", "secret")], 401),
        (pipelines, &[("x-management-key", "secret")], 200),
        (pipelines, &[("x-service-org-key", "secret")], 200),
        (
            pipelines,
            &[("x-service-org-key", "secret"), ("x-management-key", "secret")],
            200,
        ),
        (
            pipelines,
            &[("x-service-org-key", "other"), ("x-management-key", "secret")],
            401,
        ),
        (
            "/v2/link/provider/oauth/stridewell",
            &[("x-service-link-token", "t")],
            401,
        ),
        (
            "/v2/link/provider/oauth/stridewell",
            &[("x-service-api-key", "secret")],
            404,
        ),
    ] {
        let (response, answer_headers, body) = send("GET", uri, headers).await;
        assert_eq!(response, status, "{uri} {headers:?}: {body}");
        if status == 401 {
            assert!(answer_headers.contains_key("www-authenticate"));
            assert_eq!(body["type"], "urn:wearlab:problem:unauthorized");
            let text = body.to_string();
            assert!(
                !text.contains("wrong") && !text.contains("secret"),
                "a response does not repeat a credential"
            );
        }
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_are_problems() {
    let (status, headers, body) = send("GET", "/v2/nothing", &[]).await;
    assert_eq!(status, 404);
    assert_eq!(headers["content-type"], "application/problem+json");
    assert_eq!(body["instance"], "/v2/nothing");
    assert_eq!(body["request_id"], headers["x-request-id"].to_str().expect("text"));

    let (status, headers, body) = send("PUT", "/v2/user/", &[("x-service-api-key", "secret")]).await;
    assert_eq!(status, 405);
    assert_eq!(headers["allow"], "GET,HEAD,POST");
    assert_eq!(body["status"], 405);

    let (status, headers, body) = send("HEAD", "/v2/user/", &[("x-service-api-key", "secret")]).await;
    assert_eq!((status, body), (StatusCode::OK, Value::Null));
    assert_eq!(headers["content-type"], "application/json");
}

#[tokio::test]
async fn problems_are_whole_wherever_they_are_answered() {
    use axum::response::IntoResponse;
    use wearlab_server::ApiError;

    let response = ApiError::too_many_requests(std::time::Duration::from_millis(1900)).into_response();
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    assert_eq!(response.headers()["retry-after"], "2", "nobody comes back too early");
    let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(
        body["type"], "about:blank",
        "the layer of the router knows the document"
    );
    assert_eq!(
        (&body["status"], &body["title"]),
        (&json!(429), &json!("Too Many Requests"))
    );

    let api = Arc::new(Partial(in_memory::InMemory::with_users(1).expect("a back end")));
    let nested = axum::Router::new().nest("/below", router(api));
    let request = Request::builder()
        .uri("/below/v2/nothing")
        .body(Body::empty())
        .expect("a request");
    let response = nested.oneshot(request).await.expect("a response");
    let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body["instance"], "/below/v2/nothing", "as it was asked for");
    assert_eq!(body["type"], "urn:wearlab:problem:not-found");
}

#[tokio::test]
async fn the_details_of_a_failure_stay_inside() {
    use axum::response::IntoResponse;
    use wearlab_server::ApiError;

    let response = ApiError::internal("the disk of host db-7 is full").into_response();
    assert_eq!(response.status(), 500);
    let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
    assert!(!String::from_utf8_lossy(&body).contains("db-7"));
}
