//! Secrecy of passwords, payloads, and URIs with passwords in logs and errors.

use std::io;
use std::sync::{Mutex, OnceLock};

use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;
use wearlab_delivery::rabbitmq::Settings;
use wearlab_delivery::{Destination, Outcome};

use super::client::Client;
use super::{HEALTH, broker, exchange, local, message};

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Collects the log of all threads.
#[derive(Clone)]
struct Lines;

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().expect("no panic").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self
    }
}

/// lapin has threads of its own, so this is for the whole process.
fn listen() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(Lines)
            .init();
    });
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn nothing_shows_a_secret_or_the_payload() {
    listen();
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
    tracing::info!("the end");
    let logged = String::from_utf8(LINES.lock().expect("no panic").clone()).expect("text");
    assert!(logged.contains("the end"), "the log is captured");
    shown += &logged;
    for hidden in [password, "hunter2", HEALTH, "PRIVATE KEY"] {
        assert!(!shown.contains(hidden), "{hidden} shows");
        // lapin would show bytes as numbers.
        let numbers = format!("{:?}", hidden.as_bytes());
        let numbers = numbers.trim_matches(['[', ']']);
        assert!(!shown.contains(numbers), "{hidden} shows, as numbers");
    }
}
