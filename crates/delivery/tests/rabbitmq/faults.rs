//! Faulty configurations, and the broker's responses.

use serde_json::json;
use wearlab_delivery::{Destination, Outcome};

use super::client::{Client, first_seen};
use super::{broker, down, exchange, interleaved, message};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn unroutable_messages_are_distinguished_from_those_that_arrive() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = broker::name();
    client.exchange(&name);
    client.queue(&name, &name, "daily.#", json!({}));
    let destination = exchange(&broker::uri(), &name);
    // The broker returns some messages while it writes others to its disk, and confirms many together.
    for round in 0..10 {
        let mut messages = interleaved(&format!("unroutable-{round}"), 400, 2);
        for message in messages.iter_mut().skip(round).step_by(7) {
            message.event_type = "historical.data.steps.created".to_owned();
        }
        let outcomes = destination.deliver(&messages).await;
        let mut delivered = Vec::new();
        for (message, outcome) in messages.iter().zip(outcomes) {
            match outcome {
                Outcome::Delivered => delivered.push(message.event_id.clone()),
                Outcome::Held => {}
                Outcome::Retry { reason, not_before } => {
                    let expected =
                        format!("unroutable: no queue is bound to exchange {name} for historical.data.steps.created");
                    assert_eq!((reason.as_str(), not_before), (expected.as_str(), None));
                    assert!(message.event_type.starts_with("historical."));
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(delivered.len() > 500, "{}", delivered.len());
        let mut received: Vec<_> = client.take_all(&name).iter().map(|received| received.id()).collect();
        received.sort_unstable();
        delivered.sort_unstable();
        assert_eq!(received, delivered);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn a_missing_exchange_is_named() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = broker::name();
    let destination = exchange(&broker::uri(), &name);
    let messages = interleaved("missing", 20, 1);
    let expected = format!("no such exchange in the vhost: declare it, or fix rabbitmq.exchange: {name}");
    assert_eq!(down(&destination.deliver(&messages).await), expected);

    client.exchange(&name);
    client.queue(&name, &name, "#", json!({}));
    assert_eq!(destination.deliver(&messages).await, vec![Outcome::Delivered; 20]);
    client.delete_exchange(&name);
    let outcomes = destination.deliver(&messages).await;
    assert_eq!(outcomes.len(), 20);
    assert!(
        outcomes
            .iter()
            .all(|outcome| down(std::slice::from_ref(outcome)) == expected)
    );
    assert_eq!(down(&destination.deliver(&messages).await), expected);
    client.exchange(&name);
    client.queue(&name, &name, "#", json!({}));
    assert_eq!(destination.deliver(&messages).await, vec![Outcome::Delivered; 20]);
    assert_eq!(first_seen(&client.take(&name, 40)).len(), 20);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn missing_write_permission_is_reported_with_a_fix() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let reader = broker::name();
    broker::script("ctl", &["add_user", &reader, "hunter2"]).await;
    let uri = broker::uri();
    let at = uri.split_once('@').expect("a host").1;
    let as_reader = format!("amqp://{reader}:hunter2@{at}");
    for (uri, part) in [
        (
            format!("amqp://wearlab:hunter2@{at}"),
            "rejected the login: fix the user and password",
        ),
        (
            format!("amqp://nobody:hunter2@{at}"),
            "rejected the login: fix the user and password",
        ),
        (format!("{}nowhere", uri.trim_end_matches("%2F")), "no such vhost"),
        (as_reader.clone(), "the user may not access it"),
    ] {
        let outcomes = exchange(&uri, &name)
            .deliver(&[message(1, "a-1-0"), message(2, "a-2-0")])
            .await;
        assert!(down(&outcomes).contains(part), "{outcomes:?}");
        assert_eq!(outcomes[0], outcomes[1]);
    }
    broker::script("ctl", &["set_permissions", &reader, "", "", ".*"]).await;
    let destination = exchange(&as_reader, &name);
    let outcomes = destination.deliver(&[message(1, "a-1-0")]).await;
    assert_eq!(
        down(&outcomes),
        format!("the user may not write to the exchange: grant it write permission for {name}")
    );
    broker::script("ctl", &["set_permissions", &reader, "", ".*", ".*"]).await;
    assert_eq!(destination.deliver(&[message(1, "a-1-0")]).await, [Outcome::Delivered]);
    client.take(&name, 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn a_full_queue_is_no_reason_to_stop() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = broker::name();
    client.exchange(&name);
    client.queue(
        &name,
        &name,
        "#",
        json!({"x-max-length": 5, "x-overflow": "reject-publish"}),
    );
    let destination = exchange(&broker::uri(), &name);
    let outcomes = destination.deliver(&interleaved("full", 100, 1)).await;
    let delivered = outcomes
        .iter()
        .filter(|outcome| **outcome == Outcome::Delivered)
        .count();
    let rejected = outcomes.iter().filter(|outcome| match outcome {
        Outcome::Retry { reason, .. } => reason.as_str().contains("(nack)"),
        _ => false,
    });
    assert!(delivered >= 5, "{outcomes:?}");
    assert_eq!(delivered + rejected.count(), 100);
    assert_eq!(client.take_all(&name).len(), delivered);
    let outcomes = destination.deliver(&[message(1, "full-1-1")]).await;
    assert_eq!(outcomes, [Outcome::Delivered], "the connection is still good");
}
