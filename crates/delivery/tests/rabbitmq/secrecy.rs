//! Secrecy of passwords, payloads, and URIs with passwords in logs and errors.

use serde_json::json;
use wearlab_delivery::rabbitmq::Settings;
use wearlab_delivery::{Destination, Outcome};

use super::client::Client;
use super::{HEALTH, broker, exchange, local, message, process_log};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn nothing_shows_a_secret_or_the_payload() {
    process_log::capture();
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = broker::name();
    client.exchange(&name);
    client.queue(&name, &name, "daily.#", json!({}));
    let uri = broker::uri();
    let (before, at) = uri.split_once('@').expect("a host");
    let password = before.rsplit(':').next().expect("a password");
    let settings = Settings {
        extra_roots: vec![b"-----BEGIN PRIVATE KEY-----".to_vec()],
        policy: local(),
        ..Settings::default()
    };
    let mut shown = format!("{settings:?}");
    // The broker returns the second one, with its payload.
    let mut messages = [
        message(1, "secret-1-0"),
        message(2, "secret-2-0"),
        message(3, "secret-3-0"),
    ];
    messages[1].event_type = "historical.data.steps.created".to_owned();
    messages[2].payload = HEALTH.repeat(400_001).into();
    for (uri, name) in [
        (uri.clone(), name.as_str()),
        (format!("amqp://wearlab:hunter2@{at}"), &name),
        (uri.clone(), "nothing"),
        (uri.replace("amqp:", "amqps:"), &name),
        ("amqp://u:hunter2@127.0.0.1:1".to_owned(), &name),
    ] {
        let destination = exchange(&uri, name);
        let outcomes = destination.deliver(&messages).await;
        let checked = destination.check(&messages[0]).await;
        shown += &format!("{outcomes:?} {checked:?} {destination:?} {messages:?}");
    }
    assert_eq!(
        exchange(&uri, &name).deliver(&messages[..1]).await,
        [Outcome::Delivered]
    );
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    shown += &process_log::end();
    for hidden in [password, "hunter2", HEALTH, "PRIVATE KEY"] {
        assert!(!shown.contains(hidden), "{hidden} shows");
        // lapin would show bytes as numbers.
        let numbers = format!("{:?}", hidden.as_bytes());
        let numbers = numbers.trim_matches(['[', ']']);
        assert!(!shown.contains(numbers), "{hidden} shows, as numbers");
    }
}
