//! Statuses of streams: those of the document, and no others.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use wearlab_client::{Client, Error, RetryPolicy};
use wearlab_http::settings::RateLimit;
use wearlab_server::Operation;
use wearlab_service::Settings;
use wearlab_tests::values::DOCUMENT;
use wearlab_tests::{Running, streams};

const KIND: (&str, &str) = ("content-type", "application/x-ndjson");

/// Returns the declared statuses of an operation.
fn declared(operation: &Operation) -> BTreeSet<u16> {
    let responses = &DOCUMENT["paths"][operation.path]["post"]["responses"];
    let statuses = responses.as_object().expect("responses").keys();
    statuses.map(|status| status.parse().expect("a number")).collect()
}

async fn status(
    running: &Running,
    operation: &Operation,
    headers: &[(&str, &str)],
    body: impl Into<reqwest::Body>,
) -> u16 {
    let address = format!("{}{}", running.management_url, operation.path);
    let mut request = wearlab_tests::http()
        .request(operation.method.clone(), address)
        .body(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.expect("a response");
    let status = response.status();
    let kind = response
        .headers()
        .get("content-type")
        .map(|kind| kind.to_str().expect("text").to_owned());
    let expected = if status.is_success() {
        "application/x-ndjson"
    } else {
        "application/problem+json"
    };
    assert_eq!(kind.as_deref(), Some(expected), "{status}");
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert!(response.headers().contains_key("x-request-id") && !response.headers().contains_key("etag"));
    assert!(
        !response.headers().contains_key("content-encoding"),
        "lines do not wait in a compressor"
    );
    status.as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_status_that_the_document_has_is_provoked_and_no_other() {
    let running = Running::start(5).await;
    let mut settings = Settings::default();
    let one = NonZeroU32::MIN;
    settings.rate_limit = Some(RateLimit {
        per_second: one,
        burst: one,
    });
    let limited = Running::start_with(5, settings).await;
    let key = ("x-service-api-key", running.sample.team_api_key.as_str());
    let long = "x".repeat(16_385);
    for operation in streams() {
        let mut seen = BTreeSet::new();
        seen.insert(
            status(
                &running,
                operation,
                &[key, KIND, ("accept-encoding", "gzip, zstd")],
                "\n".repeat(5000),
            )
            .await,
        );
        seen.insert(status(&running, operation, &[KIND], "{}").await);
        // A key that only reads, with a body that is not read meanwhile, and that exceeds all buffers.
        let reader = "wl_team_that_reads";
        let record = wearlab_store::KeyRecord::of_team(running.sample.team_id, reader);
        running
            .store
            .write(|write| write.put_key(&record))
            .await
            .expect("a key");
        seen.insert(
            status(
                &running,
                operation,
                &[("x-service-api-key", reader), KIND],
                vec![b'x'; 900_000],
            )
            .await,
        );
        seen.insert(status(&running, operation, &[key, ("content-type", "text/plain")], "{}").await);
        seen.insert(status(&running, operation, &[key, KIND, ("accept", "text/html")], "{}").await);
        seen.insert(status(&running, operation, &[key, KIND, ("x-long", &long)], "{}").await);
        if declared(operation).contains(&422) {
            let wrong = wearlab_tests::http()
                .post(format!("{}{}?strict=maybe", running.management_url, operation.path))
                .header(key.0, key.1)
                .header(KIND.0, KIND.1);
            seen.insert(wrong.send().await.expect("a response").status().as_u16());
        }
        let vast = format!("{}?{}", operation.path, &long[..8192]);
        seen.insert(
            wearlab_tests::http()
                .post(format!("{}{vast}", running.management_url))
                .send()
                .await
                .expect("a response")
                .status()
                .as_u16(),
        );
        let got = wearlab_tests::http()
            .get(format!("{}{}", running.management_url, operation.path))
            .send()
            .await
            .expect("a response");
        assert_eq!(got.headers()["allow"], "POST");
        seen.insert(got.status().as_u16());
        let mut last = 200;
        while last == 200 {
            last = status(&limited, operation, &[key, KIND], "").await;
        }
        seen.insert(last);
        // 400 without a Host, 503 without a store or with too many requests, 500 after a panic: the same for every
        // operation, and covered in `http`.
        seen.extend([400, 500, 503]);
        assert_eq!(seen, declared(operation), "{}", operation.id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_without_the_scope_is_a_403_whatever_else_it_may() {
    let running = Running::start(5).await;
    let keys = |scopes: &[&str]| {
        let scopes: wearlab_store::KeyScopes = scopes.iter().map(|scope| scope.parse().expect("a scope")).collect();
        scopes
    };
    for (operation, lacking, missing) in [
        ("ingest", keys(&["read", "write", "admin"]), "ingest"),
        ("import", keys(&["read", "write", "ingest"]), "admin"),
    ] {
        let key = format!("wl_team_without_{missing}");
        let record = wearlab_store::KeyRecord {
            scopes: Some(lacking),
            ..wearlab_store::KeyRecord::of_team(running.sample.team_id, &key)
        };
        running
            .store
            .write(|write| write.put_key(&record))
            .await
            .expect("a key");
        let client = Client::builder()
            .base_url(&running.url)
            .management_url(&running.management_url)
            .api_key(&key)
            .retry(RetryPolicy::none())
            .build()
            .expect("a client");
        let outcome = match operation {
            "ingest" => client.ingest_arrivals("x\n".repeat(100_000)).send().await.map(drop),
            _ => client.import_records("x\n".repeat(100_000)).send().await.map(drop),
        };
        let error = outcome.expect_err("a 403");
        assert_eq!(error.status().map(|status| status.as_u16()), Some(403), "{error}");
        assert!(!matches!(error, Error::Decoding { .. }), "{error}");
    }
}
