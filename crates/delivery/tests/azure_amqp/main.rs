//! Azure Event Hubs and blob storage with real peers, and Microsoft's clients as consumers.

mod arrivals;
mod blobs;
#[path = "../shared/consumer.rs"]
mod consumer;
mod credentials;
#[path = "../shared/events.rs"]
mod events;
mod example;
mod faults;
mod hostile;
#[path = "../shared/log.rs"]
mod log;
mod order;
mod outages;
mod peers;
#[path = "../shared/policy.rs"]
mod policy;
mod relay;
mod secrecy;
mod tls;

use std::time::Duration;

use serde_json::{Value, json};
use wearlab_delivery::azure_amqp::{Namespace, Settings};
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::Uuid;

use self::policy::local;

/// Settings with timeouts for peers on a busy machine.
fn settings() -> Settings {
    Settings {
        connect_timeout: Duration::from_secs(20),
        confirm_timeout: Duration::from_secs(20),
        policy: local(),
        ..Settings::default()
    }
}

/// A block of a pipeline, with the members of `more` in place of the usual ones.
fn block(connection_string: &str, more: Value) -> wearlab_models::AzureAmqp {
    let mut block = json!({
        "connection_string": connection_string, "default_event_hub": "events", "event_hub_matchers": [], "compression": "none",
    });
    let more = more.as_object().expect("an object").clone();
    block.as_object_mut().expect("an object").extend(more);
    serde_json::from_value(block).expect("a block")
}

fn namespace(connection_string: &str, more: Value) -> Namespace {
    Namespace::new(&block(connection_string, more), settings()).expect("a namespace")
}

/// An event of a user, by its number.
fn message(user: u128, number: usize) -> Message {
    let user = Uuid::from_u128(user);
    Message {
        event_id: format!("evt_{user}_{number}"),
        event_type: "daily.data.steps.created".to_owned(),
        team_id: Uuid::from_u128(1),
        user_id: Some(user),
        created_on: "2026-01-31T23:59:59-02:00".parse().expect("a time"),
        payload: format!(
            r#"{{"event_type":"daily.data.steps.created","user_id":"{user}","data":{{"number":{number}}}}}"#
        )
        .into(),
    }
}

/// The text of a field.
fn text<'a>(line: &'a Value, name: &str) -> &'a str {
    line[name].as_str().unwrap_or_else(|| panic!("{name} in {line}"))
}

/// The reason of an outcome of a kind. Fails for other kinds.
#[track_caller]
fn reason(outcome: &Outcome, kind: &str) -> String {
    assert!(format!("{outcome:?}").starts_with(kind), "{outcome:?} is not {kind}");
    match outcome {
        Outcome::Retry { reason, .. } | Outcome::Down { reason } | Outcome::Refused { reason } => reason.to_string(),
        other => panic!("{other:?} has no reason"),
    }
}

async fn deliver(namespace: &Namespace, messages: &[Message]) -> Vec<Outcome> {
    let outcomes = namespace.deliver(messages).await;
    assert_eq!(outcomes.len(), messages.len());
    outcomes
}
