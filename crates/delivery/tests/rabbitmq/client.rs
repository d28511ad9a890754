//! The client in Python.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::broker;

/// The client, stopped on drop.
pub(crate) struct Client {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// A message as the client received it.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) exchange: String,
    pub(crate) routing_key: String,
    pub(crate) body: Vec<u8>,
    pub(crate) properties: Value,
}

impl Received {
    pub(crate) fn id(&self) -> String {
        self.properties["message_id"].as_str().expect("an id").to_owned()
    }
}

impl Client {
    pub(crate) fn start() -> Self {
        let mut process = Command::new(broker::python())
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/rabbitmq_client.py"))
            .arg(broker::uri())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the client starts");
        Self {
            input: process.stdin.take().expect("piped"),
            output: BufReader::new(process.stdout.take().expect("piped")),
            process,
        }
    }

    fn call(&mut self, command: Value) -> Value {
        writeln!(self.input, "{command}").expect("the client reads");
        let mut response = String::new();
        self.output.read_line(&mut response).expect("the client answers");
        serde_json::from_str(&response).unwrap_or_else(|_| panic!("{command}: {response}"))
    }

    /// Declares an exchange of topics.
    pub(crate) fn exchange(&mut self, name: &str) {
        self.call(json!(["exchange", name, "topic"]));
    }

    pub(crate) fn delete_exchange(&mut self, name: &str) {
        self.call(json!(["delete", name]));
    }

    /// Declares a queue that is bound to an exchange.
    pub(crate) fn queue(&mut self, name: &str, exchange: &str, key: &str, arguments: Value) {
        self.call(json!(["queue", name, exchange, key, arguments]));
    }

    /// Declares an exchange of a new name with a queue of that name for all messages.
    pub(crate) fn topology(&mut self) -> String {
        let name = broker::name();
        self.exchange(&name);
        self.queue(&name, &name, "#", json!({}));
        name
    }

    /// Takes a number of messages, and fails if there are fewer.
    pub(crate) fn take(&mut self, queue: &str, count: usize) -> Vec<Received> {
        let received = self.take_some(queue, count, 10);
        assert_eq!(received.len(), count, "{:?}", received.last());
        received
    }

    /// Takes all messages.
    pub(crate) fn take_all(&mut self, queue: &str) -> Vec<Received> {
        self.take_some(queue, usize::MAX, 1)
    }

    fn take_some(&mut self, queue: &str, count: usize, seconds: u32) -> Vec<Received> {
        let messages = self.call(json!(["take", queue, count, seconds]));
        let messages = messages.as_array().expect("a list").iter();
        messages
            .map(|message| {
                let text = |key: &str| message[key].as_str().expect("text").to_owned();
                Received {
                    exchange: text("exchange"),
                    routing_key: text("routing_key"),
                    body: BASE64_STANDARD.decode(text("body")).expect("base64"),
                    properties: message["properties"].clone(),
                }
            })
            .collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Each user's numbers of `PREFIX-USER-NUMBER`, in the order of their first arrival.
pub(crate) fn first_seen(received: &[Received]) -> BTreeMap<String, Vec<usize>> {
    let mut seen: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for message in received {
        let id = message.id();
        let mut parts = id.rsplitn(3, '-');
        let number = parts.next().expect("a number").parse().expect("a number");
        let numbers = seen.entry(parts.next().expect("a user").to_owned()).or_default();
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    seen
}

/// Asserts that each of a number of users has all its messages, in their order, apart from repeats.
pub(crate) fn assert_in_order(received: &[Received], users: usize, each: usize) {
    let seen = first_seen(received);
    assert_eq!(seen.len(), users);
    for (user, numbers) in seen {
        assert_eq!(numbers, (0..each).collect::<Vec<_>>(), "user {user}");
    }
}
