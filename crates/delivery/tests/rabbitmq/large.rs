//! Messages that are too large, which brokers reject by closing the channel.

use std::time::{Duration, Instant};

use wearlab_delivery::{Destination, Message, Outcome};

use super::client::Client;
use super::proxy::{Proxy, Way};
use super::{broker, down, exchange, interleaved};

fn refused(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Refused { reason } => reason.as_str().contains("max_message_size"),
        _ => false,
    }
}

fn of_size(message: &mut Message, size: usize) {
    message.payload = vec![b' '; size].into();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn what_is_too_large_is_refused_alone() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let destination = exchange(&broker::uri(), &name);
    let mut messages = interleaved("large", 60, 2);
    of_size(&mut messages[3], 4_000_001);
    of_size(&mut messages[7], 4_000_000);
    of_size(&mut messages[50], 20_000_000);
    let outcomes = destination.deliver(&messages).await;
    for (index, outcome) in outcomes.iter().enumerate() {
        match index {
            3 | 50 => assert!(refused(outcome), "{outcome:?}"),
            _ => assert_eq!(*outcome, Outcome::Delivered, "{index}"),
        }
    }
    let received = client.take(&name, 118);
    let largest = received.iter().map(|received| received.body.len()).max();
    assert_eq!(largest, Some(4_000_000));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn a_broker_that_closes_the_channel_and_then_gets_no_response_is_not_waited_for() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let proxy = Proxy::start(broker::port()).await;
    let destination = exchange(&broker::uri_at(proxy.port), &name);
    let mut messages = interleaved("deaf", 2, 1);
    assert_eq!(destination.deliver(&messages[..1]).await, [Outcome::Delivered]);
    of_size(&mut messages[0], 4_000_001);
    proxy.set(Way::Deafening);
    let begun = Instant::now();
    let outcomes = destination.deliver(&messages[..1]).await;
    assert!(refused(&outcomes[0]), "{outcomes:?}");
    // The broker itself aborts after a minute, if it still exists.
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    proxy.set(Way::Open);
    assert_eq!(destination.deliver(&messages[1..]).await, [Outcome::Delivered]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn a_broker_that_takes_little_is_got_to_know() {
    let _turn = broker::alone().await;
    let mut client = Client::start();
    let name = client.topology();
    let destination = exchange(&broker::uri(), &name);
    let limit = |bytes: u32| format!("application:set_env(rabbit, max_message_size, {bytes}).");
    broker::script("ctl", &["eval", &limit(10_000)]).await;
    let mut messages = interleaved("little", 60, 1);
    of_size(&mut messages[3], 20_000);
    of_size(&mut messages[50], 30_000);
    let first = destination.deliver(&messages).await;
    let reason = first
        .iter()
        .find(|outcome| **outcome != Outcome::Delivered)
        .expect("one failed");
    assert!(down(std::slice::from_ref(reason)).contains("the largest is sent alone from now on"));
    let mut calls = 1;
    let last = loop {
        let outcomes = destination.deliver(&messages).await;
        calls += 1;
        if outcomes.iter().all(|outcome| !matches!(outcome, Outcome::Down { .. })) {
            break outcomes;
        }
    };
    broker::script("ctl", &["eval", &limit(4_000_000)]).await;
    assert!(calls <= 3, "{calls}");
    let failed: Vec<_> = (0..60).filter(|index| last[*index] != Outcome::Delivered).collect();
    assert_eq!(failed, [3, 50]);
    assert!(refused(&last[3]) && refused(&last[50]), "{last:?}");
}
