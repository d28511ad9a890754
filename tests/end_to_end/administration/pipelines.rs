//! The pipeline of a team: put, read with its secrets masked, put back, deleted.

use serde_json::{Value, json};
use wearlab_tests::Running;

use super::Admin;

fn rabbitmq(uri: &str) -> Value {
    json!({
        "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq"]}, "push_historical_data": false,
        "provider_raw_data": false, "rabbitmq": {"uri": uri, "exchange": "events"}, "event_type_prefixes": ["daily."],
    })
}

#[tokio::test]
async fn a_pipeline_is_put_read_and_put_back_with_its_secrets() {
    let running = Running::start(3).await;
    let (admin, path) = (
        Admin::of(&running),
        format!("/teams/{}/pipeline", running.sample.team_id),
    );
    let put = admin
        .put(&path, &rabbitmq("amqps://me:hushhush@broker.example.com/%2F"))
        .await
        .ok(200);
    assert_eq!(put["team_id"], json!(running.sample.team_id));
    let read = admin.get(&path).await.ok(200);
    assert_eq!(read, put);
    assert!(!read.to_string().contains("hushhush"), "{read}");
    let stored = || async {
        running
            .store
            .pipeline(running.sample.team_id)
            .await
            .expect("reads")
            .expect("a pipeline")
    };
    let before = stored().await;
    let mut back = read.clone();
    back["push_historical_data"] = true.into();
    admin.put(&path, &back).await.ok(200);
    let after = stored().await;
    assert!(after.push_historical_data);
    assert_eq!(after.rabbitmq, before.rabbitmq, "what is masked stays");
    assert_eq!(admin.delete(&path).await.status, 204);
    assert_eq!(admin.get(&path).await.status, 404);
    assert_eq!(admin.delete(&path).await.status, 404);
    // Now the mask stands for nothing.
    let refused = admin.put(&path, &back).await;
    assert_eq!(refused.locations(), ["/body/rabbitmq/uri"]);
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_its_place() {
    let running = Running::start(3).await;
    let (admin, path) = (
        Admin::of(&running),
        format!("/teams/{}/pipeline", running.sample.team_id),
    );
    let before = admin.get(&path).await.ok(200);
    let with = |member: &str, value: Value| {
        let mut body = rabbitmq("amqps://me:hushhush@broker.example.com/%2F");
        body[member] = value;
        body
    };
    for (body, location) in [
        (
            with("team_id", json!(running.sample.other_team.team_id)),
            "/body/team_id",
        ),
        (
            with(
                "rabbitmq",
                json!({"uri": "http://hushhush.example.com", "exchange": "e"}),
            ),
            "/body/rabbitmq/uri",
        ),
        (
            with("preferences", json!({"preferred": "svix", "enabled": ["rabbitmq"]})),
            "/body/preferences/preferred",
        ),
        (with("event_type_prefix", json!("daily.")), "/body/event_type_prefix"),
    ] {
        let refused = admin.put(&path, &body).await;
        assert_eq!(refused.locations(), [location], "{body}");
        assert!(!refused.body.to_string().contains("hushhush"), "{}", refused.body);
    }
    assert_eq!(admin.get(&path).await.ok(200), before);
}
