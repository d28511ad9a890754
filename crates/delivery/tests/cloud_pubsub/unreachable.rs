//! Endpoints that are missing or silent. Needs no peer.

use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use wearlab_delivery::cloud_pubsub::{Settings, Topic};
use wearlab_delivery::{Destination, Outcome};

use super::{block, down, rounds, settings, topic, why_down};

#[tokio::test]
async fn what_cannot_be_reached_says_so() {
    let closed = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = closed.local_addr().expect("an address").to_string();
    drop(closed);
    let reason = why_down(&topic(&address, "events", true)).await;
    assert!(
        reason.starts_with(&format!("no connection to {address}: Connection refused")),
        "{reason}"
    );
    assert!(reason.ends_with("check the endpoint, DNS and the firewall"), "{reason}");
    let reason = why_down(&topic("nowhere.invalid:8085", "events", true)).await;
    assert!(
        reason.starts_with("no connection to nowhere.invalid:8085: "),
        "{reason}"
    );
}

#[tokio::test]
async fn order_holds_also_when_nothing_is_sent() {
    for ordered in [true, false] {
        let outcomes = topic("127.0.0.1:1", "events", ordered).deliver(&rounds(3, 2)).await;
        assert_eq!(outcomes.len(), 6);
        for outcome in &outcomes[..3] {
            down(outcome);
        }
        let later = if ordered { &Outcome::Held } else { &outcomes[0] };
        assert!(outcomes[3..].iter().all(|outcome| outcome == later), "{outcomes:?}");
    }
}

/// A silent peer that accepts connections, and their number.
async fn silent() -> (String, tokio::sync::watch::Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let (open, count) = tokio::sync::watch::channel(0);
    tokio::spawn(async move {
        let open = std::sync::Arc::new(open);
        while let Ok((mut stream, _)) = listener.accept().await {
            let open = std::sync::Arc::clone(&open);
            tokio::spawn(async move {
                open.send_modify(|open| *open += 1);
                let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
                open.send_modify(|open| *open -= 1);
            });
        }
    });
    (address, count)
}

fn impatient(address: &str) -> Topic {
    let settings = Settings {
        timeout: Duration::from_millis(500),
        ..settings(address)
    };
    Topic::new(&block("events", true), settings).expect("a topic")
}

#[tokio::test]
async fn silence_is_bounded() {
    let (address, _) = silent().await;
    let topic = impatient(&address);
    for _ in 0..2 {
        let began = Instant::now();
        let outcomes = topic.deliver(&rounds(500, 2)).await;
        assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
        assert!(
            down(&outcomes[0]).as_str().starts_with("no response within 500ms"),
            "{outcomes:?}"
        );
        assert!(!outcomes.contains(&Outcome::Delivered));
    }
}

#[tokio::test]
async fn nothing_stays_behind() {
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let (address, mut open) = silent().await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let before = tasks();
    let topic = impatient(&address);
    for _ in 0..3 {
        let messages = rounds(100, 5);
        let given_up = tokio::time::timeout(Duration::from_millis(100), topic.deliver(&messages)).await;
        assert!(given_up.is_err(), "{given_up:?}");
    }
    topic.deliver(&rounds(100, 5)).await;
    drop(topic);
    // Within the timeout of a request, and a little more.
    let all = async {
        open.wait_for(|open| *open == 0).await.expect("it counts");
        while tasks() > before {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(3), all).await;
    assert!(
        ended.is_ok(),
        "{} connections, {} tasks",
        *open.borrow(),
        tasks() - before
    );
}
