//! Secrecy of keys, tokens and payloads in logs and errors.

use wearlab_delivery::cloud_pubsub::{Settings, Topic};
use wearlab_delivery::{Destination, Message};

use super::credentials::Account;
use super::log::Log;
use super::service::Service;
use super::{block, message, number, settings};

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

    let log = Log::capture();

    let mut shown = String::new();
    // Some responses hold the whole request, and some keys are invalid.
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
    let logged = log.end();
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
