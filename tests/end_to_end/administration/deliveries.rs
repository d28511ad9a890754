//! Destinations: changes in one process apply to another one, which delivers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::Utc;
use serde_json::{Value, json};
use wearlab_delivery::webhook::Sender;
use wearlab_delivery::{DispatchSettings, Dispatcher, Kinds};
use wearlab_models::Uuid;
use wearlab_tests::{Running, put_event, webhooks};

use super::Admin;
use super::receiver::Receiver;

/// Delivers the events of a process, like `wearlab serve`.
pub(crate) fn deliver(running: &Running) -> tokio::task::JoinHandle<()> {
    let sender = Sender::new(webhooks::settings(), Utc::now).expect("a sender");
    let mut kinds = Kinds::new(sender);
    kinds.only_webhooks = true;
    let dispatcher = Dispatcher::new(
        running.store.clone(),
        Uuid::now_v7(),
        kinds,
        DispatchSettings::default(),
        Arc::new(()),
        Utc::now,
        || 0.5,
    );
    tokio::spawn(dispatcher.run(std::future::pending()))
}

async fn event(running: &Running) {
    let sample = &running.sample;
    let team = running.store.team_of_key(&sample.team_api_key).await;
    let team = team.expect("a read").expect("a team");
    let put = running
        .store
        .write(|write| put_event(write, team, sample.user_id, Uuid::now_v7));
    put.await.expect("an event");
}

/// Time limit on a busy machine. An idle service needs less than a second.
const DEADLINE: Duration = Duration::from_secs(20);

/// Waits until a condition holds, and prints the duration.
#[expect(clippy::print_stdout, reason = "a limit would depend on the machine")]
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < DEADLINE, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    println!("{what}: after {:?}", begun.elapsed());
}

/// Writes events until one is not delivered.
async fn until_none_comes(what: &str, at: &Running, receiver: &Receiver) {
    until(what, async || {
        let before = receiver.delivered().len();
        event(at).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
        receiver.delivered().len() == before
    })
    .await;
}

fn pipeline(kind: &str) -> Value {
    json!({"preferences": {"preferred": kind, "enabled": [kind]}, "svix": {"regional": false},
        "cloud_pubsub": {"project": "p-none-1", "topic": "none", "message_ordering": false},
        "push_historical_data": false, "provider_raw_data": false})
}

/// Changes webhooks and a pipeline in one process, while another one delivers.
pub(super) async fn hold_in_both(one: &Running, other: &Running) {
    let (admin, receiver) = (Admin::of(one), Receiver::start().await);
    let delivering = deliver(other);
    let team = format!("/teams/{}", one.sample.team_id);
    let (of_team, path) = (format!("{team}/pipeline"), format!("{team}/webhooks"));
    admin.put(&of_team, &pipeline("svix")).await.ok(200);
    let created = admin.post(&path, &json!({"url": receiver.url()})).await.ok(201);
    let own = format!("{path}/{}", created["webhook_id"].as_str().expect("an id"));
    event(one).await;
    let count = || receiver.delivered().len();
    until("an event at a new endpoint", async || count() == 1).await;

    let secret = |shown: &Value| shown["secret"].as_str().expect("a secret").to_owned();
    let rotated = admin.post(&format!("{own}/rotate_secret"), &Value::Null).await.ok(200);
    until("a new secret", async || {
        event(one).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let last = receiver.delivered().pop().expect("an event");
        last.is_signed(&secret(&rotated)) && last.is_signed(&secret(&created))
    })
    .await;

    // Events that the pipeline held back are delivered after its deletion.
    admin.put(&of_team, &pipeline("cloud_pubsub")).await.ok(200);
    until_none_comes("a pipeline without webhooks", one, &receiver).await;
    let before = count();
    admin.delete(&of_team).await.ok(204);
    until("a pipeline that is deleted", async || count() > before).await;

    let only = json!({"event_type_prefixes": ["daily."]});
    admin.patch(&own, &only).await.ok(200);
    until_none_comes("event types", one, &receiver).await;
    admin.patch(&own, &json!({"event_type_prefixes": []})).await.ok(200);
    let before = count();
    until("all event types again", async || {
        event(one).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        count() > before
    })
    .await;
    admin.delete(&own).await.ok(204);
    until_none_comes("an endpoint that is deleted", one, &receiver).await;
    delivering.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn where_events_go_holds_in_all_processes() {
    let one = Running::start(5).await;
    let other = one.beside().await;
    hold_in_both(&one, &other).await;
}
