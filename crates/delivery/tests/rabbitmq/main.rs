//! RabbitMQ: a real broker, and a third-party client. `.ci/rabbitmq` starts the one and installs the other.

mod broker;
mod client;
#[path = "../shared/consumer.rs"]
mod consumer;
mod delivery;
#[path = "../shared/events.rs"]
mod events;
mod example;
mod faults;
mod hostile;
mod large;
mod outages;
mod proxy;
mod secrecy;
mod silence;
mod speed;

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use wearlab_delivery::egress::Policy;
use wearlab_delivery::rabbitmq::{Exchange, Settings};
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::{Rabbitmq, Uuid};

/// A value that no log and no reason may show.
const HEALTH: &str = "hba1c-7031";

fn block(uri: &str, exchange: &str) -> Rabbitmq {
    let block = serde_json::json!({"uri": uri, "exchange": exchange});
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

/// An exchange with timeouts of a few seconds.
fn exchange(uri: &str, name: &str) -> Exchange {
    let settings = Settings {
        connect_timeout: Duration::from_secs(5),
        timeout: Duration::from_secs(10),
        policy: local(),
        ..Settings::default()
    };
    Exchange::new(&block(uri, name), settings).expect("an exchange")
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

/// A number of messages of each of a number of users, interleaved; `evt-USER-NUMBER`, after a prefix.
fn interleaved(prefix: &str, users: u128, each: usize) -> Vec<Message> {
    let numbers = (0..each).flat_map(|number| (0..users).map(move |user| (user, number)));
    numbers
        .map(|(user, number)| message(user, &format!("{prefix}-{user}-{number}")))
        .collect()
}

/// The reason of an outcome that finds the destination down.
fn down(outcomes: &[Outcome]) -> &str {
    let [Outcome::Down { reason }, ..] = outcomes else {
        panic!("{outcomes:?}")
    };
    reason.as_str()
}

/// Delivers like a dispatcher: repeats failed messages until everything is delivered. Returns the number of calls that
/// found the broker down.
async fn until_delivered(destination: &Exchange, messages: &[Message]) -> usize {
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
