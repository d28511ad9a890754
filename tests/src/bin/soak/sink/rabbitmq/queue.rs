//! Queue for all messages, with a consumer that records each in order.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::StreamExt;
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicQosOptions, ExchangeDeclareOptions, QueueBindOptions,
    QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{Channel, Connection, ConnectionProperties, ExchangeKind};
use serde_json::Value;
use tokio::time::timeout;

use crate::sink::Received;
use crate::world::{team_id, team_of, user_of};

pub(super) const EXCHANGE: &str = "wearlab.soak";
const QUEUE: &str = "soak";
/// Binding pattern that matches every routing key.
const ALL: &str = "#";
/// Maximum number of unacknowledged messages of the consumer. After a kill all of them are redelivered.
const PREFETCH: u16 = 200;
/// Time limit of connecting to the broker.
const GREETING: Duration = Duration::from_secs(10);
/// Idle time after which the consumer reconnects: lapin may wait forever on a connection that ended.
const IDLE: Duration = Duration::from_secs(20);
/// Pause before a reconnect.
const PAUSE: Duration = Duration::from_millis(100);
/// Delivery mode of messages that survive a restart of the broker.
const PERSISTENT: u8 = 2;

/// Records of the consumer.
#[derive(Default)]
pub(super) struct Notes {
    inner: Mutex<Inner>,
}

#[derive(Default)]
pub(super) struct Inner {
    pub(super) received: Vec<Received>,
    /// Number of received messages.
    pub(super) count: u64,
    /// Number of redelivered messages: the broker was killed before it received the acknowledgement.
    pub(super) redelivered: u64,
    /// Invalid messages.
    pub(super) offences: Vec<String>,
}

impl Notes {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, delivery: &Delivery) {
        let mut notes = self.lock();
        notes.count += 1;
        notes.redelivered += u64::from(delivery.redelivered);
        match read(delivery) {
            Ok(received) => notes.received.push(received),
            Err(error) => notes.offences.push(format!("{error:#}")),
        }
    }
}

/// Declares an exchange, and a queue for all its messages. Both are durable.
pub(super) async fn declare(uri: &str) -> Result<()> {
    let (_connection, channel) = greeted(uri).await?;
    let exchange = ExchangeDeclareOptions {
        durable: true,
        ..ExchangeDeclareOptions::default()
    };
    let queue = QueueDeclareOptions::durable();
    let none = FieldTable::default;
    channel
        .exchange_declare(EXCHANGE.into(), ExchangeKind::Topic, exchange, none())
        .await?;
    channel.queue_declare(QUEUE.into(), queue, none()).await?;
    bind(uri).await
}

/// Binds the queue to all messages.
pub(super) async fn bind(uri: &str) -> Result<()> {
    let (_connection, channel) = greeted(uri).await?;
    let (options, none) = (QueueBindOptions::default(), FieldTable::default());
    let bound = channel.queue_bind(QUEUE.into(), EXCHANGE.into(), ALL.into(), options, none);
    Ok(timeout(GREETING, bound).await??)
}

/// Unbinds the queue, so that the broker returns messages.
pub(super) async fn unbind(uri: &str) -> Result<()> {
    let (_connection, channel) = greeted(uri).await?;
    let unbound = channel.queue_unbind(QUEUE.into(), EXCHANGE.into(), ALL.into(), FieldTable::default());
    Ok(timeout(GREETING, unbound).await??)
}

/// Consumes the queue until it is cancelled.
pub(super) async fn consume(uri: &str, notes: &Notes) {
    loop {
        // It fails whenever the broker is killed, and then continues.
        let _ = consume_once(uri, notes).await;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Records messages and then acknowledges them, until the connection ends.
async fn consume_once(uri: &str, notes: &Notes) -> Result<()> {
    let (_connection, channel) = greeted(uri).await?;
    let consuming = async {
        channel.basic_qos(PREFETCH, BasicQosOptions::default()).await?;
        let options = BasicConsumeOptions::default();
        channel
            .basic_consume(QUEUE.into(), "soak".into(), options, FieldTable::default())
            .await
    };
    let mut consumer = timeout(GREETING, consuming).await??;
    while let Some(delivery) = timeout(IDLE, consumer.next()).await? {
        let delivery = delivery?;
        notes.note(&delivery);
        timeout(IDLE, delivery.ack(BasicAckOptions::default())).await??;
    }
    Ok(())
}

/// Opens a connection with a channel.
async fn greeted(uri: &str) -> Result<(Connection, Channel)> {
    let greeting = async {
        let connection = Connection::connect(uri, ConnectionProperties::default()).await?;
        let channel = connection.create_channel().await?;
        Ok((connection, channel))
    };
    timeout(GREETING, greeting).await?
}

/// Parses an event. Fails if the message has the wrong layout.
fn read(delivery: &Delivery) -> Result<Received> {
    let properties = &delivery.properties;
    let event_id = properties.message_id().as_ref().context("a message without an id")?;
    let (event_id, key) = (event_id.as_str(), delivery.routing_key.as_str());
    let payload: Value = serde_json::from_slice(&delivery.data).with_context(|| event_id.to_owned())?;
    let said = |pointer: &str| payload.pointer(pointer).and_then(Value::as_str);
    let text = |text: &Option<ShortString>| text.as_ref().map(ToString::to_string);
    let header = |name: &str| match properties.headers().as_ref()?.inner().get(name)? {
        AMQPValue::LongString(text) => Some(text.to_string()),
        _ => None,
    };
    let user = said("/user_id").or(said("/data/user_id"));
    let team = user.and_then(|user| user.parse().ok()).and_then(user_of).map(team_of);
    let team = team.with_context(|| format!("{event_id} is about no user of ours"))?;
    let id_of_team = team_id(team).to_string();
    for (what, is, should) in [
        ("exchange", Some(delivery.exchange.to_string()), Some(EXCHANGE)),
        (
            "content_type",
            text(properties.content_type()),
            Some("application/json"),
        ),
        ("type", text(properties.kind()), Some(key)),
        ("event-type", header("event-type"), Some(key)),
        ("event-id", header("event-id"), Some(event_id)),
        ("team-id", header("team-id"), Some(&id_of_team)),
        ("user-id", header("user-id"), user),
        ("event_type", said("/event_type").map(str::to_owned), Some(key)),
    ] {
        ensure!(
            is.as_deref() == should,
            "{event_id}: {what} is {is:?} in place of {should:?}"
        );
    }
    ensure!(
        *properties.delivery_mode() == Some(PERSISTENT),
        "{event_id} is not persistent"
    );
    Ok(Received {
        team,
        event_id: event_id.to_owned(),
        event_type: key.to_owned(),
        payload: delivery.data.clone(),
        at: Instant::now(),
        kept: true,
    })
}

#[cfg(test)]
mod tests {
    use lapin::BasicProperties;
    use lapin::message::Delivery;
    use lapin::types::{AMQPValue, FieldTable};
    use serde_json::json;

    use super::{EXCHANGE, Notes};
    use crate::world::{team_id, user_id};

    const TYPE: &str = "daily.data.steps.created";

    fn message(headers: &[(&str, &str)], more: impl FnOnce(BasicProperties) -> BasicProperties) -> Delivery {
        let (team, user) = (team_id(0).to_string(), user_id(1).to_string());
        let usual = [
            ("event-type", TYPE),
            ("event-id", "a"),
            ("team-id", &team),
            ("user-id", &user),
        ];
        let mut table = FieldTable::default();
        for (name, value) in usual.iter().chain(headers) {
            table.insert((*name).into(), AMQPValue::LongString((*value).into()));
        }
        let properties = BasicProperties::default()
            .with_content_type("application/json".into())
            .with_delivery_mode(2)
            .with_message_id("a".into())
            .with_type(TYPE.into())
            .with_headers(table);
        let payload = json!({"event_type": TYPE, "user_id": user}).to_string();
        let mut delivery = Delivery::mock(1, EXCHANGE.into(), TYPE.into(), true, payload.into_bytes());
        delivery.properties = more(properties);
        delivery
    }

    fn noted(delivery: &Delivery) -> Notes {
        let notes = Notes::default();
        notes.note(delivery);
        notes
    }

    #[test]
    fn a_message_is_an_event_of_its_routing_key() {
        let notes = noted(&message(&[], |properties| properties));
        let inner = notes.lock();
        assert_eq!(inner.offences, Vec::<String>::new());
        assert_eq!((inner.count, inner.redelivered), (1, 1));
        assert_eq!(inner.received[0].event_id, "a");
        assert_eq!(inner.received[0].event_type, TYPE);
    }

    #[test]
    fn a_message_that_is_laid_out_otherwise_is_an_offence() {
        for (delivery, what) in [
            (message(&[("event-id", "b")], |properties| properties), "event-id is"),
            (message(&[("user-id", "nobody")], |properties| properties), "user-id is"),
            (
                message(&[], |properties| properties.with_type("other".into())),
                "type is",
            ),
            (
                message(&[], |properties| properties.with_delivery_mode(1)),
                "not persistent",
            ),
            (message(&[], |_| BasicProperties::default()), "without an id"),
        ] {
            let notes = noted(&delivery);
            let inner = notes.lock();
            assert!(inner.received.is_empty());
            assert!(inner.offences[0].contains(what), "{:?}", inner.offences);
        }
    }
}
