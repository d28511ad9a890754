//! NATS JetStream: a real server, and a third-party client. `.ci/nats` installs both.

mod arrivals;
mod client;
#[path = "../shared/consumer.rs"]
mod consumer;
#[path = "../shared/events.rs"]
mod events;
mod example;
mod faults;
mod hostile;
mod logins;
mod outages;
mod secrecy;
mod server;

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use wearlab_delivery::egress::Policy;
use wearlab_delivery::nats::{Settings, Subject};
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::{Nats, Uuid};

/// A value that no log and no reason may show.
const HEALTH: &str = "hba1c-7031";

fn block(url: &str, change: &Value) -> Nats {
    let mut block = json!({"url": url, "subject": "events.{event_type}"});
    let members = block.as_object_mut().expect("an object");
    members.extend(change.as_object().expect("an object").clone());
    serde_json::from_value(block).expect("a block")
}

/// A policy that allows loopback without TLS.
fn local() -> Policy {
    Policy {
        allow_plaintext: true,
        allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
        ..Policy::default()
    }
}

/// Settings with timeouts of a few seconds.
fn settings() -> Settings {
    Settings {
        connect_timeout: Duration::from_secs(5),
        timeout: Duration::from_secs(5),
        policy: local(),
        ..Settings::default()
    }
}

fn subject(url: &str, change: &Value) -> Subject {
    Subject::new(&block(url, change), settings()).expect("a subject")
}

fn message(user: u128, event_id: &str) -> Message {
    Message {
        event_id: event_id.to_owned(),
        event_type: "daily.data.steps.created".to_owned(),
        team_id: Uuid::from_u128(1),
        user_id: Some(Uuid::from_u128(user)),
        created_on: DateTime::<Utc>::from_timestamp(1_800_000_000, 0)
            .expect("a time")
            .fixed_offset(),
        payload: format!(r#"{{"event_type":"daily.data.steps.created","data":"{HEALTH} {event_id}"}}"#).into(),
    }
}

/// A number of messages of each of a number of users, interleaved; `evt-USER-NUMBER`.
fn interleaved(users: u128, each: usize) -> Vec<Message> {
    let numbers = (0..each).flat_map(|number| (0..users).map(move |user| (user, number)));
    numbers
        .map(|(user, number)| message(user, &format!("evt-{user}-{number}")))
        .collect()
}

/// The reason of outcomes that find the destination down.
fn down(outcomes: &[Outcome]) -> &str {
    let [Outcome::Down { reason }, ..] = outcomes else {
        panic!("{outcomes:?}")
    };
    assert!(
        outcomes
            .iter()
            .all(|outcome| matches!(outcome, Outcome::Down { .. } | Outcome::Held))
    );
    reason.as_str()
}

/// Delivers like a dispatcher: repeats failed messages until everything is delivered. Returns the number of calls that
/// found the server down.
async fn until_delivered(destination: &Subject, messages: &[Message]) -> usize {
    let mut left = messages.to_vec();
    let mut downs = 0;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(180) {
        let sent = &left[..left.len().min(destination.batch())];
        let outcomes = destination.deliver(sent).await;
        downs += usize::from(outcomes.iter().any(|outcome| matches!(outcome, Outcome::Down { .. })));
        let mut outcomes = outcomes.iter();
        left.retain(|_| outcomes.next() != Some(&Outcome::Delivered));
        if left.is_empty() {
            return downs;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{} are left", left.len());
}
