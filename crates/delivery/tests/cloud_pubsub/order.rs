//! Order of each user's messages, despite broken connections and slow consumers.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use wearlab_delivery::{Destination, Message, Outcome};

use super::consumer::{Consumer, first_seen};
use super::proxy::Proxy;
use super::{all_delivered, number, rounds, topic, variable};

/// The ids of each user's messages, in order.
fn by_user(messages: &[Message]) -> BTreeMap<String, Vec<String>> {
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for message in messages {
        let user = message.user_id.map(|user| user.to_string()).unwrap_or_default();
        users.entry(user).or_default().push(message.event_id.clone());
    }
    users
}

/// Delivers like a dispatcher: repeats failed messages, in the same order, until none is left. Returns the number of
/// failures, and checks that no user's message is delivered after a failed one.
async fn deliver_all(topic: &impl Destination, messages: &[Message]) -> usize {
    let mut left = messages.to_vec();
    let mut failures = 0;
    for _ in 0..200 {
        let outcomes = topic.deliver(&left).await;
        assert_eq!(outcomes.len(), left.len());
        let mut held = HashSet::new();
        let mut again = Vec::new();
        for (message, outcome) in left.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Delivered => assert!(
                    !topic.ordered() || !held.contains(&message.user_id),
                    "{} overtook an earlier one",
                    message.event_id
                ),
                Outcome::Down { .. } | Outcome::Held | Outcome::Retry { .. } => {
                    failures += 1;
                    held.insert(message.user_id);
                    again.push(message);
                }
                other => panic!("{other:?}"),
            }
        }
        if again.is_empty() {
            return failures;
        }
        left = again;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} are left", left.len());
}

#[tokio::test]
#[ignore = "needs Google's emulator and PyPI google-cloud-pubsub"]
async fn users_are_kept_in_order() {
    let emulator = variable("PUBSUB_EMULATOR");
    let name = format!("order-{}", number());
    let consumer = Consumer::slow(&emulator, &name, true, 1);
    let topic = topic(&emulator, &name, true);
    let messages = rounds(100, 30);
    for batch in messages.chunks(1000) {
        let outcomes = topic.deliver(batch).await;
        assert!(all_delivered(&outcomes), "{outcomes:?}");
    }
    let received = consumer.receive(messages.len());
    assert_eq!(received.len(), messages.len(), "no repeats");
    assert_eq!(first_seen(&received), by_user(&messages));
}

#[tokio::test]
#[ignore = "needs Google's emulator and PyPI google-cloud-pubsub"]
async fn broken_connections_lose_nothing_and_keep_the_order() {
    let emulator = variable("PUBSUB_EMULATOR");
    for (ordered, cut_after) in [(true, 40_000), (true, 9_000), (false, 40_000)] {
        let name = format!("cut-{}", number());
        let consumer = Consumer::start(&emulator, &name, ordered);
        let proxy = Proxy::start(&emulator, cut_after).await;
        let topic = topic(&proxy.address, &name, ordered);
        let messages = rounds(20, 50);
        let mut failures = 0;
        for batch in messages.chunks(250) {
            failures += deliver_all(&topic, batch).await;
        }
        assert!(proxy.connections() > 5, "{} connections", proxy.connections());
        let received = consumer.receive(messages.len());
        eprintln!(
            "cut after {cut_after} bytes: {} connections, {failures} failures, {} repeats",
            proxy.connections(),
            received.len() - messages.len()
        );
        let (mut got, mut sent) = (first_seen(&received), by_user(&messages));
        if !ordered {
            got.values_mut()
                .chain(sent.values_mut())
                .for_each(|ids| ids.sort_unstable());
        }
        assert_eq!(got, sent);
    }
}

#[tokio::test]
#[ignore = "needs Google's emulator and PyPI google-cloud-pubsub"]
async fn a_connection_that_was_cut_while_idle_is_no_fault() {
    let emulator = variable("PUBSUB_EMULATOR");
    let name = format!("idle-{}", number());
    let consumer = Consumer::start(&emulator, &name, true);
    let proxy = Proxy::start(&emulator, usize::MAX).await;
    let topic = topic(&proxy.address, &name, true);
    let messages = rounds(5, 3);
    for batch in messages.chunks(5) {
        assert!(all_delivered(&topic.deliver(batch).await));
        proxy.cut();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(first_seen(&consumer.receive(messages.len())), by_user(&messages));
}
