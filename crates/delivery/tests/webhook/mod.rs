//! Webhooks against real receivers on loopback.

mod addresses;
mod batches;
pub(crate) mod receiver;
mod responses;
mod secrecy;
mod signatures;
mod tls;

use std::time::Duration;

use chrono::{DateTime, Utc};
use wearlab_delivery::webhook::{Sender, Settings, Signer, Webhook};
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::Uuid;
use wearlab_models::webhook::SigningSecret;

/// The time of all tests.
fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).expect("a time")
}

/// Settings that allow webhooks to loopback.
fn loopback() -> Settings {
    Settings {
        allow_http: true,
        allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
        timeout: Duration::from_secs(5),
        ..Settings::default()
    }
}

fn secret(byte: u8) -> SigningSecret {
    SigningSecret::from_bytes(&[byte; 32]).expect("a secret")
}

fn message(id: &str) -> Message {
    Message {
        event_id: id.to_owned(),
        event_type: "daily.data.steps.created".to_owned(),
        team_id: Uuid::from_u128(1),
        user_id: Some(Uuid::from_u128(2)),
        created_on: now().fixed_offset(),
        payload: r#"{"event_type":"daily.data.steps.created","user_id":"00000000-0000-0000-0000-000000000002",
            "data":{"data":[{"value":7031982645,"note":"schön"}],"source":{"provider":"stridewell","type":"watch"}}}"#
            .into(),
    }
}

fn webhook(settings: Settings, url: &str) -> Webhook {
    let sender = Sender::new(settings, now).expect("a sender");
    Webhook::new(&sender, url, Signer::new(secret(1))).expect("an endpoint")
}

/// Sends one event, and returns its outcome.
async fn deliver(settings: Settings, url: &str) -> Outcome {
    let outcomes = webhook(settings, url).deliver(&[message("evt_1")]).await;
    let [outcome] = <[Outcome; 1]>::try_from(outcomes).expect("one message, one outcome");
    outcome
}

/// The reason of an outcome with a retry at any time.
fn retried(outcome: Outcome) -> String {
    match outcome {
        Outcome::Retry {
            reason,
            not_before: None,
        }
        | Outcome::Unavailable {
            reason,
            not_before: None,
        } => reason.to_string(),
        other => panic!("{other:?}"),
    }
}
