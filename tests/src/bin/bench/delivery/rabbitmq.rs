//! RabbitMQ with one durable queue, and a bare lapin publisher.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, ensure};
use futures_util::StreamExt;
use lapin::options::{
    BasicConsumeOptions, BasicPublishOptions, ConfirmSelectOptions, ExchangeDeclareOptions, QueueBindOptions,
    QueueDeclareOptions, QueuePurgeOptions,
};
use lapin::types::{FieldTable, ShortString};
use lapin::{BasicProperties, Channel, Confirmation, Connection, ConnectionProperties, ExchangeKind};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wearlab_tests::process::Server;

use super::sink::Sink;

/// Script that starts and kills a broker.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/rabbitmq-broker");
/// Directory of Debian's package.
const PACKAGE: &str = "/usr/lib/rabbitmq/lib";
const EXCHANGE: &str = "wearlab.bench";
const QUEUE: &str = "bench";
/// Maximum number of messages in flight of the reference.
const WINDOW: usize = 1000;

/// Broker on this machine.
pub(super) struct Broker {
    _server: Server,
    uri: String,
    runtime: Runtime,
    /// Channel that declared the queue.
    channel: Channel,
    connection: Connection,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    keep: bool,
    kept: Arc<Vec<Message>>,
}

/// Message of the queue.
struct Message {
    key: ShortString,
    properties: BasicProperties,
    body: Vec<u8>,
}

impl Broker {
    /// Returns whether RabbitMQ is installed.
    pub(super) fn is_there() -> bool {
        Path::new(PACKAGE).is_dir()
    }

    /// Starts a broker with its data in a directory.
    pub(super) fn new(directory: &Path) -> Result<Self> {
        let server = Server::new(SCRIPT, directory);
        let status = server.begins("start")?.wait()?;
        ensure!(status.success(), "the broker does not start: {status}");
        let uri = server.file("uri")?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let (connection, channel) = runtime.block_on(declared(&uri))?;
        Ok(Self {
            _server: server,
            uri,
            runtime,
            channel,
            connection,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn consumed(&self, count: usize) -> Result<Vec<Message>> {
        let options = BasicConsumeOptions {
            no_ack: true,
            ..BasicConsumeOptions::default()
        };
        let channel = self.connection.create_channel().await?;
        let none = FieldTable::default();
        let mut consumer = channel
            .basic_consume(QUEUE.into(), "bench".into(), options, none)
            .await?;
        let mut messages = Vec::with_capacity(count);
        while messages.len() < count {
            let delivery = consumer.next().await.context("the broker is gone")??;
            messages.push(Message {
                key: delivery.routing_key,
                properties: delivery.properties,
                body: delivery.data,
            });
        }
        channel.close(200, "OK".into()).await?;
        Ok(messages)
    }
}

/// Declares a topic exchange, and a durable queue for all its messages.
async fn declared(uri: &str) -> Result<(Connection, Channel)> {
    let connection = Connection::connect(uri, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    let none = FieldTable::default;
    let durable = ExchangeDeclareOptions {
        durable: true,
        ..ExchangeDeclareOptions::default()
    };
    channel
        .exchange_declare(EXCHANGE.into(), ExchangeKind::Topic, durable, none())
        .await?;
    channel
        .queue_declare(QUEUE.into(), QueueDeclareOptions::durable(), none())
        .await?;
    let all = QueueBindOptions::default();
    channel
        .queue_bind(QUEUE.into(), EXCHANGE.into(), "#".into(), all, none())
        .await?;
    Ok((connection, channel))
}

impl Sink for Broker {
    fn pipeline(&self) -> Value {
        json!({
            "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq"]},
            "rabbitmq": {"uri": self.uri, "exchange": EXCHANGE},
        })
    }

    fn arrived(&self, _: Option<&str>) -> Result<u32> {
        let asked = QueueDeclareOptions {
            passive: true,
            ..QueueDeclareOptions::default()
        };
        let asking = self.channel.queue_declare(QUEUE.into(), asked, FieldTable::default());
        Ok(self.runtime.block_on(asking)?.message_count())
    }

    fn empty(&self) -> Result<()> {
        if std::mem::take(&mut self.state().keep) {
            let count = usize::try_from(self.arrived(None)?)?;
            let messages = self.runtime.block_on(self.consumed(count))?;
            self.state().kept = Arc::new(messages);
        }
        let purging = self.channel.queue_purge(QUEUE.into(), QueuePurgeOptions::default());
        self.runtime.block_on(purging)?;
        Ok(())
    }

    fn keep(&self) {
        self.state().keep = true;
    }

    fn length(&self) -> usize {
        let state = self.state();
        let bytes: usize = state.kept.iter().map(|message| message.body.len()).sum();
        bytes / state.kept.len().max(1)
    }

    fn bare(&self, _: usize) -> Result<JoinHandle<Result<()>>> {
        let (uri, kept) = (self.uri.clone(), Arc::clone(&self.state().kept));
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        Ok(thread::spawn(move || runtime.block_on(publish(&uri, &kept))))
    }

    fn reference(&self) -> &'static str {
        "a bare lapin publisher of the same messages: persistent, mandatory, confirms, a window of 1,000"
    }
}

/// Publishes messages, with at most `WINDOW` in flight, and waits for each confirm.
async fn publish(uri: &str, messages: &[Message]) -> Result<()> {
    let connection = Connection::connect(uri, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    let mandatory = BasicPublishOptions {
        mandatory: true,
        immediate: false,
    };
    let mut under_way = VecDeque::with_capacity(WINDOW);
    for message in messages {
        if under_way.len() == WINDOW
            && let Some(first) = under_way.pop_front()
        {
            confirmed(first).await?;
        }
        let (key, properties) = (message.key.clone(), message.properties.clone());
        let publishing = channel.basic_publish(EXCHANGE.into(), key, mandatory, &message.body, properties);
        under_way.push_back(publishing.await?);
    }
    for confirm in under_way {
        confirmed(confirm).await?;
    }
    Ok(connection.close(200, "OK".into()).await?)
}

async fn confirmed(confirm: impl Future<Output = lapin::Result<Confirmation>>) -> Result<()> {
    let confirmation = confirm.await?;
    ensure!(confirmation == Confirmation::Ack(None), "a message was not kept");
    Ok(())
}
