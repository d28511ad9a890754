//! Requests that are sent again with their `Idempotency-Key`, and conditional ones.

use serde_json::{Value, json};
use wearlab_server::Operation;
use wearlab_tests::owners::owners;
use wearlab_tests::values::DOCUMENT;
use wearlab_tests::write_requests::WriteRequest;
use wearlab_tests::{Running, writes};

use super::everything;

/// Whether the document has a header parameter of an operation.
fn takes(operation: &Operation, header: &str) -> bool {
    let method = operation.method.as_str().to_lowercase();
    let parameters = DOCUMENT["paths"][operation.path][method]["parameters"]
        .as_array()
        .cloned();
    parameters.unwrap_or_default().iter().any(|parameter| {
        let target = parameter["$ref"]
            .as_str()
            .and_then(|target| DOCUMENT.pointer(&target[1..]));
        target.unwrap_or(parameter)["name"] == header
    })
}

#[tokio::test]
async fn a_repeat_has_one_effect_and_the_same_response() {
    let running = Running::start(12).await;
    let owners = owners(&running).await;
    let owner = &owners[0];
    for operation in writes().filter(|operation| takes(operation, "Idempotency-Key")) {
        let id = operation.id;
        let request = WriteRequest::new(&running, owner, operation).await;
        let key = request.key(owner);
        let repeatable = [key, ("idempotency-key", id)];
        let first = request.with(&repeatable).send().await.expect("a response");
        assert!(first.status().is_success(), "{id}: {}", first.status());
        let (status, location) = (first.status(), first.headers().get("location").cloned());
        let body = first.bytes().await.expect("a body");
        let after = everything(&running).await;
        for _ in 0..3 {
            let again = request.with(&repeatable).send().await.expect("a response");
            assert_eq!(
                (again.status(), again.headers().get("location")),
                (status, location.as_ref()),
                "{id}"
            );
            assert_eq!(again.bytes().await.expect("a body"), body, "{id}");
        }
        assert_eq!(everything(&running).await, after, "{id}: a repeat changed something");
        // Another request with the same key.
        let other = WriteRequest::new(&running, owner, operation).await;
        if other.url == request.url && other.body == request.body {
            continue;
        }
        let before = everything(&running).await;
        let refused = other.with(&repeatable).send().await.expect("a response");
        assert_eq!(refused.status(), 422, "{id}");
        let problem: Value = refused.json().await.expect("JSON");
        assert_eq!(problem["errors"][0]["location"], "/header/Idempotency-Key", "{id}");
        assert_eq!(everything(&running).await, before, "{id}");
        for bad in ["", "with a space", &"x".repeat(256)] {
            let refused = other.with(&[key, ("idempotency-key", bad)]).send().await;
            assert_eq!(refused.expect("a response").status(), 422, "{id}: {bad:?}");
        }
    }
}

#[tokio::test]
async fn every_post_with_one_effect_is_repeatable() {
    let without: Vec<_> = writes()
        .filter(|operation| operation.method == "POST" && !takes(operation, "Idempotency-Key"))
        .map(|operation| operation.id)
        .collect();
    assert_eq!(without, Vec::<&str>::new(), "no POST can be sent twice by mistake");
}

#[tokio::test]
async fn a_write_with_another_entity_tag_changes_nothing() {
    let running = Running::start(12).await;
    let owners = owners(&running).await;
    let owner = &owners[0];
    for operation in writes().filter(|operation| takes(operation, "If-Match")) {
        let id = operation.id;
        let request = WriteRequest::new(&running, owner, operation).await;
        let key = request.key(owner);
        let before = everything(&running).await;
        for tag in ["\"another\"", "", "W/\"another\""] {
            let refused = request
                .with(&[key, ("if-match", tag)])
                .send()
                .await
                .expect("a response");
            assert_eq!(refused.status(), 412, "{id}: {tag:?}");
            let problem: Value = refused.json().await.expect("JSON");
            assert_eq!(
                problem["type"],
                json!("urn:wearlab:problem:precondition-failed"),
                "{id}"
            );
        }
        assert_eq!(everything(&running).await, before, "{id}");
        let read = wearlab_tests::http()
            .get(&request.url)
            .header(key.0, key.1)
            .send()
            .await
            .expect("a response");
        assert_eq!(read.status(), 200, "{id}: what has entity tags can be read");
        let tag = read.headers()["etag"].to_str().expect("text").to_owned();
        let stale = request
            .with(&[key, ("if-match", &format!("\"a\", {tag}"))])
            .send()
            .await
            .expect("a response");
        assert!(stale.status().is_success(), "{id}: {}", stale.status());
    }
}
