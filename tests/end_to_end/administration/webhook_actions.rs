//! Actions on webhook endpoints: tests with a real receiver, rotation of secrets, and enabling.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use wearlab_http::settings::HttpSettings;
use wearlab_tests::{Running, values};

use super::Admin;
use super::receiver::Receiver;
use super::webhooks::{path, text};

/// Adds a disabled endpoint, at a host that does not exist.
async fn disabled(running: &Running) -> &'static str {
    let mut webhook = values::webhook(running.sample.team_id, "wh_disabled");
    webhook.disabled = Some("responded 410".to_owned());
    let put = running.store.write(|write| write.put_webhook(&webhook));
    put.await.expect("a webhook");
    "wh_disabled"
}

#[tokio::test]
async fn a_test_event_is_signed_and_its_outcome_returned() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let (receiver, path) = (Receiver::start().await, path(&running));
    let created = admin.post(&path, &json!({"url": receiver.url()})).await.ok(201);
    let test = format!("{path}/{}/test", text(&created, "webhook_id"));
    let passed = admin.repeatable(&test, "test", &Value::Null).await.ok(200);
    assert_eq!((&passed["delivered"], &passed["status"]), (&json!(true), &json!(204)));
    assert!(
        passed["duration_ms"].is_u64() && passed.get("reason").is_none(),
        "{passed}"
    );
    let [delivered] = &receiver.delivered()[..] else {
        panic!("one event")
    };
    assert!(delivered.is_signed(text(&created, "secret")));
    let event = delivered.event();
    assert_eq!(event["event_type"], "webhook.test");
    assert_eq!(event["data"]["webhook_id"], created["webhook_id"]);
    assert_eq!(event["team_id"], created["team_id"]);

    // A repeat does not send it again.
    assert_eq!(admin.repeatable(&test, "test", &Value::Null).await.ok(200), passed);
    assert_eq!(receiver.delivered().len(), 1);

    receiver.respond(503);
    let failed = admin.post(&test, &Value::Null).await.ok(200);
    assert_eq!((&failed["delivered"], &failed["status"]), (&json!(false), &json!(503)));
    assert_eq!(failed["reason"], "responded 503");
    receiver.respond(410);
    let gone = admin.post(&test, &Value::Null).await.ok(200);
    assert_eq!((&gone["delivered"], &gone["status"]), (&json!(false), &json!(410)));
    // The host does not exist, and the webhook is disabled. It can still be tested.
    let nobody = format!("{path}/{}/test", disabled(&running).await);
    let failed = admin.post(&nobody, &Value::Null).await.ok(200);
    assert_eq!(failed["delivered"], false);
    assert!(failed.get("status").is_none(), "{failed}");
    let log = admin.get("/audit_log").await.ok(200);
    for shown in [passed, failed, gone, log] {
        assert!(!shown.to_string().contains("a-secret-path"), "{shown}");
        assert!(!shown.to_string().contains("a secret of the receiver"), "{shown}");
    }
}

#[tokio::test]
async fn both_secrets_sign_after_a_rotation() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let (receiver, path) = (Receiver::start().await, path(&running));
    let created = admin.post(&path, &json!({"url": receiver.url()})).await.ok(201);
    let own = format!("{path}/{}", text(&created, "webhook_id"));
    let rotate = format!("{own}/rotate_secret");
    let second = admin.repeatable(&rotate, "once", &Value::Null).await.ok(200);
    assert_eq!(admin.repeatable(&rotate, "once", &Value::Null).await.ok(200), second);
    admin.post(&format!("{own}/test"), &Value::Null).await.ok(200);
    let third = admin.post(&rotate, &Value::Null).await.ok(200);
    admin.post(&format!("{own}/test"), &Value::Null).await.ok(200);
    let secrets = [&created, &second, &third].map(|shown| text(shown, "secret"));
    let signed: Vec<_> = receiver
        .delivered()
        .iter()
        .map(|delivered| secrets.map(|secret| delivered.is_signed(secret)))
        .collect();
    assert_eq!(signed, [[true, true, false], [false, true, true]]);
}

#[tokio::test]
async fn enabling_needs_a_url_that_is_allowed() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let own = format!("{}/{}", path(&running), disabled(&running).await);
    assert_eq!(admin.get(&own).await.ok(200)["disabled"], "responded 410");
    let enabled = admin.post(&format!("{own}/enable"), &Value::Null).await.ok(200);
    assert!(enabled.get("disabled").is_none(), "{enabled}");
    assert_eq!(admin.get(&own).await.ok(200), enabled);
    let mut webhook = values::webhook(running.sample.team_id, "wh_disabled");
    webhook.url = "http://10.0.0.1/hush".to_owned();
    let put = running.store.write(|write| write.put_webhook(&webhook));
    put.await.expect("a webhook");
    let refused = admin.post(&format!("{own}/enable"), &Value::Null).await;
    assert_eq!(refused.locations(), ["/path/webhook_id"]);
    assert!(!refused.body.to_string().contains("hush"), "{}", refused.body);
    let tested = admin.post(&format!("{own}/test"), &Value::Null).await.ok(200);
    assert_eq!(tested["delivered"], false);
    assert!(text(&tested, "reason").contains("not a public address"), "{tested}");
}

/// Other requests have a time limit of one second.
#[tokio::test]
async fn a_receiver_that_does_not_respond_is_waited_for_and_reported() {
    let mut http = HttpSettings::default();
    http.timeouts.handler = Duration::from_secs(1);
    let running = Running::start_http(5, http).await;
    let admin = Admin::of(&running);
    let silent = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let url = format!("http://{}/", silent.local_addr().expect("an address"));
    let path = path(&running);
    let created = admin.post(&path, &json!({"url": url})).await.ok(201);
    let test = format!("{path}/{}/test", text(&created, "webhook_id"));
    let failed = admin.repeatable(&test, "silent", &Value::Null).await.ok(200);
    assert_eq!(failed["delivered"], false);
    assert!(text(&failed, "reason").contains("no response within"), "{failed}");
    let again = admin.repeatable(&test, "silent", &Value::Null).await.ok(200);
    assert_eq!(again, failed, "a repeat sends nothing");
}
