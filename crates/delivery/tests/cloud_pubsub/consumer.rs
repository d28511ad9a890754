//! Messages that Google's Python client receives from the emulator.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde_json::Value;

use super::lines::Lines;

/// Time for repeats after the last expected message.
const MOMENT: Duration = Duration::from_millis(500);

/// A subscription with its client.
pub(crate) struct Consumer(Lines);

/// A message as the client received it.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) data: Vec<u8>,
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) ordering_key: String,
}

impl Received {
    pub(crate) fn id(&self) -> &str {
        &self.attributes["event-id"]
    }
}

impl Consumer {
    /// Creates topic and subscription, and listens.
    pub(crate) fn start(emulator: &str, topic: &str, ordered: bool) -> Self {
        Self::slow(emulator, topic, ordered, 0)
    }

    /// A consumer with a delay for each message, in milliseconds.
    pub(crate) fn slow(emulator: &str, topic: &str, ordered: bool, pause: u32) -> Self {
        let order = if ordered { "ordered" } else { "unordered" };
        let arguments = [emulator, super::PROJECT, topic, order, &pause.to_string()];
        let lines = Lines::of("pubsub_consumer.py", &arguments);
        assert_eq!(lines.next(), "ready");
        Self(lines)
    }

    /// Receives until a number of distinct events arrived, including repeats.
    pub(crate) fn receive(&self, events: usize) -> Vec<Received> {
        let mut seen = HashSet::new();
        let last = |line: &str| seen.insert(received(line).id().to_owned()) && seen.len() == events;
        (self.0.until(last, MOMENT).iter()).map(|line| received(line)).collect()
    }
}

fn line_of(line: &str) -> Value {
    serde_json::from_str(line).expect("a line of JSON")
}

fn received(line: &str) -> Received {
    let line = line_of(line);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    Received {
        // A character for each byte.
        data: (text(&line["data"]).chars())
            .map(|byte| u8::try_from(byte).expect("a byte"))
            .collect(),
        attributes: (line["attributes"].as_object().expect("attributes").iter())
            .map(|(name, value)| (name.clone(), text(value)))
            .collect(),
        ordering_key: text(&line["ordering_key"]),
    }
}

/// The ids of a user's messages in the order of their first arrival, without repeats.
pub(crate) fn first_seen(received: &[Received]) -> BTreeMap<String, Vec<String>> {
    let mut seen = HashSet::new();
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for message in received {
        if seen.insert(message.id()) {
            let user = message.attributes.get("user-id").cloned().unwrap_or_default();
            users.entry(user).or_default().push(message.id().to_owned());
        }
    }
    users
}
