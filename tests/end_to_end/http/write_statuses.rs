//! Statuses of operations that write: each status of the document is provoked, and there is no other.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wearlab_http::settings::{HttpSettings, Limits, RateLimit, Timeouts};
use wearlab_service::Settings;
use wearlab_tests::owners::owners;
use wearlab_tests::values::DOCUMENT;
use wearlab_tests::write_requests::WriteRequest;
use wearlab_tests::{Running, writes};

use super::odd::{KEY, Served};
use super::statuses::{Seen, declared, raw};
use super::{RawResponse, TIMEOUT};

/// Sends a request with another URL or body.
async fn send(request: &WriteRequest, url: &str, body: Option<&Value>, headers: &[(&str, &str)]) -> RawResponse {
    let client = wearlab_tests::http();
    let mut sent = client.request(request.operation.method.clone(), url);
    if let Some(body) = body {
        sent = sent.json(body);
    }
    // Given headers replace those of the body.
    let fields = headers.iter().map(|(name, value)| {
        let name: axum::http::HeaderName = name.parse().expect("a name");
        (name, axum::http::HeaderValue::from_str(value).expect("a value"))
    });
    let response = sent.headers(fields.collect()).send().await.expect("a response");
    RawResponse {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.bytes().await.expect("a body").to_vec(),
    }
}

#[tokio::test]
async fn every_status_of_a_write_is_provoked_and_no_other() {
    let timeouts = Timeouts {
        body: Duration::from_millis(300),
        ..Timeouts::default()
    };
    let quick = HttpSettings {
        timeouts,
        ..HttpSettings::default()
    };
    let running = Running::start_http(12, quick).await;
    let one = NonZeroU32::MIN;
    let mut limited = Settings::default();
    limited.rate_limit = Some(RateLimit {
        per_second: one,
        burst: one,
    });
    let limited = Running::start_with(12, limited).await;
    let full = Served::start(HttpSettings {
        limits: Limits {
            requests: 1,
            ..Limits::default()
        },
        timeouts: Timeouts {
            handler: Duration::from_secs(3600),
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    })
    .await;
    let slow = wearlab_tests::http()
        .get(full.slow(3_600_000))
        .header(KEY.0, KEY.1)
        .send();
    let endless = tokio::spawn(async move { slow.await.map(drop) });

    let (owners, limited_owners) = (owners(&running).await, owners(&limited).await);
    let reading = running.keys_that_only_read().await;
    let long = "x".repeat(16_385);
    for operation in writes() {
        let (id, method) = (operation.id, operation.method.as_str());
        let request = WriteRequest::new(&running, &owners[0], operation).await;
        let key = request.key(&owners[0]);
        let path = request.url.strip_prefix(&running.url).expect("a path");
        let body = request.body.as_ref();
        let head = |path: &str, fields: &str| format!("{method} {path} HTTP/1.1\r\nhost: h\r\n{fields}\r\n");
        let declared = declared(operation);
        let has = |status: &str| declared.contains(status);
        let mut seen = Seen::of(operation);
        let no_host = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n\r\n");
        seen.note(400, &raw(&running.url, no_host).await);
        seen.note(401, &send(&request, &request.url, body, &[]).await);
        let other = reading[usize::from(key.0 == "x-management-key")];
        seen.note(403, &send(&request, &request.url, body, &[(key.0, other)]).await);
        if let Some(nothing) = &request.of_nothing {
            seen.note(404, &send(&request, nothing, body, &[key]).await);
        }
        if let Some(nothing) = &request.body_of_nothing {
            seen.note(404, &send(&request, &request.url, Some(nothing), &[key]).await);
        }
        let wrong = wearlab_tests::http().request("TRACE".parse().expect("a method"), &request.url);
        let wrong = wrong.header(key.0, key.1).send().await.expect("a response");
        let wrong = RawResponse {
            status: wrong.status().as_u16(),
            headers: wrong.headers().clone(),
            body: wrong.bytes().await.expect("a body").to_vec(),
        };
        seen.note(405, &wrong);
        let cut = format!(
            "{}: {}\r\ncontent-type: application/json\r\ncontent-length: 1\r\n",
            key.0, key.1
        );
        seen.note(408, &raw(&running.url, head(path, &cut)).await);
        if let Some(too_late) = &request.too_late {
            seen.note(409, &send(&request, too_late, body, &[key]).await);
        } else if request.conflicting.is_some() || has("409") {
            let body = request.conflicting.as_ref().or(body);
            seen.note(409, &send(&request, &request.url, body, &[key]).await);
        }
        if has("412") {
            seen.note(
                412,
                &send(&request, &request.url, body, &[key, ("if-match", "\"none\"")]).await,
            );
        }
        let large = "content-type: application/json\r\ncontent-length: 65537\r\n";
        seen.note(413, &raw(&running.url, head(path, large)).await);
        let query = format!("{}?{}", request.url, &long[..8192]);
        seen.note(414, &send(&request, &query, body, &[key]).await);
        let has_body = !DOCUMENT["paths"][operation.path][method.to_lowercase()]["requestBody"].is_null();
        if has_body {
            let text = [key, ("content-type", "text/plain")];
            seen.note(
                415,
                &send(&request, &request.url, body.or(Some(&json!({}))), &text).await,
            );
            let unknown = json!({ "no_member_of_this": 1 });
            seen.note(422, &send(&request, &request.url, Some(&unknown), &[key]).await);
        }
        if let Some(invalid) = &request.invalid {
            seen.note(422, &send(&request, invalid, body, &[key]).await);
        }
        if has("422") && !has_body && request.invalid.is_none() {
            seen.note(
                422,
                &send(&request, &request.url, body, &[key, ("idempotency-key", "a b")]).await,
            );
        }
        seen.note(
            431,
            &send(&request, &request.url, body, &[key, ("x-long", &long)]).await,
        );

        let refused = WriteRequest::new(&limited, &limited_owners[0], operation).await;
        let begun = Instant::now();
        let refused = loop {
            let headers = [refused.key(&limited_owners[0]), ("if-match", "\"none\"")];
            let response = send(&refused, &refused.url, None, &headers).await;
            if response.status == 429 {
                break response;
            }
            assert!(begun.elapsed() < TIMEOUT, "{id}: there is no rate limit");
        };
        seen.note(429, &refused);
        let begun = Instant::now();
        let shed = loop {
            let response = send(&request, &format!("{}{path}", full.url), None, &[(key.0, "any")]).await;
            if response.status == 503 {
                break response;
            }
            assert!(begun.elapsed() < TIMEOUT, "{id}: there is no bound on requests");
        };
        seen.note(503, &shed);
        // A valid request without an acceptable response type is not executed.
        if has("406") {
            seen.note(
                406,
                &send(&request, &request.url, body, &[key, ("accept", "text/html")]).await,
            );
        }
        let again = WriteRequest::new(&running, &owners[0], operation).await;
        let good = send(&again, &again.url, again.body.as_ref(), &[key]).await;
        seen.note(good.status, &good);
        seen.check();
    }
    endless.abort();
}
