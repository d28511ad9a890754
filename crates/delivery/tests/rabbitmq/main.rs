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
#[path = "../shared/messages.rs"]
mod messages;
mod outages;
#[path = "../shared/policy.rs"]
mod policy;
#[path = "../shared/process_log.rs"]
mod process_log;
mod proxy;
mod secrecy;
mod silence;
mod speed;

use std::time::Duration;

use wearlab_delivery::rabbitmq::{Exchange, Settings};
use wearlab_delivery::{Message, Outcome};
use wearlab_models::Rabbitmq;

use self::messages::{HEALTH, message, until_delivered};
use self::policy::local;

fn block(uri: &str, exchange: &str) -> Rabbitmq {
    let block = serde_json::json!({"uri": uri, "exchange": exchange});
    serde_json::from_value(block).expect("a block")
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
