//! Connections that end, are replaced, or fail.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::TcpListener;
use wearlab_delivery::azure_amqp::{Namespace, Settings};
use wearlab_delivery::{Destination, Message, Outcome};

use super::peers::{EventHubs, connection_string};
use super::relay::Relay;
use super::{block, deliver, message, namespace, reason, settings};

fn messages(count: usize) -> Vec<Message> {
    (0..count).map(|number| message(number as u128 % 7, number)).collect()
}

/// Waits until the peer has a number of connections.
async fn until_connections(hubs: &mut EventHubs, count: usize) {
    for _ in 0..100 {
        if hubs.say("connections") == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{} connections, not {count}", hubs.say("connections"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn a_connection_is_kept_and_made_anew() {
    let mut hubs = EventHubs::start(&["events"]);
    let relay = Relay::start(hubs.port, None).await;
    let namespace = namespace(&connection_string(relay.port), json!({}));
    assert_eq!(relay.accepted(), 0, "it connects when it has something to send");
    for round in 0..3 {
        assert_eq!(
            deliver(&namespace, &messages(10)).await,
            vec![Outcome::Delivered; 10],
            "{round}"
        );
    }
    assert_eq!(relay.accepted(), 1);

    // The broker ends while nothing is sent: that is noticed, and nothing fails.
    relay.close();
    until_connections(&mut hubs, 0).await;
    relay.open();
    assert_eq!(deliver(&namespace, &messages(10)).await, vec![Outcome::Delivered; 10]);
    assert_eq!(relay.accepted(), 2);

    // It is down for a while.
    relay.close();
    let outcomes = deliver(&namespace, &messages(10)).await;
    assert!(reason(&outcomes[0], "Down").contains("connection"), "{outcomes:?}");
    relay.open();
    assert_eq!(deliver(&namespace, &messages(10)).await, vec![Outcome::Delivered; 10]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn nothing_delivered_is_missing_after_a_cut_in_the_middle() {
    let hubs = EventHubs::start(&["events"]);
    let relay = Relay::start(hubs.port, None).await;
    let namespace = namespace(&connection_string(relay.port), json!({}));
    let mut delivered = Vec::new();
    for (round, bytes) in [30_000, 90_000, 10_000, 60_000].into_iter().enumerate() {
        assert_eq!(
            deliver(&namespace, &[message(99, round)]).await,
            [Outcome::Delivered],
            "connected"
        );
        relay.cut_after(bytes);
        let messages: Vec<_> = (0..300)
            .map(|number| message((number % 150) as u128, round * 300 + number))
            .collect();
        let outcomes = deliver(&namespace, &messages).await;
        let count = outcomes
            .iter()
            .filter(|outcome| **outcome == Outcome::Delivered)
            .count();
        assert!(count < 300, "it was cut: {count}");
        for (message, outcome) in messages.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Delivered => delivered.push(message.event_id),
                Outcome::Down { .. } | Outcome::Held => {}
                other => panic!("{other:?}"),
            }
        }
        relay.open();
    }
    assert!(!delivered.is_empty());
    hubs.receive("events").all_of(delivered.iter().map(String::as_str));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn what_is_dropped_leaves_no_connection() {
    let mut hubs = EventHubs::start(&["events"]);
    let namespace = namespace(&hubs.connection_string(), json!({}));
    assert_eq!(deliver(&namespace, &messages(3)).await, vec![Outcome::Delivered; 3]);
    assert_eq!(hubs.say("connections"), 1);

    // The future of a call.
    hubs.say("fault events hold");
    let given_up = tokio::time::timeout(Duration::from_millis(300), namespace.deliver(&messages(3))).await;
    assert!(given_up.is_err(), "nothing is confirmed");
    until_connections(&mut hubs, 0).await;
    hubs.say("fault events accept");
    assert_eq!(deliver(&namespace, &messages(3)).await, vec![Outcome::Delivered; 3]);

    // The destination.
    drop(namespace);
    until_connections(&mut hubs, 0).await;
    for _ in 0..100 {
        if tasks() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{} tasks", tasks());
}

/// Number of tasks in this test.
fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// Simulates a process that is alive and silent, which the peer cannot do.
#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let accepting = tokio::spawn(async move {
        let mut kept = Vec::new();
        loop {
            kept.push(listener.accept().await);
        }
    });
    for text in [
        connection_string(port),
        connection_string(port).replace("UseDevelopmentEmulator=true", ""),
    ] {
        let settings = Settings {
            connect_timeout: Duration::from_millis(300),
            ..settings()
        };
        let namespace = Namespace::new(&block(&text, json!({})), settings).expect("a namespace");
        let began = Instant::now();
        let outcomes = deliver(&namespace, &messages(20)).await;
        assert!(began.elapsed() < Duration::from_secs(3));
        assert_eq!(
            reason(&outcomes[0], "Down"),
            "the namespace did not respond within 300ms"
        );
    }
    accepting.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_reached_is_down() {
    let free = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let unreachable = [
        connection_string(port),
        connection_string(port).replace("127.0.0.1", "nowhere.invalid"),
    ];
    for text in unreachable {
        let outcomes = deliver(&namespace(&text, json!({})), &messages(8)).await;
        assert!(
            reason(&outcomes[0], "Down").starts_with("no connection to the namespace: "),
            "{outcomes:?}"
        );
        assert_eq!(outcomes[7], Outcome::Held, "the first user's second message");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_speaks_something_else_is_down() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let answering = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let outcomes = deliver(&namespace(&connection_string(port), json!({})), &messages(1)).await;
    let said = reason(&outcomes[0], "Down");
    assert_eq!(said, "the namespace's host does not speak AMQP 1.0");
    let tls = connection_string(port).replace("UseDevelopmentEmulator=true", "");
    let outcomes = deliver(&namespace(&tls, json!({})), &messages(1)).await;
    assert!(
        reason(&outcomes[0], "Down").starts_with("no TLS with the namespace: "),
        "{outcomes:?}"
    );
    answering.abort();
}
