//! An emulator that stops, freezes and restarts; and messages that it rejects.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use wearlab_delivery::cloud_pubsub::{Settings, Topic};
use wearlab_delivery::{Destination, Outcome};

use super::consumer::{Consumer, first_seen};
use super::{all_delivered, block, down, message, number, rounds, settings, topic, variable, why_down};

/// A separate emulator, which stores nothing.
struct Emulator {
    process: Child,
    address: String,
}

impl Emulator {
    async fn start(port: u16) -> Self {
        let process = Command::new("java")
            .args(["-jar", &variable("PUBSUB_EMULATOR_JAR"), "--host=127.0.0.1"])
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("java starts");
        let address = format!("127.0.0.1:{port}");
        let emulator = Self { process, address };
        for _ in 0..600 {
            if tokio::net::TcpStream::connect(&emulator.address).await.is_ok() {
                return emulator;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the emulator does not listen");
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([name, &self.process.id().to_string()])
            .status();
        assert!(status.expect("kill runs").success());
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn free_port() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    listener.local_addr().expect("an address").port()
}

#[tokio::test]
#[ignore = "needs Google's emulator and PyPI google-cloud-pubsub"]
async fn an_emulator_that_comes_back_is_found_again() {
    let port = free_port().await;
    let emulator = Emulator::start(port).await;
    let address = emulator.address.clone();
    let consumer = Consumer::start(&address, "events", true);
    let topic = topic(&address, "events", true);
    let messages = rounds(10, 10);
    let (before, after) = messages.split_at(50);
    assert!(all_delivered(&topic.deliver(before).await));
    assert_eq!(consumer.receive(50).len(), 50);

    drop(emulator);
    let began = Instant::now();
    let outcomes = topic.deliver(after).await;
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    // A user's first message finds it down, and the others are held behind it.
    for (outcome, message) in outcomes.iter().zip(after) {
        match message.event_id.starts_with("5-") {
            true => drop(down(outcome)),
            false => assert_eq!(*outcome, Outcome::Held),
        }
    }
    let reason = down(&outcomes[0]).as_str();
    assert!(
        reason.starts_with("no connection to ") || reason.starts_with("the connection broke: "),
        "{reason}"
    );
    let reason = why_down(&topic).await;
    assert!(reason.starts_with(&format!("no connection to {address}: ")), "{reason}");

    drop(consumer);
    let _emulator = Emulator::start(port).await;
    let reason = why_down(&topic).await;
    assert!(reason.starts_with("no such topic: "), "it keeps nothing: {reason}");
    let consumer = Consumer::start(&address, "events", true);
    assert!(all_delivered(&topic.deliver(after).await));
    assert_eq!(first_seen(&consumer.receive(50)).len(), 10);
}

#[tokio::test]
#[ignore = "needs Google's emulator and PyPI google-cloud-pubsub"]
async fn an_emulator_that_freezes_holds_nothing_up() {
    let emulator = Emulator::start(free_port().await).await;
    let consumer = Consumer::start(&emulator.address, "events", true);
    let settings = Settings {
        timeout: Duration::from_secs(2),
        ..settings(&emulator.address)
    };
    let topic = Topic::new(&block("events", true), settings).expect("a topic");
    let messages = rounds(200, 5);
    assert!(all_delivered(&topic.deliver(&messages[..200]).await));

    emulator.signal("-STOP");
    let began = Instant::now();
    let outcomes = topic.deliver(&messages[200..]).await;
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert!(!outcomes.contains(&Outcome::Delivered));
    assert!(
        down(&outcomes[0]).as_str().starts_with("no response within 2s"),
        "{outcomes:?}"
    );

    emulator.signal("-CONT");
    let mut outcomes = Vec::new();
    for _ in 0..20 {
        outcomes = topic.deliver(&messages[200..]).await;
        if all_delivered(&outcomes) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert!(all_delivered(&outcomes), "{outcomes:?}");
    let seen = first_seen(&consumer.receive(messages.len()));
    assert_eq!(seen.len(), 200);
    for ids in seen.values() {
        let rounds: Vec<_> = ids.iter().map(|id| &id[..2]).collect();
        assert_eq!(rounds, ["0-", "1-", "2-", "3-", "4-"]);
    }
}

#[tokio::test]
#[ignore = "needs Google's emulator and PyPI google-cloud-pubsub"]
async fn a_missing_topic_is_used_as_soon_as_it_is_there() {
    let emulator = variable("PUBSUB_EMULATOR");
    let name = format!("missing-{}", number());
    let topic = topic(&emulator, &name, true);
    for _ in 0..2 {
        let reason = why_down(&topic).await;
        assert!(reason.starts_with("no such topic: create it, "), "{reason}");
    }
    let consumer = Consumer::start(&emulator, &name, true);
    let messages = rounds(3, 2);
    assert!(all_delivered(&topic.deliver(&messages).await));
    assert_eq!(consumer.receive(6).len(), 6);
}

#[tokio::test]
#[ignore = "needs Google's emulator and PyPI google-cloud-pubsub"]
async fn what_is_too_large_holds_up_nobody() {
    let emulator = variable("PUBSUB_EMULATOR");
    for ordered in [true, false] {
        let name = format!("large-{}", number());
        let consumer = Consumer::start(&emulator, &name, ordered);
        let topic = topic(&emulator, &name, ordered);
        let mut messages: Vec<_> = (0..7).map(|number| message(Some(1), &number.to_string())).collect();
        messages[2].payload = vec![b'x'; 10_000_000].into();
        // The emulator accepts longer ones, but delivers no more than 4 MiB together, of all publishers.
        messages[3].payload = vec![b'y'; 2_000_000].into();
        messages[4].payload = vec![b'z'; 600_000].into();
        messages[5].payload = vec![b'z'; 600_000].into();
        let outcomes = topic.deliver(&messages).await;
        for (place, outcome) in outcomes.iter().enumerate() {
            match outcome {
                Outcome::Refused { reason } if place == 2 => {
                    assert_eq!(reason.as_str(), "longer than the 10,000,000 bytes that Pub/Sub takes");
                }
                outcome => assert_eq!((place, outcome), (place, &Outcome::Delivered)),
            }
        }
        let received = consumer.receive(6);
        let lengths: usize = received.iter().map(|message| message.data.len()).sum();
        assert!(lengths > 3_200_000, "{lengths}");
        if ordered {
            let user = messages[0].user_id.expect("a user").to_string();
            assert_eq!(first_seen(&received)[&user], ["0", "1", "3", "4", "5", "6"]);
        }
    }
}
