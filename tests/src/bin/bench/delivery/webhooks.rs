//! Webhooks to a receiver on this machine, and a bare reqwest client.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use chrono::Utc;
use futures_util::{StreamExt, TryStreamExt, stream};
use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use wearlab_models::webhook::{ID, SIGNATURE, SigningSecret, TIMESTAMP, authenticate};
use wearlab_tests::process::Wearlab;

use super::sink::Sink;
use crate::population::TEAM;

/// Number of requests in flight, as in Wearlab by default.
pub(crate) const IN_FLIGHT: usize = 8;

/// Receiver that responds immediately, at one address or several. It stops on drop.
pub(crate) struct Receiver {
    addresses: Vec<SocketAddr>,
    _runtime: Runtime,
    notes: Arc<Notes>,
}

#[derive(Default)]
struct Notes {
    arrived: AtomicU32,
    keep: AtomicBool,
    /// Event ids and bodies.
    kept: Mutex<Vec<(String, Bytes)>>,
    /// Signing secret, once a sender is connected.
    secret: OnceLock<SigningSecret>,
}

impl Notes {
    fn kept(&self) -> MutexGuard<'_, Vec<(String, Bytes)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Receiver {
    /// Starts a receiver at one address.
    pub(crate) fn new() -> Result<Self> {
        Self::with_addresses(1)
    }

    /// Starts a receiver at several addresses, each of which is an endpoint of its own for senders.
    pub(crate) fn with_addresses(count: u32) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let notes = Arc::<Notes>::default();
        let router = Router::new().route("/", post(receive)).with_state(Arc::clone(&notes));
        let mut addresses = Vec::new();
        for _ in 0..count {
            let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
            addresses.push(listener.local_addr()?);
            let router = router.clone();
            runtime.spawn(async move { axum::serve(listener, router).await });
        }
        Ok(Self {
            addresses,
            _runtime: runtime,
            notes,
        })
    }

    /// Returns the event ids and bodies of kept webhooks.
    pub(crate) fn events(&self) -> Vec<(String, Bytes)> {
        self.notes.kept().clone()
    }

    /// Returns the signing secret of webhooks.
    pub(crate) fn secret(&self) -> Result<&SigningSecret> {
        self.notes.secret.get().context("it is not connected")
    }

    /// Returns the URLs of the receiver.
    pub(super) fn urls(&self) -> impl Iterator<Item = String> {
        self.addresses.iter().map(|address| format!("http://{address}/"))
    }

    /// Returns the first URL.
    pub(crate) fn url(&self) -> Result<String> {
        self.urls().next().context("it listens nowhere")
    }
}

async fn receive(State(notes): State<Arc<Notes>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    if notes.keep.load(Ordering::Relaxed) {
        let header = |name: &str| headers.get(name)?.to_str().ok();
        let secret = notes.secret.get();
        if secret.is_none_or(|secret| authenticate(header, &body, secret, SystemTime::now()).is_err()) {
            return StatusCode::UNAUTHORIZED;
        }
        // Copied, because the body may be a part of a larger buffer.
        let id = header(ID).unwrap_or_default().to_owned();
        notes.kept().push((id, Bytes::copy_from_slice(&body)));
    }
    notes.arrived.fetch_add(1, Ordering::Relaxed);
    StatusCode::NO_CONTENT
}

impl Sink for Receiver {
    fn pipeline(&self) -> Value {
        json!({"preferences": {"preferred": "svix", "enabled": ["svix"]}, "svix": {"regional": false}})
    }

    fn settings(&self) -> Vec<String> {
        ["webhooks.allow_http=true", "webhooks.allow_networks=127.0.0.0/8"]
            .map(str::to_owned)
            .to_vec()
    }

    fn connect(&self, wearlab: &Wearlab) -> Result<()> {
        let message = wearlab.says(&["webhooks", "add", &self.url()?, "--team", &TEAM.to_string()])?;
        let secret = message.lines().nth(1).context("no secret of the webhook")?;
        ensure!(
            self.notes.secret.set(secret.parse()?).is_ok(),
            "it is connected already"
        );
        Ok(())
    }

    fn arrived(&self, _: Option<&str>) -> Result<u32> {
        Ok(self.notes.arrived.load(Ordering::Relaxed))
    }

    fn empty(&self) -> Result<()> {
        self.notes.keep.store(false, Ordering::Relaxed);
        self.notes.arrived.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Also verifies kept webhooks: a wrong signature is refused.
    fn keep(&self) {
        self.notes.kept().clear();
        self.notes.keep.store(true, Ordering::Relaxed);
    }

    fn length(&self) -> usize {
        let kept = self.notes.kept();
        let bytes: usize = kept.iter().map(|(_, body)| body.len()).sum();
        bytes / kept.len().max(1)
    }

    fn bare(&self, _: usize) -> Result<JoinHandle<Result<()>>> {
        let secret = self.secret()?.clone();
        let (url, kept) = (self.url()?, self.events());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        Ok(thread::spawn(move || runtime.block_on(send(&url, &secret, kept))))
    }

    fn reference(&self) -> &'static str {
        "a bare reqwest client of the same requests: signed, connections kept, 8 under way"
    }
}

/// Posts signed events concurrently.
async fn send(url: &str, secret: &SigningSecret, events: Vec<(String, Bytes)>) -> Result<()> {
    let client = Client::builder().no_proxy().build()?;
    let post = |(id, body): (String, Bytes)| {
        let client = &client;
        async move {
            let now = u64::try_from(Utc::now().timestamp())?;
            let signature = secret.sign(&id, now, &body);
            let request = client.post(url).header(CONTENT_TYPE, "application/json").header(ID, id);
            let request = request.header(TIMESTAMP, now.to_string()).header(SIGNATURE, signature);
            let response = request.body(body).send().await?.error_for_status()?;
            response.bytes().await?;
            anyhow::Ok(())
        }
    };
    let sent = stream::iter(events).map(post).buffer_unordered(IN_FLIGHT);
    sent.try_collect::<()>().await
}
