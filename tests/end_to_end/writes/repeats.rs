//! Repeated requests with an `Idempotency-Key`, and conditional requests.

use serde_json::{Value, json};
use wearlab_server::Operation;
use wearlab_tests::owners::owners;
use wearlab_tests::values::DOCUMENT;
use wearlab_tests::write_requests::WriteRequest;
use wearlab_tests::{Running, orders, writes};

use super::everything;

/// Returns whether the document declares a header parameter of an operation.
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
async fn what_can_be_read_is_changed_and_deleted_on_a_condition() {
    let without: Vec<_> = writes()
        .filter(|operation| operation.method != "POST" && !takes(operation, "If-Match"))
        .map(|operation| operation.id)
        .collect();
    assert_eq!(without, ["delete_link_token"], "a link token is only listed");
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
        // A connection is read in the list of its user's connections.
        let read = match id {
            "disconnect_provider" => {
                let (user, _) = request.url.rsplit_once('/').expect("a path");
                user.replace("/v2/user/", "/v2/user/providers/")
            }
            _ => request.url.clone(),
        };
        let read = wearlab_tests::http()
            .get(&read)
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

#[tokio::test]
async fn a_response_about_a_deleted_user_is_not_repeated() {
    let running = Running::start(5).await;
    let key = ("x-service-api-key", running.sample.team_api_key.as_str());
    let send = async |method: reqwest::Method, path: &str, repeat: &str, body: Option<&Value>| {
        let request = wearlab_tests::http()
            .request(method, format!("{}{path}", running.url))
            .header(key.0, key.1)
            .header("idempotency-key", repeat);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let response = request.send().await.expect("a response");
        let status = response.status().as_u16();
        (status, response.json::<Value>().await.expect("JSON"))
    };
    let post = reqwest::Method::POST;
    let new = json!({"client_user_id": "who leaves"});
    let (status, user) = send(post.clone(), "/v2/user/", "user", Some(&new)).await;
    assert_eq!(status, 201, "{user}");
    let user_id = user["user_id"].as_str().expect("an id");
    let order = orders::new(user_id.parse().expect("an id"), &running.sample.lab_test_id);
    let (status, ordered) = send(post.clone(), "/v3/order", "order", Some(&order)).await;
    assert_eq!(status, 201, "{ordered}");
    let order_path = format!("/v3/order/{}", ordered["order"]["id"].as_str().expect("an id"));
    let (url, cancel) = (format!("{order_path}/requisition/url"), format!("{order_path}/cancel"));
    let link = json!({ "user_id": user_id });
    let requests = [
        ("/v2/user/", "user", Some(&new)),
        ("/v3/order", "order", Some(&order)),
        ("/v2/link/token", "link", Some(&link)),
        (url.as_str(), "url", None),
        (cancel.as_str(), "cancel", None),
    ];
    for (path, repeat, body) in requests {
        let first = send(post.clone(), path, repeat, body).await;
        assert!(first.0 < 300, "{path}: {}", first.1);
        assert_eq!(send(post.clone(), path, repeat, body).await, first, "{path}");
    }
    let (status, _) = send(reqwest::Method::DELETE, &format!("/v2/user/{user_id}"), "none", None).await;
    assert_eq!(status, 200);
    for (path, repeat, body) in requests {
        let (status, problem) = send(post.clone(), path, repeat, body).await;
        assert_eq!(status, 422, "{path}: {problem}");
        assert_eq!(problem["errors"][0]["location"], "/header/Idempotency-Key", "{path}");
        assert!(!problem.to_string().contains("who leaves"), "{problem}");
    }
    // No repeat created the user again.
    assert_eq!(
        send(reqwest::Method::GET, "/v2/user/resolve/who%20leaves", "none", None)
            .await
            .0,
        404
    );
    let (status, again) = send(post, "/v2/user/", "another", Some(&new)).await;
    assert_eq!(status, 201, "{again}");
}
