//! Cloud Pub/Sub against Google's emulator, Google's Python client, and a service with scripted responses.
//!
//! `.ci/cloud_pubsub` finds and installs the requirements of the ignored ones.

mod broker;
mod consumer;
#[path = "../shared/consumer.rs"]
mod consuming;
mod credentials;
#[path = "../shared/events.rs"]
mod events;
mod example;
mod lines;
#[path = "../shared/log.rs"]
mod log;
mod order;
mod proxy;
mod responses;
mod secrecy;
mod service;
mod types;
mod unreachable;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::Utc;
use wearlab_delivery::cloud_pubsub::{Settings, Topic};
use wearlab_delivery::{Destination, Message, Outcome, Reason};
use wearlab_models::{CloudPubsub, Uuid};

const PROJECT: &str = "wearlab-tests";

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by .ci/cloud_pubsub"))
}

/// A number that no other test uses.
fn number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn block(topic: &str, message_ordering: bool) -> CloudPubsub {
    let block = serde_json::json!({"project": PROJECT, "topic": topic, "message_ordering": message_ordering});
    serde_json::from_value(block).expect("a block")
}

fn settings(endpoint: &str) -> Settings {
    Settings {
        endpoint: Some(endpoint.to_owned()),
        connect_timeout: Duration::from_secs(2),
        timeout: Duration::from_secs(20),
        ..Settings::default()
    }
}

fn topic(endpoint: &str, name: &str, ordered: bool) -> Topic {
    Topic::new(&block(name, ordered), settings(endpoint)).expect("a topic")
}

fn message(user: Option<u128>, id: &str) -> Message {
    Message {
        event_id: id.to_owned(),
        event_type: "daily.data.steps.created".to_owned(),
        team_id: Uuid::from_u128(1),
        user_id: user.map(Uuid::from_u128),
        created_on: Utc::now().fixed_offset(),
        payload: format!(r#"{{"event_type":"daily.data.steps.created","data":{{"id":"{id}"}}}}"#).into(),
    }
}

/// Messages of several users in turn: `round-user`.
fn rounds(users: u128, rounds: usize) -> Vec<Message> {
    (0..rounds)
        .flat_map(|round| (0..users).map(move |user| message(Some(user), &format!("{round}-{user}"))))
        .collect()
}

fn all_delivered(outcomes: &[Outcome]) -> bool {
    outcomes.iter().all(|outcome| *outcome == Outcome::Delivered)
}

fn down(outcome: &Outcome) -> &Reason {
    match outcome {
        Outcome::Down { reason } => reason,
        other => panic!("{other:?}"),
    }
}

/// The reason of the outcome of a single message.
async fn why_down(topic: &Topic) -> String {
    let outcomes = topic.deliver(&[message(Some(1), "evt_1")]).await;
    assert_eq!(outcomes.len(), 1, "{outcomes:?}");
    down(&outcomes[0]).to_string()
}
