//! Consumes the events in a queue of RabbitMQ: drops repeats, and acknowledges handled events.
//!
//! `AMQP_URI=amqp://user:password@host/vhost AMQP_QUEUE=events cargo run -p wearlab-delivery --features rabbitmq --example
//! consume_rabbitmq`, with a queue that is bound to the pipeline's exchange. In a project of your own, the feature
//! `rustls` of lapin brings `amqps:`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;
use std::error::Error;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{Connection, ConnectionProperties};
use wearlab_models::consume::{Deduplicator, Message, ReadError, Received};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let connection = Connection::connect(&env::var("AMQP_URI")?, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    // Maximum number of unacknowledged messages; without a limit, the broker sends all.
    channel.basic_qos(100, BasicQosOptions::default()).await?;
    let (queue, tag) = (env::var("AMQP_QUEUE")?, ShortString::default());
    let options = BasicConsumeOptions::default();
    let mut deliveries = channel
        .basic_consume(queue.into(), tag, options, FieldTable::default())
        .await?;

    let mut seen = Deduplicator::new(Duration::from_secs(48 * 3600), 100_000);
    while let Some(delivery) = deliveries.try_next().await? {
        let received = match read(&delivery) {
            Ok(received) => received,
            Err(error) => {
                // It will never be an event. It goes to the dead letters, if the queue has an exchange for them.
                eprintln!("refused: {error}");
                delivery.reject(BasicRejectOptions { requeue: false }).await?;
                continue;
            }
        };
        let key = received.dedup_key();
        if !seen.contains(&key, Instant::now()) {
            handle(received);
            seen.insert(key, Instant::now());
        }
        // Only now: an event that was not handled is redelivered.
        delivery.ack(BasicAckOptions::default()).await?;
    }
    Ok(())
}

/// The event of a message, by its headers and body.
fn read(delivery: &Delivery) -> Result<Received, ReadError> {
    let headers = delivery.properties.headers().iter().flat_map(FieldTable::inner);
    let labels = headers.filter_map(|(name, value)| match value {
        AMQPValue::LongString(value) => Some((name.as_str(), str::from_utf8(value.as_bytes()).ok()?)),
        _ => None,
    });
    Message::new(&delivery.data).labels(labels).read()
}

/// Handles an event. This example prints only the type: values are personal health data.
fn handle(received: Received) {
    let key = received.dedup_key();
    let event = received.event.upgraded().event;
    println!("{} {key}", event.event_type());
}
