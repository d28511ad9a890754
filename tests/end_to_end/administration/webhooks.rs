//! Webhook endpoints: created, listed, changed and deleted, with hidden secrets and URLs.

use serde_json::{Value, json};
use wearlab_models::{NewWebhookEndpoint, Secret, Uuid, WebhookEndpointChanges};
use wearlab_tests::{Running, values};

use super::receiver::{PATH, Receiver};
use super::{Admin, is_in_files};

/// Returns the path of the webhooks of the sample's team.
pub(super) fn path(running: &Running) -> String {
    format!("/teams/{}/webhooks", running.sample.team_id)
}

pub(super) fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().expect("text")
}

#[tokio::test]
async fn a_secret_is_shown_once_and_the_path_of_the_url_never() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let (receiver, path) = (Receiver::start().await, path(&running));
    let new = json!({"url": receiver.url(), "event_type_prefixes": ["daily.data."]});
    let created = admin.repeatable(&path, "once", &new).await;
    let location = created.location().to_owned();
    let mut created = created.ok(201);
    let secret = text(&created, "secret").to_owned();
    assert!(secret.starts_with("whsec_"));
    assert_eq!(created["url"], receiver.masked());
    assert_eq!(
        location,
        admin.path(&format!("{path}/{}", text(&created, "webhook_id")))
    );
    let again = admin.repeatable(&path, "once", &new).await.ok(201);
    assert_eq!(again, created, "a repeat has the same secret");

    created.as_object_mut().expect("an object").remove("secret");
    assert_eq!(admin.get(&location).await.ok(200), created);
    let list = admin.get(&path).await.ok(200);
    assert_eq!(list["webhooks"].as_array().map(Vec::len), Some(2), "{list}");
    assert!(list["webhooks"].as_array().expect("a list").contains(&created));
    let rotated = admin
        .post(&format!("{location}/rotate_secret"), &Value::Null)
        .await
        .ok(200);
    let newer = text(&rotated, "secret").to_owned();
    assert_ne!(newer, secret);
    let changed = admin
        .patch(&location, &json!({"event_type_prefixes": []}))
        .await
        .ok(200);
    let log = admin.get("/audit_log").await.ok(200);
    for shown in [admin.get(&location).await.ok(200), list, changed, log] {
        for hidden in [secret.as_str(), &newer, PATH, "a-secret-path"] {
            assert!(!shown.to_string().contains(hidden), "{shown}");
        }
    }
    // The kept response is encrypted. The store itself is, if it has a key.
    assert!(is_in_files(&running, text(&created, "webhook_id")));
}

#[tokio::test]
async fn neither_secrets_nor_urls_show_in_debug() {
    let running = Running::start(5).await;
    let url = Secret::new("https://hooks.example.com/hush");
    let new = NewWebhookEndpoint::builder().url(url.clone()).build();
    assert!(!format!("{new:?}").contains("hush"));
    let changes = WebhookEndpointChanges::builder().url(url).build();
    assert!(!format!("{changes:?}").contains("hush"));
    let (client, sample) = (running.client(), &running.sample);
    let created = client.create_webhook(&sample.org_id, sample.team_id, new).send().await;
    let created = created.expect("a webhook");
    let rotated = client
        .rotate_webhook_secret(&sample.org_id, sample.team_id, &created.webhook_id)
        .send()
        .await
        .expect("a secret");
    let shown = format!("{created:?} {rotated:?}");
    assert!(!shown.contains("whsec_") && !shown.contains("hush"), "{shown}");
}

#[tokio::test]
async fn changes_keep_what_is_not_sent() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let (receiver, other) = (Receiver::start().await, Receiver::start().await);
    let path = path(&running);
    let created = admin.post(&path, &json!({"url": receiver.url()})).await.ok(201);
    let own = format!("{path}/{}", text(&created, "webhook_id"));
    let test = format!("{own}/test");
    // The masked URL of a read keeps the stored one.
    let mut shown = admin.get(&own).await.ok(200);
    shown["event_type_prefixes"] = json!(["provider."]);
    let sent = json!({"url": shown["url"], "event_type_prefixes": ["provider."]});
    assert_eq!(admin.patch(&own, &sent).await.ok(200), shown);
    assert_eq!(admin.post(&test, &Value::Null).await.ok(200)["delivered"], true);
    assert_eq!(receiver.delivered().len(), 1);
    assert_eq!(admin.patch(&own, &json!({})).await.ok(200), shown);

    let moved = admin.patch(&own, &json!({"url": other.url()})).await.ok(200);
    assert_eq!(
        (&moved["url"], &moved["event_type_prefixes"]),
        (&json!(other.masked()), &json!(["provider."]))
    );
    admin.post(&test, &Value::Null).await.ok(200);
    let [delivered] = &other.delivered()[..] else {
        panic!("one event")
    };
    assert!(delivered.is_signed(text(&created, "secret")));
    // The mask of another URL is invalid.
    let masked = admin.patch(&own, &json!({"url": receiver.masked()})).await;
    assert_eq!(masked.locations(), ["/body/url"]);
    admin.delete(&own).await.ok(204);
    assert_eq!(admin.get(&own).await.status, 404);
}

#[tokio::test]
async fn what_is_wrong_is_named_with_its_place() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let path = path(&running);
    let own = format!("{path}/{}", values::webhook_of(running.sample.team_id));
    for (body, location) in [
        (json!({"url": "nonsense"}), "/body/url"),
        (json!({"url": "ftp://hooks.example.com"}), "/body/url"),
        (json!({"url": "https://10.0.0.1/hook"}), "/body/url"),
        (json!({"url": "https://hooks.example.com/****"}), "/body/url"),
        (json!({"url": ""}), "/body/url"),
        (json!({"url": "x".repeat(2049)}), "/body/url"),
        (
            json!({"url": "https://hooks.example.com", "event_type_prefixes": ["daily.", " "]}),
            "/body/event_type_prefixes/1",
        ),
        (
            json!({"url": "https://hooks.example.com", "event_type_prefixes": ["a\nb"]}),
            "/body/event_type_prefixes/0",
        ),
        (
            json!({"url": "https://hooks.example.com", "secret": "mine"}),
            "/body/secret",
        ),
    ] {
        for refused in [admin.post(&path, &body).await, admin.patch(&own, &body).await] {
            assert_eq!(refused.locations(), [location], "{body}");
            assert!(!refused.body.to_string().contains("hooks.example"), "{}", refused.body);
        }
    }
    assert_eq!(admin.post(&path, &json!({})).await.locations(), ["/body/url"]);
    // All errors are reported together.
    let body = json!({"url": "nonsense", "event_type_prefixes": [" ", "daily.", "\n"]});
    for refused in [admin.post(&path, &body).await, admin.patch(&own, &body).await] {
        let locations = ["url", "event_type_prefixes/0", "event_type_prefixes/2"];
        assert_eq!(refused.locations(), locations.map(|field| format!("/body/{field}")));
    }
}

#[tokio::test]
async fn a_webhook_is_its_teams_alone() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let sister = running.sample.other_team.team_id;
    for team in [sister, Uuid::nil()] {
        let own = format!("/teams/{team}/webhooks/{}", values::webhook_of(running.sample.team_id));
        assert_eq!(admin.get(&own).await.status, 404);
        assert_eq!(admin.patch(&own, &json!({})).await.status, 404);
        assert_eq!(admin.delete(&own).await.status, 404);
        for step in ["test", "rotate_secret", "enable"] {
            let answer = admin.post(&format!("{own}/{step}"), &Value::Null).await;
            assert_eq!(answer.status, 404, "{step}");
        }
    }
    let own = format!("/teams/{sister}/webhooks");
    admin
        .delete(&format!("{own}/{}", values::webhook_of(sister)))
        .await
        .ok(204);
    let empty = admin.get(&own).await.ok(200);
    assert_eq!(empty, json!({"webhooks": [], "next_cursor": null}));
}

#[tokio::test]
async fn pages_follow_each_other() {
    let running = Running::start(5).await;
    let admin = Admin::of(&running);
    let path = path(&running);
    for number in 0..4 {
        let new = json!({"url": format!("https://hooks.example.com/{number}")});
        admin.post(&path, &new).await.ok(201);
    }
    let all = admin.get(&path).await.ok(200);
    let (mut seen, mut next) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("{path}?limit=2{next}")).await.ok(200);
        seen.extend(page["webhooks"].as_array().expect("a list").clone());
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("&next_cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(json!(seen), all["webhooks"]);
    assert_eq!(seen.len(), 5);
    // A cursor of another team's list.
    let other = format!("/teams/{}/webhooks?limit=2{next}", running.sample.other_team.team_id);
    assert_eq!(admin.get(&other).await.locations(), ["/query/next_cursor"]);
    assert_eq!(
        admin.get(&format!("{path}?limit=101")).await.locations(),
        ["/query/limit"]
    );
}
