//! Messages that a third-party client receives.

use serde_json::json;
use wearlab_delivery::rabbitmq::{Exchange, Settings};
use wearlab_delivery::{Checked, Destination, Outcome};
use wearlab_models::Event;

use super::client::{Client, assert_in_order};
use super::{block, broker, events, exchange, interleaved, local, message};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn every_type_of_event_arrives_as_it_is_documented() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let messages = events::of_every_type().await;
    let outcomes = exchange(&broker::uri(), &name).deliver(&messages).await;
    assert_eq!(outcomes, vec![Outcome::Delivered; messages.len()]);

    let mut received = client.take(&name, messages.len());
    for message in &messages {
        let at = received.iter().position(|received| received.id() == message.event_id);
        let received = received.swap_remove(at.expect("it arrived"));
        assert_eq!(received.exchange, name);
        assert_eq!(received.routing_key, message.event_type);
        assert_eq!(received.body, message.payload);
        let expected = json!({
            "content_type": "application/json",
            "content_encoding": "utf-8",
            "delivery_mode": 2,
            "message_id": message.event_id,
            "type": message.event_type,
            "timestamp": message.created_on.timestamp(),
            "app_id": "wearlab",
            "headers": {
                "event-type": message.event_type,
                "event-id": message.event_id,
                "team-id": message.team_id,
                "user-id": message.user_id,
            },
        });
        assert_eq!(received.properties, expected);
        let event: Event = serde_json::from_slice(&received.body).expect("an event");
        assert_eq!(event.event_type(), message.event_type);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn users_keep_their_order() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let destination = exchange(&broker::uri(), &name);
    let messages = interleaved("order", 300, 12);
    for batch in messages.chunks(destination.batch()) {
        let outcomes = destination.deliver(batch).await;
        assert_eq!(outcomes, vec![Outcome::Delivered; batch.len()]);
    }
    assert_in_order(&client.take(&name, messages.len()), 300, 12);
    assert!(client.take_all(&name).is_empty(), "nothing came twice");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn tls_trusts_what_the_operator_trusts() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let trusting = Settings {
        extra_roots: vec![broker::file("ca.pem").into_bytes()],
        policy: local(),
        ..Settings::default()
    };
    let uri = broker::file("tls-uri");
    for uri in [&uri, &uri.replace("127.0.0.1", "localhost")] {
        let destination = Exchange::new(&block(uri, &name), trusting.clone()).expect("an exchange");
        let messages = interleaved("tls", 50, 4);
        let outcomes = destination.deliver(&messages).await;
        assert_eq!(outcomes, vec![Outcome::Delivered; 200]);
        assert_in_order(&client.take(&name, 200), 50, 4);
    }

    let outcomes = exchange(&uri, &name).deliver(&[message(1, "evt-1-0")]).await;
    assert_eq!(
        super::down(&outcomes),
        "no TLS with the broker: invalid peer certificate: UnknownIssuer"
    );
    let plain = exchange(&uri.replace("amqps:", "amqp:"), &name);
    super::down(&plain.deliver(&[message(1, "evt-1-0")]).await);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn a_check_says_what_it_sent_to() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let checked = exchange(&broker::uri(), &name).check(&message(1, "evt-1-0")).await;
    let expected = Checked {
        target: format!("exchange {name}"),
        outcome: Outcome::Delivered,
    };
    assert_eq!(checked, [expected]);
    client.take(&name, 1);
}
