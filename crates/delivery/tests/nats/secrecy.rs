//! Secrecy of passwords, payloads, and URLs with passwords in logs and errors.

use serde_json::json;
use wearlab_delivery::nats::Settings;
use wearlab_delivery::{Destination, Outcome};

use super::client::create_events;
use super::server::{PASSWORD, Server};
use super::{HEALTH, local, message, process_log, subject};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn nothing_shows_a_secret_or_the_payload() {
    process_log::capture();
    let server = Server::start().await;
    create_events(&server.url()).await;
    let settings = Settings {
        extra_roots: vec![b"-----BEGIN PRIVATE KEY-----".to_vec()],
        policy: local(),
        ..Settings::default()
    };
    let mut shown = format!("{settings:?}");
    let mut messages = [message(1, "evt-1"), message(2, "evt-2"), message(3, "evt-3")];
    messages[1].event_type = "no subject".to_owned();
    messages[2].payload = HEALTH.repeat(20_000).into();
    let seed = "SUAIO3FHUX5PNV2LQIIP7TZ3N4L7TX3W53MQGEIVYFIGA635OZCKEYHFLM";
    for (url, change) in [
        (server.url(), json!({})),
        (server.url(), json!({"stream": "OTHERS"})),
        (server.url(), json!({"subject": "nowhere"})),
        (server.url_of("wearlab:hunter2@"), json!({})),
        (server.url_of("hunter2@"), json!({})),
        (server.url_of(""), json!({"credentials": seed})),
        (server.url().replace("nats:", "tls:"), json!({})),
        ("nats://u:hunter2@127.0.0.1:1".to_owned(), json!({})),
    ] {
        let destination = subject(&url, &change);
        let outcomes = destination.deliver(&messages).await;
        let checked = destination.check(&messages[0]).await;
        shown += &format!("{outcomes:?} {checked:?} {destination:?} {messages:?}");
    }
    let outcomes = subject(&server.url(), &json!({})).deliver(&messages[..1]).await;
    assert_eq!(outcomes, [Outcome::Delivered]);
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    shown += &process_log::end();
    for hidden in [PASSWORD, "hunter2", HEALTH, "PRIVATE KEY", seed] {
        assert!(!shown.contains(hidden), "{hidden} shows");
        let numbers = format!("{:?}", hidden.as_bytes());
        let numbers = numbers.trim_matches(['[', ']']);
        assert!(!shown.contains(numbers), "{hidden} shows, as numbers");
    }
}
