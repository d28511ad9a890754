//! Order of each user's events, despite broken connections.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use wearlab_delivery::azure_amqp::Namespace;
use wearlab_delivery::{Message, Outcome};

use super::peers::{EventHubs, connection_string};
use super::relay::Relay;
use super::{deliver, message, namespace, text};

/// Events of users, interleaved.
fn interleaved(users: usize, each: usize) -> Vec<Message> {
    (0..users * each)
        .map(|index| message((index % users) as u128 + 1, index / users))
        .collect()
}

/// Delivers like a dispatcher: repeats undelivered messages, in their order, until all are delivered. Counts the calls
/// that delivered all, and those that did not.
async fn until_delivered(namespace: &Namespace, messages: &[Message], batch: usize) -> (usize, usize) {
    let mut left = messages.to_vec();
    let (mut whole, mut broken) = (0, 0);
    while !left.is_empty() {
        let now: Vec<_> = left.iter().take(batch).cloned().collect();
        let outcomes = deliver(namespace, &now).await;
        let delivered = outcomes
            .iter()
            .filter(|outcome| **outcome == Outcome::Delivered)
            .count();
        // After a user's message has failed, none of the user's later ones is delivered in the same call.
        let mut held = HashMap::new();
        for (message, outcome) in now.iter().zip(&outcomes) {
            let held = held.entry(message.user_id).or_insert(false);
            assert_eq!(*held, *outcome == Outcome::Held, "{outcomes:?}");
            *held |= *outcome != Outcome::Delivered;
        }
        let kept = now
            .into_iter()
            .zip(outcomes)
            .filter(|(_, outcome)| *outcome != Outcome::Delivered);
        let kept: Vec<_> = kept.map(|(message, _)| message).collect();
        let kept_none = kept.is_empty();
        left.splice(..kept.len() + delivered, kept);
        match kept_none {
            true => whole += 1,
            false => broken += 1,
        }
        assert!(broken < 500, "it gets on");
    }
    (whole, broken)
}

/// Asserts that every event arrived, and the first copy of each in its user's order.
fn assert_in_order(lines: &[Value], messages: &[Message]) {
    let mut firsts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in lines {
        let of_user = firsts.entry(text(line, "partition_key")).or_default();
        let id = text(line, "message_id");
        if !of_user.contains(&id) {
            of_user.push(id);
        }
    }
    let mut expected: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for message in messages {
        let of_user = expected
            .entry(message.user_id.expect("a user").to_string())
            .or_default();
        of_user.push(&message.event_id);
    }
    assert_eq!(firsts.len(), expected.len());
    for (user, ids) in expected {
        assert_eq!(firsts[user.as_str()], ids, "of user {user}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn many_users_interleaved() {
    let hubs = EventHubs::start(&["events"]);
    let namespace = namespace(&hubs.connection_string(), json!({}));
    let messages = interleaved(60, 30);
    let calls = until_delivered(&namespace, &messages, 500).await;
    assert_eq!(calls, (4, 0), "each call delivers all");
    let lines = hubs.receive("events").exactly(messages.len());
    assert_in_order(&lines, &messages);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn a_user_with_more_than_one_batch_holds() {
    let hubs = EventHubs::with_limit(4096, &["events"]);
    let namespace = namespace(&hubs.connection_string(), json!({}));
    let messages = interleaved(3, 100);
    assert_eq!(until_delivered(&namespace, &messages, 500).await, (1, 0));
    assert_in_order(&hubs.receive("events").exactly(messages.len()), &messages);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn across_broken_connections() {
    let hubs = EventHubs::with_limit(4096, &["events"]);
    // Each connection is cut: some while connecting, some during events. A call sends some 40 kB, and
    // on a fast machine nothing is confirmed before the cut: now and then, all of it must fit.
    let relay = Relay::cutting_each(hubs.port, |number| 1000 + number * 4_111 % 200_000).await;
    let namespace = namespace(&connection_string(relay.port), json!({}));
    let messages = interleaved(20, 150);
    let (_, broken) = until_delivered(&namespace, &messages, 100).await;
    assert!(broken > 10, "{broken} calls were cut");
    let lines = hubs
        .receive("events")
        .all_of(messages.iter().map(|message| message.event_id.as_str()));
    assert_in_order(&lines, &messages);
}
