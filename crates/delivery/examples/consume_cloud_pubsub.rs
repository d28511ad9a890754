//! Consumes the events of a subscription of Cloud Pub/Sub: drops repeats, and acknowledges handled events.
//!
//! `PUBSUB_SUBSCRIPTION=projects/PROJECT/subscriptions/NAME cargo run -p wearlab-delivery --features cloud_pubsub --example
//! consume_cloud_pubsub`, with a subscription to the pipeline's topic and Google's Application Default Credentials, or with
//! `PUBSUB_EMULATOR_HOST=host:port`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;
use std::error::Error;
use std::time::{Duration, Instant};

use google_cloud_auth::credentials::anonymous;
use google_cloud_pubsub::client::Subscriber;
use wearlab_models::consume::{Deduplicator, Message, Received};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = match env::var("PUBSUB_EMULATOR_HOST") {
        Ok(emulator) => Subscriber::builder()
            .with_endpoint(format!("http://{emulator}"))
            .with_credentials(anonymous::Builder::new().build()),
        Err(_) => Subscriber::builder(),
    };
    let client = client.build().await?;
    let mut messages = client.subscribe(env::var("PUBSUB_SUBSCRIPTION")?).build();

    let mut seen = Deduplicator::new(Duration::from_secs(48 * 3600), 100_000);
    while let Some((message, handler)) = messages.next().await.transpose()? {
        let received = match Message::new(&message.data).labels(&message.attributes).read() {
            Ok(received) => received,
            Err(error) => {
                // It is redelivered until the subscription moves it to the dead letters, if it has a topic for them.
                eprintln!("refused: {error}");
                handler.nack();
                continue;
            }
        };
        let key = received.dedup_key();
        if !seen.contains(&key, Instant::now()) {
            handle(received);
            seen.insert(key, Instant::now());
        }
        // Only now: an event that was not handled is redelivered.
        handler.ack();
    }
    Ok(())
}

/// Handles an event. This example prints only the type: values are personal health data.
fn handle(received: Received) {
    let key = received.dedup_key();
    let event = received.event.upgraded().event;
    println!("{} {key}", event.event_type());
}
