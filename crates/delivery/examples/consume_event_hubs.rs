//! Consumes the events in a partition of an Azure Event Hub: drops repeats, and saves its position.
//!
//! `EVENT_HUB='Endpoint=sb://...;SharedAccessKeyName=...;SharedAccessKey=...;EntityPath=HUB' PARTITION=0 POSITION=partition-0
//! cargo run -p wearlab-delivery --features azure_amqp --example consume_event_hubs`. A hub keeps its events, whoever read
//! them: the file `POSITION` says where to go on. Run one for each partition. In a project of your own, the feature `rustls`
//! of fe2o3-amqp brings TLS, which Azure asks for.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::time::{Duration, Instant};
use std::{env, fs};

use fe2o3_amqp::sasl_profile::SaslProfile;
use fe2o3_amqp::types::messaging::{Data, Message as Amqp, Source};
use fe2o3_amqp::types::primitives::{SimpleValue, Value};
use fe2o3_amqp::{Connection, Receiver, Session};
use serde_amqp::described::Described;
use serde_amqp::descriptor::Descriptor;
use wearlab_models::consume::{Deduplicator, Message, ReadError, Received};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (hub, partition, position) = (env::var("EVENT_HUB")?, env::var("PARTITION")?, env::var("POSITION")?);
    let part = |name: &str| {
        let mut parts = hub.split(';').filter_map(|part| part.split_once('='));
        let found = parts.find(|(known, _)| *known == name);
        found.map(|(_, value)| value).ok_or(format!("EVENT_HUB has no {name}"))
    };
    let host = part("Endpoint")?.trim_start_matches("sb://").trim_end_matches('/');
    let scheme = part("UseDevelopmentEmulator").map_or("amqps", |_| "amqp");
    let mut connection = Connection::builder()
        .container_id("consume-event-hubs")
        .sasl_profile(SaslProfile::Plain {
            username: part("SharedAccessKeyName")?.to_owned(),
            password: part("SharedAccessKey")?.to_owned(),
        })
        .open(format!("{scheme}://{host}").as_str())
        .await?;
    let mut session = Session::begin(&mut connection).await?;
    let address = format!("{}/ConsumerGroups/$Default/Partitions/{partition}", part("EntityPath")?);
    let mut source = Source::builder().address(address);
    if let Ok(offset) = fs::read_to_string(&position) {
        source = source.add_to_filter(SELECTOR, after(&offset));
    }
    let receiver = Receiver::builder().name("events").source(source.build());
    let mut receiver = receiver.attach(&mut session).await?;

    let mut seen = Deduplicator::new(Duration::from_secs(48 * 3600), 100_000);
    loop {
        let delivery = receiver.recv::<Data>().await?;
        match read(delivery.message()) {
            Ok(received) => {
                let key = received.dedup_key();
                if !seen.contains(&key, Instant::now()) {
                    handle(received);
                    seen.insert(key, Instant::now());
                }
            }
            // It will never be an event: keep it aside.
            Err(error) => eprintln!("refused: {error}"),
        }
        receiver.accept(&delivery).await?;
        // Only now: an event that was not handled is read again.
        if let Some(offset) = offset(delivery.message()) {
            fs::write(&position, offset)?;
        }
    }
}

const SELECTOR: &str = "apache.org:selector-filter:string";

/// Filter of the events after an offset.
fn after(offset: &str) -> Described<Value> {
    Described {
        descriptor: Descriptor::Name(SELECTOR.into()),
        value: format!("amqp.annotation.x-opt-offset > '{offset}'").into(),
    }
}

fn offset(message: &Amqp<Data>) -> Option<&str> {
    let annotations = message.message_annotations.as_ref()?;
    let mut offsets = annotations.iter().filter(|(name, _)| **name == "x-opt-offset".into());
    match offsets.next() {
        Some((_, Value::String(offset))) => Some(offset),
        _ => None,
    }
}

/// The event of a message, by its application properties and body.
fn read(message: &Amqp<Data>) -> Result<Received, ReadError> {
    let properties = message
        .application_properties
        .iter()
        .flat_map(|properties| properties.iter());
    let labels = properties.filter_map(|(name, value)| match value {
        SimpleValue::String(value) => Some((name.as_str(), value.as_str())),
        _ => None,
    });
    Message::new(&message.body.0).labels(labels).read()
}

/// Handles an event. This example prints only the type: values are personal health data.
fn handle(received: Received) {
    let key = received.dedup_key();
    let event = received.event.upgraded().event;
    println!("{} {key}", event.event_type());
}
