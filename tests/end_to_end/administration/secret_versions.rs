//! Entity tags of objects with secrets: they change with a secret that no read shows.

use serde_json::{Value, json};
use wearlab_tests::Running;

use super::{Admin, Answer};

fn tag(answer: &Answer) -> String {
    answer.headers["etag"].to_str().expect("text").to_owned()
}

/// Writes one body and then another, which differ only in a secret, and checks the entity tags of reads.
async fn changes(admin: &Admin, path: &str, [first, second]: [&Value; 2]) {
    let put = admin.put(path, first).await;
    assert_eq!(put.status, 200, "{}", put.body);
    let read = admin.get(path).await;
    assert_eq!(
        tag(&admin.get(path).await),
        tag(&read),
        "it stays while nothing changes"
    );
    let seen = tag(&read);
    let changed = admin
        .send(reqwest::Method::PUT, path, &[("if-match", &seen)], Some(second))
        .await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(changed.body, put.body, "reads show nothing of the secret");
    let read = admin.get(path).await;
    assert_ne!(tag(&read), seen);
    // A change or a deletion with the tag from before the secret changed is refused.
    for method in [reqwest::Method::PUT, reqwest::Method::DELETE] {
        let body = Some(first).filter(|_| method == reqwest::Method::PUT);
        let refused = admin.send(method, path, &[("if-match", &seen)], body).await;
        assert_eq!(refused.status, 412, "{}", refused.body);
    }
    let deleted = admin
        .send(reqwest::Method::DELETE, path, &[("if-match", &tag(&read))], None)
        .await;
    assert_eq!(deleted.status, 204);
}

async fn of_all(running: &Running) {
    let admin = Admin::of(running);
    let pipeline = |password: &str| {
        json!({
            "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq"]},
            "push_historical_data": true, "provider_raw_data": false, "event_type_prefixes": [],
            "rabbitmq": {"uri": format!("amqps://me:{password}@mq.example.com/v"), "exchange": "events"},
        })
    };
    let path = format!("/teams/{}/pipeline", running.sample.team_id);
    changes(&admin, &path, [&pipeline("hush-1"), &pipeline("hush-2")]).await;
    let settings = |secret: &str| {
        json!({"client_id": "c", "client_secret": secret, "authorization_url": "https://auth.example.com/authorize",
            "token_url": "https://auth.example.com/token", "scopes": {}, "extra_scopes": []})
    };
    let path = format!("/providers/{}", running.sample.oauth_provider);
    changes(&admin, &path, [&settings("hush-1"), &settings("hush-2")]).await;
    let created = admin
        .post(
            &format!("/teams/{}/webhooks", running.sample.team_id),
            &json!({"url": "https://hooks.example.com/"}),
        )
        .await
        .ok(201);
    let path = format!(
        "/teams/{}/webhooks/{}",
        running.sample.team_id,
        created["webhook_id"].as_str().expect("an id")
    );
    let before = admin.get(&path).await;
    admin.post(&format!("{path}/rotate_secret"), &Value::Null).await.ok(200);
    let after = admin.get(&path).await;
    assert_eq!(after.body, before.body);
    assert_ne!(tag(&after), tag(&before));
}

#[tokio::test]
async fn a_tag_changes_with_a_secret_that_is_not_shown() {
    of_all(&Running::start(5).await).await;
    of_all(&Running::start_without_key(5).await).await;
}

#[tokio::test]
async fn a_tag_holds_in_every_process() {
    let one = Running::start(5).await;
    let other = one.beside().await;
    let path = format!("/teams/{}/pipeline", one.sample.team_id);
    let (here, there) = (Admin::of(&one).get(&path).await, Admin::of(&other).get(&path).await);
    assert_eq!(tag(&here), tag(&there));
}
