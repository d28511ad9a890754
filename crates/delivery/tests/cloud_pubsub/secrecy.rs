//! What must not show does not: keys, tokens and payloads.

use std::io;
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;
use wearlab_delivery::cloud_pubsub::{Settings, Topic};
use wearlab_delivery::{Destination, Message};

use super::credentials::Account;
use super::service::Service;
use super::{block, message, number, settings};

/// Everything that is logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

fn telling() -> Message {
    Message {
        payload: r#"{"event_type":"daily.data.steps.created","data":{"value":7031.25,"note":"schoen"}}"#.into(),
        ..message(Some(1), "evt_1")
    }
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn nothing_shows_a_secret_or_the_payload() {
    let account = Account::make();
    let secure = Service::with(&account.arguments());
    let plain = Service::start();

    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(lines.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    let mut shown = String::new();
    // Some answers hold the whole request, and some keys are no keys.
    let other = Account::make();
    for (endpoint, name, file) in [
        (secure.secure(), "fine", Some(account.file("key.json", account.json()))),
        (
            secure.secure(),
            "code-3",
            Some(account.file("key.json", account.json())),
        ),
        (secure.secure(), "fine", Some(other.file("key.json", other.json()))),
        (secure.secure(), "fine", Some(account.file("torn.json", account.torn()))),
        (secure.secure(), "fine", Some(account.file("pem.json", account.pem()))),
        (plain.address(), "code-3", None),
        (plain.address(), "code-5", None),
        (plain.address(), "code-13", None),
        (plain.address(), "short", None),
        ("127.0.0.1:1".to_owned(), "fine", None),
    ] {
        let settings = Settings {
            credentials_file: file,
            ..settings(&endpoint)
        };
        shown += &format!("{settings:?}");
        let topic = Topic::new(&block(&format!("t{}-{name}", number()), true), settings).expect("a topic");
        let outcomes = topic.deliver(&[telling()]).await;
        shown += &format!(
            "{outcomes:?} {topic:?} {:?} {:?}",
            telling(),
            topic.check(&telling()).await
        );
    }
    let error = Topic::new(&block("events", true), settings("http://user:hunter2@host:1")).expect_err("no address");
    shown += &format!("{error} {error:?}");
    tracing::info!("the end");
    let logged = String::from_utf8_lossy(&lines.0.lock().expect("no panic")).into_owned();
    assert!(logged.contains("the end"), "the log is heard");
    assert!(logged.contains("TRACE"), "down to the smallest");
    shown += &logged;

    let mut hidden: Vec<String> = ["schoen", "7031.25", "hunter2", "PRIVATE KEY", "Bearer ", "eyJ"]
        .map(str::to_owned)
        .into();
    // Somewhere in the middle of the keys.
    hidden.extend([&account, &other].map(|account| account.key_line()));
    for hidden in hidden {
        if let Some(at) = shown.find(&hidden) {
            let around = shown.floor_char_boundary(at.saturating_sub(300))..shown.ceil_char_boundary(at + 50);
            panic!("{hidden} shows in {}", &shown[around]);
        }
    }
}
