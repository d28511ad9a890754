//! A receiver of webhooks: verifies, drops repeats, and acts on events in their current form.
//!
//! `WEBHOOK_SECRET=whsec_... cargo run -p wearlab-models --example webhook_receiver`, with the secret that
//! `wearlab webhooks add http://127.0.0.1:8090/events --team UUID` prints.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use wearlab_models::Event;
use wearlab_models::consume::{Deduplicator, Upgraded};
use wearlab_models::webhook::Verifier;

/// Handler of a new event. On an error, it is sent again.
pub(crate) type Action = Box<dyn Fn(&Upgraded) -> Result<(), String> + Send + Sync>;

/// State of the receiver.
struct Receiver {
    verifier: Verifier,
    seen: Mutex<Deduplicator>,
    action: Action,
}

/// The route that receives events.
pub(crate) fn receiver(verifier: Verifier, action: Action) -> Router {
    // A service retries for a little more than a day.
    let seen = Deduplicator::new(Duration::from_secs(48 * 3600), 100_000);
    let receiver = Receiver {
        verifier,
        seen: Mutex::new(seen),
        action,
    };
    Router::new()
        .route("/events", post(receive))
        .with_state(Arc::new(receiver))
}

/// The body must be as received: a JSON extractor would leave nothing to verify.
async fn receive(State(receiver): State<Arc<Receiver>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let verified = match receiver.verifier.verify_headers_now(&headers, &body) {
        Ok(verified) => verified,
        Err(error) => {
            eprintln!("refused: {error}");
            return StatusCode::BAD_REQUEST;
        }
    };
    let (key, now) = (verified.dedup_key(), Instant::now());
    if receiver.seen().contains(&key, now) {
        return StatusCode::OK;
    }
    if let Err(error) = (receiver.action)(&verified.event.upgraded()) {
        eprintln!("{key}: {error}");
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    // Only now: had it failed, the next attempt would have to count.
    receiver.seen().insert(key, now);
    StatusCode::OK
}

impl Receiver {
    fn seen(&self) -> MutexGuard<'_, Deduplicator> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Prints a summary. Values are left out: they are personal health data.
fn tell(upgraded: &Upgraded) -> Result<(), String> {
    match &upgraded.event {
        Event::DailySleepCycleCreated(event) => eprintln!("{} nights of {}", event.data.data.len(), event.user_id),
        Event::DailyDataCreated(event) => eprintln!("{} values for {}", event.data.data.len(), event.user_id),
        other => eprintln!("{}", other.event_type()),
    }
    for loss in &upgraded.losses {
        eprintln!("  {loss}");
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let secret = std::env::var("WEBHOOK_SECRET").map_err(|_| "set WEBHOOK_SECRET to the secret of the endpoint")?;
    let routes = receiver(Verifier::new(secret.parse()?), Box::new(tell));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8090").await?;
    eprintln!("listening on http://{}/events", listener.local_addr()?);
    axum::serve(listener, routes).await?;
    Ok(())
}
