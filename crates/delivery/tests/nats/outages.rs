//! Servers that end, hang, or are missing.

use std::time::{Duration, Instant};

use serde_json::json;
use wearlab_delivery::nats::{Settings, Subject};
use wearlab_delivery::{Destination, Outcome};

use super::client::{assert_in_order, create_events, read};
use super::server::Server;
use super::{block, down, interleaved, message, settings, subject, until_delivered};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_server_that_is_killed_under_load_loses_nothing() {
    let mut server = Server::start().await;
    create_events(&server.url()).await;
    let destination = subject(&server.url(), &json!({}));
    let messages = interleaved(200, 100);
    let sending = tokio::spawn(async move { until_delivered(&destination, &messages).await });
    let mut kills = 0;
    while !sending.is_finished() && kills < 5 {
        tokio::time::sleep(Duration::from_millis(150)).await;
        if !sending.is_finished() {
            server.kill();
            kills += 1;
            tokio::time::sleep(Duration::from_millis(200)).await;
            server.restart().await;
        }
    }
    let downs = sending.await.expect("no panic");
    assert!(kills > 1 && downs > 0, "{kills} kills, {downs} calls that noticed");
    // The stream drops repeats, so that each message is there once.
    assert_in_order(&read(&server.url(), "EVENTS").await, 200, 100);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_server_that_hangs_is_down_in_time() {
    let server = Server::start().await;
    create_events(&server.url()).await;
    let settings = Settings {
        connect_timeout: Duration::from_secs(1),
        timeout: Duration::from_secs(1),
        ..settings()
    };
    let destination = Subject::new(&block(&server.url(), &json!({})), settings).expect("a subject");
    assert_eq!(
        destination.deliver(&[message(1, "evt-1-0")]).await,
        [Outcome::Delivered]
    );
    server.signal("-STOP");
    for part in ["no acknowledgement in time", "no connection to the server within 1s"] {
        let begun = Instant::now();
        let outcomes = destination.deliver(&interleaved(600, 2)).await;
        assert!(down(&outcomes).starts_with(part), "{:?}", outcomes[0]);
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
    server.signal("-CONT");
    assert_eq!(until_delivered(&destination, &interleaved(600, 2)).await, 0);
    assert_in_order(&read(&server.url(), "EVENTS").await, 600, 2);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn servers_are_tried_in_their_order() {
    let mut first = Server::start().await;
    let second = Server::start().await;
    create_events(&first.url()).await;
    create_events(&second.url()).await;
    let urls = format!("{},{}", first.url(), second.url());
    let destination = subject(&urls, &json!({}));
    assert_eq!(
        destination.deliver(&[message(1, "evt-1-0")]).await,
        [Outcome::Delivered]
    );
    first.kill();
    until_delivered(&destination, &[message(1, "evt-1-1")]).await;
    assert_eq!(read(&second.url(), "EVENTS").await[0].id(), "evt-1-1");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_server_that_says_nothing_leaves_time_for_the_next() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = silent.local_addr().expect("an address").port();
    let server = Server::start().await;
    create_events(&server.url()).await;
    let destination = subject(&format!("nats://127.0.0.1:{port},{}", server.url()), &json!({}));
    assert_eq!(
        destination.deliver(&[message(1, "evt-1-0")]).await,
        [Outcome::Delivered]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_is_down() {
    let outcomes = subject("nats://127.0.0.1:1", &json!({}))
        .deliver(&interleaved(3, 2))
        .await;
    assert!(down(&outcomes).contains("refused"), "{outcomes:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn connections_end_with_their_destinations() {
    // More than three concurrent connections are rejected.
    let server = Server::with("max_connections: 3").await;
    create_events(&server.url_of("")).await;
    for round in 0..20 {
        let destination = subject(&server.url_of(""), &json!({}));
        let messages = [message(1, &format!("evt-1-{round}"))];
        let sending = until_delivered(&destination, &messages);
        let sent = tokio::time::timeout(Duration::from_secs(10), sending).await;
        sent.unwrap_or_else(|_| panic!("connections are left in round {round}"));
    }
}
