//! Svix, against a small server with its API.

mod connections;
#[path = "../shared/events.rs"]
mod events;
mod faults;
mod layout;
#[path = "../shared/log.rs"]
mod log;
mod model;
mod official;
mod peer;
mod proxy;
mod secrecy;
mod tls;

use std::time::Duration;

use chrono::{DateTime, Utc};
use wearlab_delivery::svix::{Application, Settings};
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::{Secret, Svix, Uuid};

use self::peer::TOKEN;

/// The time of all tests.
fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).expect("a time")
}

fn team() -> Uuid {
    Uuid::from_u128(1)
}

fn block() -> Svix {
    serde_json::from_str(r#"{"regional":true}"#).expect("a block")
}

fn settings(url: &str) -> Settings {
    let mut settings = Settings::new(Secret::from(TOKEN), now);
    settings.server = Some(url.to_owned());
    settings.timeout = Duration::from_secs(5);
    settings
}

fn with_token(url: &str, token: &str) -> Settings {
    let mut settings = settings(url);
    settings.token = Secret::from(token);
    settings
}

fn impatient(url: &str) -> Settings {
    let mut settings = settings(url);
    settings.timeout = Duration::from_secs(1);
    settings
}

fn application(settings: &Settings) -> Application {
    Application::new(team(), &block(), settings).expect("an application")
}

fn message(id: &str) -> Message {
    Message {
        event_id: id.to_owned(),
        event_type: "daily.data.steps.created".to_owned(),
        team_id: team(),
        user_id: Some(Uuid::from_u128(2)),
        created_on: now().fixed_offset(),
        payload: r#"{"event_type":"daily.data.steps.created","user_id":"00000000-0000-0000-0000-000000000002",
            "data":{"data":[{"value":7031982645,"note":"schön"}],"source":{"provider":"stridewell","type":"watch"}}}"#
            .into(),
    }
}

fn messages(count: usize) -> Vec<Message> {
    (0..count).map(|number| message(&format!("evt_{number}"))).collect()
}

/// Sends one message, and returns its outcome.
async fn deliver(settings: &Settings, message: Message) -> Outcome {
    let outcomes = application(settings).deliver(&[message]).await;
    let [outcome] = <[Outcome; 1]>::try_from(outcomes).expect("one message, one outcome");
    outcome
}

/// The reason of an outcome that is down.
fn down(outcome: Outcome) -> String {
    match outcome {
        Outcome::Down { reason } => reason.to_string(),
        other => panic!("{other:?}"),
    }
}

/// The reason of an outcome with a retry at any time.
fn retried(outcome: Outcome) -> String {
    match outcome {
        Outcome::Retry {
            reason,
            not_before: None,
        } => reason.to_string(),
        other => panic!("{other:?}"),
    }
}

/// The reason of an outcome that is parked.
fn refused(outcome: Outcome) -> String {
    match outcome {
        Outcome::Refused { reason } => reason.to_string(),
        other => panic!("{other:?}"),
    }
}
