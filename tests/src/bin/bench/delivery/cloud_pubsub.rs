//! Google's emulator of Pub/Sub, and a bare publisher with Google's library.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, ensure};
use axum::body::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use google_cloud_auth::credentials::anonymous;
use google_cloud_pubsub::client::Publisher;
use google_cloud_pubsub::model::Message;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wearlab_tests::process::free_port;

use super::sink::Sink;
use crate::population::TEAM;
use crate::service::until_answered;

/// Debian's package, from Google's own repository.
pub(super) const PACKAGE: &str = "google-cloud-cli-pubsub-emulator";
const PROJECT: &str = "wearlab-bench";
const TOPIC: &str = "events";
/// Maximum number of messages in flight of the reference.
const WINDOW: usize = 1000;
/// Number of messages in a batch, as in Wearlab.
const BATCH: u32 = 100;

/// The emulator, which is killed on drop.
pub(super) struct Emulator {
    child: Child,
    address: String,
    /// Reused, to make polls as cheap as possible.
    client: reqwest::Client,
    runtime: Runtime,
    acknowledged: Arc<AtomicU32>,
    /// Event ids and payloads that another sink received.
    events: Vec<(String, Bytes)>,
}

impl Emulator {
    /// Returns the path of the installed emulator.
    pub(super) fn jar() -> Option<String> {
        let listed = Command::new("dpkg").args(["-L", PACKAGE]).output().ok()?;
        let listed = String::from_utf8(listed.stdout).ok()?;
        let jar = listed.lines().find(|line| line.ends_with("-all.jar"))?;
        Some(jar.to_owned())
    }

    /// Starts the emulator with a topic. The reference will send `events`.
    pub(super) fn new(jar: &str, events: Vec<(String, Bytes)>) -> Result<Self> {
        let address = free_port()?;
        let child = Command::new("java")
            .args(["-jar", jar, "--host=127.0.0.1"])
            .arg(format!("--port={}", address.port()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot run java: Debian's package default-jre-headless must be there")?;
        let emulator = Self {
            child,
            address: address.to_string(),
            client: reqwest::Client::new(),
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()?,
            acknowledged: Arc::default(),
            events,
        };
        until_answered(&format!("http://{address}/"))?;
        let topic = format!("http://{address}/v1/{}", name());
        let making = emulator.client.put(topic).json(&json!({})).send();
        let made = emulator.runtime.block_on(making)?;
        ensure!(made.status().is_success(), "no topic is made: {}", made.status());
        Ok(emulator)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn name() -> String {
    format!("projects/{PROJECT}/topics/{TOPIC}")
}

impl Sink for Emulator {
    fn pipeline(&self) -> Value {
        json!({
            "preferences": {"preferred": "cloud_pubsub", "enabled": ["cloud_pubsub"]},
            "cloud_pubsub": {"project": PROJECT, "topic": TOPIC, "message_ordering": false},
        })
    }

    fn settings(&self) -> Vec<String> {
        vec![format!("cloud_pubsub.endpoint={}", self.address)]
    }

    /// Counts the messages of the sender's metrics: the emulator does not count messages, and pulling them takes longer
    /// than publishing.
    fn arrived(&self, service: Option<&str>) -> Result<u32> {
        let Some(service) = service else {
            return Ok(self.acknowledged.load(Ordering::Relaxed));
        };
        let asking = async { self.client.get(format!("{service}/metrics")).send().await?.text().await };
        let metrics = self.runtime.block_on(asking)?;
        let counts = metrics.lines().filter(|line| line.contains("delivery_attempts_total{"));
        let counts = counts.filter_map(|line| line.rsplit(' ').next()?.parse::<u32>().ok());
        Ok(counts.sum())
    }

    fn empty(&self) -> Result<()> {
        self.acknowledged.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn length(&self) -> usize {
        let bytes: usize = self.events.iter().map(|(_, payload)| payload.len()).sum();
        bytes / self.events.len().max(1)
    }

    fn bare(&self, count: usize) -> Result<JoinHandle<Result<()>>> {
        let endpoint = format!("http://{}", self.address);
        let (acknowledged, events) = (Arc::clone(&self.acknowledged), self.events.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let events = events.into_iter().cycle().take(count);
        Ok(thread::spawn(move || {
            runtime.block_on(publish(&endpoint, events, &acknowledged))
        }))
    }

    fn reference(&self) -> &'static str {
        "a bare publisher of Google's library, of as long messages: 100 a request, 1,000 under way"
    }
}

async fn publish(
    endpoint: &str,
    events: impl Iterator<Item = (String, Bytes)>,
    acknowledged: &AtomicU32,
) -> Result<()> {
    let publisher = Publisher::builder(name())
        .with_endpoint(endpoint)
        .with_credentials(anonymous::Builder::new().build())
        .set_message_count_threshold(BATCH)
        .build()
        .await?;
    let publish = |(id, payload): (String, Bytes)| {
        let event: Value = serde_json::from_slice(&payload)?;
        let said = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let message = Message::new().set_data(payload).set_attributes([
            ("content-type", "application/json".to_owned()),
            ("event-type", said("event_type")),
            ("event-id", id),
            ("team-id", TEAM.to_string()),
            ("user-id", said("user_id")),
        ]);
        anyhow::Ok(message)
    };
    // Created before the measurement.
    let messages = events.map(publish).collect::<Result<Vec<_>>>()?;
    let send = |message| {
        let publishing = publisher.publish(message);
        async {
            publishing.await?;
            acknowledged.fetch_add(1, Ordering::Relaxed);
            anyhow::Ok(())
        }
    };
    let sent = stream::iter(messages).map(send).buffer_unordered(WINDOW);
    sent.try_collect::<()>().await
}
