//! Filters of events by endpoint, and their content.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use wearlab_models::webhook;

use super::world::{SECRET, World, team, until};
use crate::webhook::receiver::{Receiver, status};

async fn taker() -> Receiver {
    Receiver::start(|_| async { status(204) }).await
}

fn bodies(receiver: &Receiver) -> Vec<Value> {
    let received = receiver.received();
    received
        .iter()
        .map(|request| serde_json::from_slice(&request.body).expect("JSON"))
        .collect()
}

#[tokio::test]
async fn an_endpoint_gets_what_comes_after_it_signed() {
    let (world, receiver) = (World::new().await, taker().await);
    world.walk(1, json!({})).await;
    world.endpoint("wh_1", &receiver.url, &[]).await;
    let _running = world.dispatch();
    for day in 2..=4 {
        world.walk(day, json!({})).await;
    }
    until("three webhooks", async || receiver.received().len() == 3).await;
    let secret = SECRET.parse().expect("a secret");
    let mut ids = Vec::new();
    for request in receiver.received() {
        let event = webhook::verify(|name| request.header(name), &request.body, &secret, SystemTime::now());
        assert_eq!(event.expect("signed").event_type(), "daily.data.steps.created");
        ids.push(request.header("webhook-id").expect("an id").to_owned());
    }
    ids.sort();
    let mut logged = world.ids().await.split_off(1);
    logged.sort();
    assert_eq!(ids, logged);
}

#[tokio::test]
async fn types_are_filtered_by_the_endpoint_and_by_the_pipeline() {
    let (world, receiver) = (World::new().await, taker().await);
    world
        .put(pipeline(json!({"event_type_prefixes": ["daily.data."]})))
        .await;
    world
        .endpoint("wh_1", &receiver.url, &["daily.data.steps.", "historical."])
        .await;
    let _running = world.dispatch();
    world.walk(1, json!({"resource": "floors_climbed"})).await;
    world
        .walk(1, json!({"pull": {"id": "p", "chunk": 1, "chunks": 1}}))
        .await;
    world.walk(2, json!({})).await;
    world
        .walk(2, json!({"data": [{"timestamp": "2026-01-02T10:00:00Z", "value": 9}]}))
        .await;
    until("two webhooks", async || receiver.received().len() == 2).await;
    let mut types: Vec<_> = bodies(&receiver)
        .iter()
        .map(|body| body["event_type"].clone())
        .collect();
    types.sort_by_key(ToString::to_string);
    assert_eq!(types, ["daily.data.steps.created", "daily.data.steps.updated"]);
}

#[tokio::test]
async fn a_pipeline_decides_whether_values_and_raw_payloads_are_sent() {
    for (push, raw) in [(false, false), (true, false), (false, true), (true, true)] {
        let (world, receiver) = (World::new().await, taker().await);
        world
            .put(pipeline(
                json!({"push_historical_data": push, "provider_raw_data": raw}),
            ))
            .await;
        world.endpoint("wh_1", &receiver.url, &[]).await;
        let _running = world.dispatch();
        world.walk(1, json!({"raw": {"theirs": 1}})).await;
        world
            .walk(2, json!({"pull": {"id": "p", "chunk": 1, "chunks": 1}}))
            .await;
        until("two webhooks", async || receiver.received().len() == 2).await;
        for body in bodies(&receiver) {
            let historical = body["event_type"] == "historical.data.steps.created";
            assert_eq!(body["data"].get("raw").is_some(), raw && !historical, "{body}");
            assert_eq!(body["data"].get("data").is_some(), push || !historical, "{body}");
        }
    }
}

#[tokio::test]
async fn a_pipeline_without_webhooks_sends_none_until_it_has_them() {
    let (world, receiver) = (World::new().await, taker().await);
    let enabled = json!({"preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq"]}});
    world.put(pipeline(enabled)).await;
    let destination = world.endpoint("wh_1", &receiver.url, &[]).await;
    let _running = world.dispatch();
    world.walk(1, json!({})).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(receiver.received().is_empty());
    assert_eq!(world.store.backlog(destination).await.expect("reads").waiting, 1);
    world.put(pipeline(json!({}))).await;
    until("a webhook", async || receiver.received().len() == 1).await;
}

#[tokio::test]
async fn what_changes_of_a_pipeline_or_an_endpoint_holds_within_a_second() {
    let (world, receiver) = (World::new().await, taker().await);
    let other = taker().await;
    world
        .put(pipeline(json!({"event_type_prefixes": ["historical."]})))
        .await;
    let destination = world.endpoint("wh_1", &receiver.url, &[]).await;
    let _running = world.dispatch();
    world.walk(1, json!({})).await;
    until("it is passed over", async || {
        world.store.backlog(destination).await.expect("reads").waiting == 0
    })
    .await;
    world.put(pipeline(json!({}))).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    world.walk(2, json!({})).await;
    until("a webhook", async || receiver.received().len() == 1).await;
    world.endpoint("wh_1", &other.url, &[]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    world.walk(3, json!({})).await;
    until("a webhook elsewhere", async || other.received().len() == 1).await;
    assert_eq!(receiver.received().len(), 1);
}

fn pipeline(more: Value) -> Value {
    let mut pipeline = json!({
        "team_id": team(), "preferences": {"preferred": "svix", "enabled": ["svix"]}, "svix": {"regional": false},
        "push_historical_data": false, "provider_raw_data": false, "event_type_prefixes": [],
    });
    pipeline
        .as_object_mut()
        .expect("an object")
        .extend(more.as_object().cloned().unwrap_or_default());
    json!({ "pipeline": pipeline })
}
