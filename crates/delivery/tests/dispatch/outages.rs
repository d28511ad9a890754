//! Outages of endpoints.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::json;
use wearlab_delivery::{DeliveryObserver, DestinationKey, Sent};
use wearlab_models::Uuid;
use wearlab_store::{Backlog, DeliveryState, Outage};

use super::world::{World, until};
use crate::webhook::receiver::{Receiver, status};

/// Health of each endpoint, by the latest notification.
#[derive(Default)]
struct Up(Mutex<BTreeMap<String, bool>>);

impl Up {
    fn of(&self, webhook: &str) -> Option<bool> {
        self.0.lock().expect("no panic").get(webhook).copied()
    }
}

impl DeliveryObserver for Up {
    fn sent(&self, _: &DestinationKey, _: Sent) {}

    fn up(&self, key: &DestinationKey, up: bool) {
        let webhook = key.webhook_id.clone().expect("a webhook");
        self.0.lock().expect("no panic").insert(webhook, up);
    }

    fn backlogs(&self, _: &BTreeMap<(Uuid, String), Backlog>, _: DateTime<Utc>) {}
}

/// The outage of the only destination.
async fn outage(world: &World) -> Option<Outage> {
    world.store.destinations().await.expect("reads").remove(0).outage
}

/// A schedule of endless retries.
fn soon(_: u32, _: f64) -> Option<Duration> {
    Some(Duration::from_millis(50))
}

#[tokio::test]
async fn an_endpoint_that_refuses_connections_is_down_until_it_returns() {
    let world = World::new().await;
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address").to_string();
    drop(free);
    let destination = world.endpoint("wh_1", &format!("http://{address}/hook"), &[]).await;
    let up = Arc::new(Up::default());
    let _running = world.dispatch_with(soon, up.clone());
    world.walk(1, json!({})).await;
    until("it is down", async || outage(&world).await.is_some()).await;
    let found = outage(&world).await.expect("still down");
    assert!(found.reason.starts_with("no connection"), "{}", found.reason);
    assert!(found.next_attempt >= found.since, "{found:?}");
    assert_eq!(up.of("wh_1"), Some(false));
    let waiting = world.store.undelivered(10).await.expect("reads").remove(0);
    assert!(matches!(waiting.state, DeliveryState::Waiting(_)), "{waiting:?}");
    until("attempts are counted", async || {
        world.store.undelivered(10).await.expect("reads")[0].attempts > 2
    })
    .await;

    let receiver = Receiver::start_at(&address, |_| async { status(200) }).await;
    until("it is up", async || outage(&world).await.is_none()).await;
    assert_eq!(receiver.received().len(), 1);
    assert_eq!(up.of("wh_1"), Some(true));
    assert_eq!(world.store.backlog(destination).await.expect("reads").waiting, 0);
}

#[tokio::test]
async fn an_endpoint_that_rejects_an_event_is_up() {
    let world = World::new().await;
    let receiver = Receiver::start(|_| async { status(400) }).await;
    world.endpoint("wh_1", &receiver.url, &[]).await;
    let up = Arc::new(Up::default());
    let _running = world.dispatch_with(soon, up.clone());
    world.walk(1, json!({})).await;
    until("five attempts", async || receiver.received().len() >= 5).await;
    assert_eq!(outage(&world).await, None);
    assert_eq!(up.of("wh_1"), Some(true));
    let waiting = world.store.undelivered(10).await.expect("reads").remove(0);
    assert!(waiting.reason.contains("400"), "{}", waiting.reason);
}

#[tokio::test]
async fn an_endpoint_is_down_after_several_server_errors_in_a_row() {
    let world = World::new().await;
    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&attempts);
    // Every third attempt succeeds, until the tenth.
    let receiver = Receiver::start(move |_| {
        let number = counted.fetch_add(1, Ordering::Relaxed) + 1;
        async move {
            status(if number < 10 && number.is_multiple_of(3) {
                200
            } else {
                503
            })
        }
    })
    .await;
    world.endpoint("wh_1", &receiver.url, &[]).await;
    let up = Arc::new(Up::default());
    let _running = world.dispatch_with(soon, up.clone());
    for day in 1..=3 {
        world.walk(day, json!({})).await;
        let delivered = async || world.store.undelivered(10).await.expect("reads").is_empty();
        until("it is delivered", async || {
            attempts.load(Ordering::Relaxed) == 3 * day as usize && delivered().await
        })
        .await;
        assert_eq!(outage(&world).await, None, "two server errors are no outage");
    }
    world.walk(4, json!({})).await;
    until("it is down", async || outage(&world).await.is_some()).await;
    let found = outage(&world).await.expect("still down");
    assert!(found.reason.contains("503"), "{}", found.reason);
    assert_eq!(up.of("wh_1"), Some(false));
    assert!(attempts.load(Ordering::Relaxed) >= 12, "the third in a row");
}
