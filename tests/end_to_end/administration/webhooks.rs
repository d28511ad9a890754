//! Endpoints of webhooks: made, changed and removed, and their secrets shown once.

use serde_json::{Value, json};
use wearlab_tests::Running;

use super::Admin;

fn webhooks(running: &Running) -> String {
    format!("/teams/{}/webhooks", running.sample.team_id)
}

#[tokio::test]
async fn an_endpoint_is_created_changed_and_deleted() {
    let running = Running::start(3).await;
    let (admin, all) = (Admin::of(&running), webhooks(&running));
    let body = json!({"url": "https://hooks.example.com/a-secret-path", "event_type_prefixes": ["daily."]});
    let created = admin.post(&all, &body).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let (location, created) = (created.location().to_owned(), created.body);
    let id = created["webhook_id"].as_str().expect("an id");
    assert!(location.ends_with(&format!("{all}/{id}")), "{location}");
    let secret = created["secret"].as_str().expect("a secret");
    assert!(secret.starts_with("whsec_"));

    let read = admin.get(&location).await.ok(200);
    assert_eq!(read["url"], "https://hooks.example.com/****");
    assert_eq!(read["event_type_prefixes"], json!(["daily."]));
    let list = admin.get(&all).await.ok(200);
    let listed = list["webhooks"].as_array().expect("a list");
    assert!(listed.contains(&read), "{list}");
    for shown in [&read, &list] {
        assert!(
            !shown.to_string().contains(secret) && !shown.to_string().contains("a-secret-path"),
            "{shown}"
        );
    }

    // What reads show is no change.
    let kept = admin
        .patch(&location, &json!({"url": read["url"], "event_type_prefixes": []}))
        .await
        .ok(200);
    assert_eq!((&kept["url"], &kept["event_type_prefixes"]), (&read["url"], &json!([])));
    let stored = running.store.webhooks().await.expect("reads");
    let stored = stored
        .iter()
        .find(|webhook| webhook.webhook_id == id)
        .expect("the webhook");
    assert_eq!(stored.url, "https://hooks.example.com/a-secret-path");
    let moved = admin
        .patch(&location, &json!({"url": "https://other.example.com/"}))
        .await
        .ok(200);
    assert_eq!(moved["url"], "https://other.example.com/");

    let rotated = admin
        .post(&format!("{location}/rotate_secret"), &Value::Null)
        .await
        .ok(200);
    assert_ne!(rotated["secret"], *secret);
    assert!(rotated["earlier_until"].is_string());
    assert_eq!(admin.delete(&location).await.status, 204);
    assert_eq!(admin.get(&location).await.status, 404);
    assert_eq!(admin.delete(&location).await.status, 404);
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_its_place() {
    let running = Running::start(3).await;
    let (admin, all) = (Admin::of(&running), webhooks(&running));
    for (body, location) in [
        (json!({}), "/body/url"),
        (json!({"url": "http://hooks.example.com/"}), "/body/url"),
        (json!({"url": "https://127.0.0.1/"}), "/body/url"),
        (json!({"url": "nowhere"}), "/body/url"),
        (json!({"url": "https://hooks.example.com/****"}), "/body/url"),
        (
            json!({"url": "https://hooks.example.com/", "event_type_prefixes": ["ok", " "]}),
            "/body/event_type_prefixes/1",
        ),
        (
            json!({"url": "https://hooks.example.com/", "secret": "mine"}),
            "/body/secret",
        ),
    ] {
        let refused = admin.post(&all, &body).await;
        assert_eq!(refused.locations(), [location], "{body}");
    }
    let webhook = format!("{all}/{}", wearlab_tests::values::webhook_of(running.sample.team_id));
    let refused = admin
        .patch(&webhook, &json!({"url": "http://hooks.example.com/"}))
        .await;
    assert_eq!(refused.locations(), ["/body/url"]);
}

#[tokio::test]
async fn a_disabled_endpoint_is_enabled_and_a_test_says_what_came_of_it() {
    let running = Running::start(3).await;
    let (admin, all) = (Admin::of(&running), webhooks(&running));
    let mut webhook = wearlab_tests::values::webhook(running.sample.team_id, "wh_gone");
    webhook.disabled = Some("responded 410".to_owned());
    let put = running.store.write(|write| write.put_webhook(&webhook));
    put.await.expect("a webhook");
    let read = admin.get(&format!("{all}/wh_gone")).await.ok(200);
    assert_eq!(read["disabled"], "responded 410");
    let enabled = admin.post(&format!("{all}/wh_gone/enable"), &Value::Null).await.ok(200);
    assert!(enabled["disabled"].is_null(), "{enabled}");
    // Its host does not exist.
    let tested = admin.post(&format!("{all}/wh_gone/test"), &Value::Null).await.ok(200);
    assert_eq!(tested["delivered"], false, "{tested}");
    let reason = tested["reason"].as_str().expect("a reason");
    assert!(!reason.contains("a-secret-path"), "{reason}");
}
