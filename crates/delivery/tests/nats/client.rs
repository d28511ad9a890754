//! Streams of the tests, and the client in Python that reads them.

use std::collections::BTreeMap;
use std::process::Command;

use async_nats::jetstream::{self, stream::Config};
use async_nats::{Client, ConnectOptions, ServerAddr};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

/// A message as the client received it.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) subject: String,
    pub(crate) headers: Map<String, Value>,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn id(&self) -> &str {
        self.headers["Nats-Msg-Id"].as_str().expect("an id")
    }
}

pub(crate) async fn jetstream(url: &str) -> jetstream::Context {
    jetstream::new(connect(url).await)
}

/// Connects with the login of a URL, which the library does not take from there.
pub(crate) async fn connect(url: &str) -> Client {
    let server: ServerAddr = url.parse().expect("a URL");
    let decode = |text: Option<&str>| text.map(|text| percent_decode_str(text).decode_utf8_lossy().into_owned());
    let options = match (decode(server.username()), decode(server.password())) {
        (Some(user), Some(password)) => ConnectOptions::with_user_and_password(user, password),
        (Some(token), None) => ConnectOptions::with_token(token),
        (None, _) => ConnectOptions::new(),
    };
    // The library logs URLs, and `secrecy` reads all that this process logs.
    let url = format!("nats://{}:{}", server.host(), server.port());
    options.connect(url).await.expect("a connection")
}

/// Creates a stream that listens to subjects, with its own rules.
pub(crate) async fn create(url: &str, name: &str, subject: &str, set: impl FnOnce(&mut Config)) {
    let mut config = Config {
        name: name.to_owned(),
        subjects: vec![subject.to_owned()],
        ..Config::default()
    };
    set(&mut config);
    jetstream(url).await.create_stream(config).await.expect("a stream");
}

/// Creates the stream of most tests.
pub(crate) async fn create_events(url: &str) {
    create(url, "EVENTS", "events.>", |_| ()).await;
}

/// The number of messages in a stream.
pub(crate) async fn count(url: &str, name: &str) -> u64 {
    let context = jetstream(url).await;
    let mut stream = context.get_stream(name).await.expect("a stream");
    stream.info().await.expect("a response").state.messages
}

/// All messages of a stream, in their order, by the client in Python.
pub(crate) async fn read(url: &str, stream: &str) -> Vec<Received> {
    let python = std::env::var("NATS_PYTHON").expect("NATS_PYTHON is set by .ci/nats");
    let arguments = [url, stream].map(str::to_owned);
    let output = tokio::task::spawn_blocking(move || {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/nats_reader.py");
        Command::new(python).arg(script).args(arguments).output()
    });
    let output = output.await.expect("no panic").expect("the client runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("text");
    let received = lines.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        Received {
            subject: line["subject"].as_str().expect("text").to_owned(),
            headers: line["headers"].as_object().expect("an object").clone(),
            body: BASE64_STANDARD
                .decode(line["body"].as_str().expect("text"))
                .expect("base64"),
        }
    });
    received.collect()
}

/// Asserts that each of a number of users has all its messages of `evt-USER-NUMBER` once, in their order.
pub(crate) fn assert_in_order(received: &[Received], users: usize, each: usize) {
    let mut seen: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for message in received {
        let (user, number) = message.id().rsplit_once('-').expect("a number");
        seen.entry(user).or_default().push(number.parse().expect("a number"));
    }
    assert_eq!(seen.len(), users);
    for (user, numbers) in seen {
        assert_eq!(numbers, (0..each).collect::<Vec<_>>(), "user {user}");
    }
}
