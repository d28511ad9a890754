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
#[path = "../shared/messages.rs"]
mod messages;
mod outages;
#[path = "../shared/policy.rs"]
mod policy;
#[path = "../shared/process_log.rs"]
mod process_log;
mod secrecy;
mod server;

use std::time::Duration;

use serde_json::{Value, json};
use wearlab_delivery::nats::{Settings, Subject};
use wearlab_delivery::{Message, Outcome};
use wearlab_models::Nats;

use self::messages::{HEALTH, message, until_delivered};
use self::policy::local;

fn block(url: &str, change: &Value) -> Nats {
    let mut block = json!({"url": url, "subject": "events.{event_type}"});
    let members = block.as_object_mut().expect("an object");
    members.extend(change.as_object().expect("an object").clone());
    serde_json::from_value(block).expect("a block")
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
