//! Receiver of all webhooks with a configurable delay, which records the team of each.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Receiver, which stops on drop.
pub(crate) struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
    _runtime: Runtime,
}

#[derive(Default)]
struct Shared {
    delay: AtomicU64,
    received: Mutex<Vec<Received>>,
}

/// Received webhook.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) team: usize,
    pub(crate) event_id: String,
    pub(crate) at: Instant,
}

impl Receiver {
    pub(crate) fn new() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let (address, shared) = (listener.local_addr()?, Arc::<Shared>::default());
        let routes = Router::new()
            .route("/{team}", post(receive))
            .with_state(Arc::clone(&shared));
        runtime.spawn(async move { axum::serve(listener, routes).await });
        Ok(Self {
            address,
            shared,
            _runtime: runtime,
        })
    }

    /// Returns the URL for webhooks of a team.
    pub(crate) fn url(&self, team: usize) -> String {
        format!("http://{}/{team}", self.address)
    }

    /// Sets the delay of later responses.
    pub(crate) fn delay(&self, delay: Duration) {
        let millis = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.shared.delay.store(millis, Ordering::Relaxed);
    }

    /// Returns the received webhooks, in order.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.shared
            .received
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns the time of the last webhook of a team.
    pub(crate) fn last(&self, team: usize) -> Option<Instant> {
        let received = self.received();
        received
            .iter()
            .rev()
            .find(|received| received.team == team)
            .map(|received| received.at)
    }
}

async fn receive(State(shared): State<Arc<Shared>>, Path(team): Path<usize>, headers: HeaderMap) -> StatusCode {
    let event_id = headers.get("webhook-id").and_then(|id| id.to_str().ok());
    let received = Received {
        team,
        event_id: event_id.unwrap_or_default().to_owned(),
        at: Instant::now(),
    };
    shared
        .received
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(received);
    tokio::time::sleep(Duration::from_millis(shared.delay.load(Ordering::Relaxed))).await;
    StatusCode::NO_CONTENT
}
