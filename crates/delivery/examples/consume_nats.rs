//! Consumes the events in a stream of NATS JetStream: drops repeats, and acknowledges handled events.
//!
//! `NATS_URL=nats://user:password@host NATS_STREAM=EVENTS NATS_CONSUMER=name cargo run -p wearlab-delivery --features nats
//! --example consume_nats`, with a durable pull consumer of the stream that the pipeline's subject is stored in. In a
//! project of your own, the features `jetstream` and `ring` of async-nats bring what this needs, `tls:` included.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;
use std::error::Error;
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, AckKind};
use async_nats::{Client, ConnectOptions, ServerAddr};
use futures_util::TryStreamExt;
use percent_encoding::percent_decode_str;
use wearlab_models::consume::{Deduplicator, Message, ReadError, Received};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let client = connect(&env::var("NATS_URL")?).await?;
    let stream = jetstream::new(client).get_stream(env::var("NATS_STREAM")?).await?;
    let consumer: jetstream::consumer::PullConsumer = stream.get_consumer(&env::var("NATS_CONSUMER")?).await?;
    // Maximum number of unacknowledged messages.
    let mut messages = consumer.stream().max_messages_per_batch(100).messages().await?;

    let mut seen = Deduplicator::new(Duration::from_secs(48 * 3600), 100_000);
    while let Some(message) = messages.try_next().await? {
        let received = match read(&message) {
            Ok(received) => received,
            Err(error) => {
                // It will never be an event.
                eprintln!("refused: {error}");
                message.ack_with(AckKind::Term).await?;
                continue;
            }
        };
        let key = received.dedup_key();
        if !seen.contains(&key, Instant::now()) {
            handle(received);
            seen.insert(key, Instant::now());
        }
        // Only now: an event that was not handled is redelivered.
        message.ack().await?;
    }
    Ok(())
}

/// Connects with the user and password, or the token, of a URL.
async fn connect(url: &str) -> Result<Client, Box<dyn Error + Send + Sync>> {
    let server: ServerAddr = url.parse()?;
    // They are percent-encoded in URLs.
    let decode = |text: Option<&str>| text.map(|text| percent_decode_str(text).decode_utf8_lossy().into_owned());
    let options = match (decode(server.username()), decode(server.password())) {
        (Some(user), Some(password)) => ConnectOptions::with_user_and_password(user, password),
        (Some(token), None) => ConnectOptions::with_token(token),
        (None, _) => ConnectOptions::new(),
    };
    Ok(options.connect(server).await?)
}

/// The event of a message, by its headers and body.
fn read(message: &jetstream::Message) -> Result<Received, ReadError> {
    let headers = message.headers.iter().flat_map(|headers| headers.iter());
    let labels = headers.filter_map(|(name, values)| Some((AsRef::<str>::as_ref(name), values.first()?.as_str())));
    Message::new(&message.payload).labels(labels).read()
}

/// Handles an event. This example prints only the type: values are personal health data.
fn handle(received: Received) {
    let key = received.dedup_key();
    let event = received.event.upgraded().event;
    println!("{} {key}", event.event_type());
}
