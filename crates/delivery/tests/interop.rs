//! Webhooks with third-party libraries: `.ci/webhooks` installs them and runs this.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use chrono::Utc;
use wearlab_delivery::webhook::{Sender, Settings, Signer, Webhook};
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::webhook::{SigningSecret, verify};
use wearlab_models::{Event, Uuid};

use crate::events;

/// The receiver in Python, stopped on drop.
struct Peer {
    process: Child,
    url: String,
}

impl Peer {
    fn start(secrets: &[&SigningSecret]) -> Self {
        let python = std::env::var("WEBHOOK_PYTHON").expect("WEBHOOK_PYTHON names a python that has the libraries");
        let mut process = Command::new(python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/webhook_receiver.py"))
            .args(secrets.iter().map(|secret| secret.expose()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the receiver starts");
        let mut port = String::new();
        let stdout = process.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut port).expect("a line");
        let port: u16 = port.trim().parse().expect("the receiver says its port");
        Self {
            process,
            url: format!("http://127.0.0.1:{port}/"),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn secret(byte: u8, length: usize) -> SigningSecret {
    SigningSecret::from_bytes(&vec![byte; length]).expect("a secret")
}

fn messages() -> Vec<Message> {
    let long = format!(
        r#"{{"event_type":"historical.data.steps.created","data":"{}"}}"#,
        "é".repeat(100_000)
    );
    [
        r#"{"event_type":"daily.data.steps.created","data":{"data":[{"value":7031}]}}"#,
        "{\n  \"event_type\": \"daily.data.note.created\",\r\n  \"data\": \"Größe: 1 m 80, \u{1f980}, \\u0000.\"\n}\n",
        &long,
    ]
    .into_iter()
    .enumerate()
    .map(|(number, payload)| Message {
        event_id: format!("evt_{number}"),
        event_type: "daily.data.steps.created".to_owned(),
        team_id: Uuid::from_u128(1),
        user_id: None,
        created_on: Utc::now().fixed_offset(),
        payload: payload.to_owned().into(),
    })
    .collect()
}

async fn deliver(peer: &Peer, signer: Signer, messages: &[Message]) -> Vec<Outcome> {
    let settings = Settings {
        allow_http: true,
        allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
        ..Settings::default()
    };
    let sender = Sender::new(settings, Utc::now).expect("a sender");
    let webhook = Webhook::new(&sender, &peer.url, signer).expect("an endpoint");
    webhook.deliver(messages).await
}

#[tokio::test]
#[ignore = "needs PyPI standardwebhooks and svix"]
async fn others_take_what_we_sign() {
    let (older, newer) = (secret(1, 24), secret(2, 64));
    let peer = Peer::start(&[&newer]);
    assert_eq!(
        deliver(&peer, Signer::new(newer.clone()), &messages()).await,
        vec![Outcome::Delivered; 3]
    );
    for outcome in deliver(&peer, Signer::new(older.clone()), &messages()).await {
        let Outcome::Retry { reason, .. } = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(reason.as_str(), "responded 400", "another secret");
    }

    let rotating = Peer::start(&[&older, &newer]);
    let signer = Signer::new(newer).and(older);
    assert_eq!(
        deliver(&rotating, signer, &messages()).await,
        vec![Outcome::Delivered; 3]
    );
}

#[tokio::test]
#[ignore = "needs PyPI standardwebhooks and svix"]
async fn others_take_every_type_of_event_as_it_is() {
    let secret = secret(4, 32);
    let peer = Peer::start(&[&secret]);
    let messages = events::of_every_type().await;
    let outcomes = deliver(&peer, Signer::new(secret.clone()), &messages).await;
    assert_eq!(
        outcomes,
        vec![Outcome::Delivered; messages.len()],
        "both libraries took them"
    );
    for message in messages {
        let taken = reqwest::get(format!("{}{}", peer.url, message.event_id))
            .await
            .expect("a response");
        let headers = taken.headers().clone();
        let body = taken.bytes().await.expect("a body");
        assert_eq!(body, message.payload, "{}", message.event_type);
        let header = |name: &str| headers.get(name)?.to_str().ok();
        assert_eq!(header("webhook-id"), Some(message.event_id.as_str()));
        assert_eq!(header("content-type"), Some("application/json"));
        let event = verify(header, &body, &secret, SystemTime::now()).expect("signed");
        assert_eq!(event.event_type(), message.event_type);
        assert!(!matches!(event, Event::Unknown(_)), "{}", message.event_type);
    }
}

#[tokio::test]
#[ignore = "needs PyPI standardwebhooks and svix"]
async fn we_take_what_others_sign() {
    let secret = secret(3, 32);
    let peer = Peer::start(&[&secret]);
    for library in ["0", "1"] {
        let response = reqwest::get(format!("{}{library}", peer.url))
            .await
            .expect("a response");
        let headers = response.headers().clone();
        let body = response.bytes().await.expect("a body");
        let header = |name: &str| headers.get(name)?.to_str().ok();
        let event = verify(header, &body, &secret, SystemTime::now()).expect("signed");
        assert_eq!(event.event_type(), "lab.order.created");
    }
}
