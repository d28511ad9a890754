//! Webhook receiver.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use tokio::net::TcpListener;
use wearlab_models::webhook::{SigningSecret, authenticate};

/// Path of its URL.
pub(crate) const PATH: &str = "/hooks/a-secret-path";

/// Received webhook.
#[derive(Clone)]
pub(crate) struct Delivered {
    headers: HeaderMap,
    body: Bytes,
}

impl Delivered {
    /// Returns whether it is signed with a secret.
    pub(crate) fn is_signed(&self, secret: &str) -> bool {
        let secret: SigningSecret = secret.parse().expect("a secret");
        let header = |name: &str| self.headers.get(name).and_then(|value| value.to_str().ok());
        authenticate(header, &self.body, &secret, SystemTime::now()).is_ok()
    }

    pub(crate) fn event(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// Receiver on this machine, which records webhooks.
#[derive(Clone)]
pub(crate) struct Receiver {
    address: SocketAddr,
    delivered: Arc<Mutex<Vec<Delivered>>>,
    status: Arc<AtomicU16>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let receiver = Self {
            address: listener.local_addr().expect("an address"),
            delivered: Arc::default(),
            status: Arc::new(AtomicU16::new(204)),
        };
        let router = Router::new().fallback(take).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        receiver
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Returns the masked URL, in the form of reads.
    pub(crate) fn masked(&self) -> String {
        format!("http://{}/****", self.address)
    }

    /// Sets the status of later responses.
    pub(crate) fn respond(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }

    pub(crate) fn delivered(&self) -> Vec<Delivered> {
        self.delivered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> (StatusCode, &'static str) {
    let status = receiver.status.load(Ordering::Relaxed);
    let mut delivered = receiver.delivered.lock().unwrap_or_else(PoisonError::into_inner);
    delivered.push(Delivered { headers, body });
    (
        StatusCode::from_u16(status).expect("a status"),
        "a secret of the receiver",
    )
}
