//! Throughput compared with a bare publisher. Run it manually: `.ci/rabbitmq` leaves it out.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Connection, ConnectionProperties};
use wearlab_delivery::{Destination, Message, Outcome};

use super::client::Client;
use super::{broker, exchange, interleaved};

const WINDOW: usize = 1000;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "by hand: needs RabbitMQ"]
async fn speed_by_hand() {
    let mut client = Client::start();
    let name = client.topology();
    let mut messages = interleaved("speed", 500, 40);
    for message in &mut messages {
        message.payload = vec![b' '; 1024].into();
    }
    for round in 0..3 {
        let bare = bare(&name, &messages).await;
        let destination = exchange(&broker::uri(), &name);
        let begun = Instant::now();
        for batch in messages.chunks(WINDOW) {
            assert_eq!(destination.deliver(batch).await, vec![Outcome::Delivered; batch.len()]);
        }
        let ours = begun.elapsed();
        let rate = |took: Duration| messages.len() as f64 / took.as_secs_f64();
        eprintln!(
            "round {round}: bare {:.0}/s, destination {:.0}/s, ratio {:.2}",
            rate(bare),
            rate(ours),
            bare.as_secs_f64() / ours.as_secs_f64()
        );
        assert_eq!(client.take(&name, 2 * messages.len()).len(), 2 * messages.len());
    }
}

/// Publishes with a number of outstanding confirms, without an order.
async fn bare(exchange: &str, messages: &[Message]) -> Duration {
    let properties = ConnectionProperties::default();
    let connection = Connection::connect(&broker::uri(), properties)
        .await
        .expect("a connection");
    let channel = connection.create_channel().await.expect("a channel");
    channel
        .confirm_select(ConfirmSelectOptions::default())
        .await
        .expect("confirms");
    let begun = Instant::now();
    let mut window = VecDeque::new();
    for message in messages {
        if window.len() == WINDOW
            && let Some(confirm) = window.pop_front()
        {
            let confirm: lapin::PublisherConfirm = confirm;
            assert!(confirm.await.expect("a confirm").is_ack());
        }
        let options = BasicPublishOptions {
            mandatory: true,
            immediate: false,
        };
        let properties = BasicProperties::default().with_delivery_mode(2);
        let key = message.event_type.as_str().into();
        let published = channel.basic_publish(exchange.into(), key, options, &message.payload, properties);
        window.push_back(published.await.expect("published"));
    }
    for confirm in window {
        assert!(confirm.await.expect("a confirm").is_ack());
    }
    let took = begun.elapsed();
    connection.close(200, "OK".into()).await.expect("closes");
    took
}
