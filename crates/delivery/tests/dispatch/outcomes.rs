//! Outcomes of events that are not accepted.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use chrono::Utc;
use serde_json::json;
use wearlab_store::{Backlog, DeliveryState, ReplayTarget};

use super::world::{World, until};
use crate::webhook::receiver::{Receiver, status};

fn received(receiver: &Receiver) -> HashSet<String> {
    let received = receiver.received();
    received
        .iter()
        .filter_map(|request| request.header("webhook-id").map(str::to_owned))
        .collect()
}

#[tokio::test]
async fn what_fails_is_sent_again_with_its_id() {
    let world = World::new().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let receiver = Receiver::start(move |_| {
        let first = count.fetch_add(1, Ordering::Relaxed) < 2;
        async move { status(if first { 500 } else { 200 }) }
    })
    .await;
    let destination = world.endpoint("wh_1", &receiver.url, &[]).await;
    let _running = world.dispatch();
    world.walk(1, json!({})).await;
    until("three attempts", async || receiver.received().len() == 3).await;
    until("nothing waits", async || {
        world.store.backlog(destination).await.expect("reads").waiting == 0
    })
    .await;
    assert_eq!(received(&receiver).len(), 1, "one event");
    assert!(world.store.undelivered(10).await.expect("reads").is_empty());
}

#[tokio::test]
async fn what_fails_for_good_is_parked_and_can_be_replayed() {
    let world = World::new().await;
    let open = Arc::new(AtomicBool::new(false));
    let opened = Arc::clone(&open);
    let receiver = Receiver::start(move |_| {
        let open = opened.load(Ordering::Relaxed);
        async move { status(if open { 200 } else { 503 }) }
    })
    .await;
    let destination = world.endpoint("wh_1", &receiver.url, &[]).await;
    let _running = world.dispatch();
    world.walk(1, json!({})).await;
    until("it is parked", async || {
        world.store.backlog(destination).await.expect("reads").parked == 1
    })
    .await;
    let parked = world.store.undelivered(10).await.expect("reads").remove(0);
    assert_eq!((parked.attempts, parked.state), (6, DeliveryState::Parked));
    assert!(parked.reason.contains("503"), "{}", parked.reason);
    open.store(true, Ordering::Relaxed);
    let replayed = world
        .store
        .write(|write| write.replay(&parked.event_id, &ReplayTarget::default(), Utc::now()))
        .await;
    assert_eq!(replayed.expect("writes"), Some(1));
    let all_sent = async || world.store.backlog(destination).await.expect("reads") == Backlog::default();
    until("it is delivered", all_sent).await;
    assert_eq!(receiver.received().len(), 7);
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_disabled_and_keeps_what_it_did_not_get() {
    let world = World::new().await;
    let receiver = Receiver::start(|_| async { status(410) }).await;
    let destination = world.endpoint("wh_1", &receiver.url, &[]).await;
    let _running = world.dispatch();
    world.walk(1, json!({})).await;
    let disabled = async || world.store.webhooks().await.expect("reads")[0].disabled.is_some();
    until("it is disabled", disabled).await;
    assert_eq!(receiver.received().len(), 1);
    assert_eq!(world.store.backlog(destination).await.expect("reads").waiting, 1);
}

#[tokio::test]
async fn one_that_hangs_holds_up_no_other() {
    let world = World::new().await;
    let slow = Receiver::start(|_| std::future::pending::<axum::http::StatusCode>()).await;
    let quick = Receiver::start(|_| async { status(200) }).await;
    world.endpoint("wh_slow", &slow.url, &[]).await;
    world.endpoint("wh_quick", &quick.url, &[]).await;
    let _running = world.dispatch();
    for day in 1..=20 {
        world.walk(day, json!({})).await;
        until("the other has it", async || quick.received().len() == day as usize).await;
    }
}

#[tokio::test]
async fn what_was_under_way_is_sent_by_the_next_run_and_no_other() {
    let world = World::new().await;
    let open = Arc::new(AtomicBool::new(false));
    let opened = Arc::clone(&open);
    let receiver = Receiver::start(move |_| {
        let open = opened.load(Ordering::Relaxed);
        async move {
            if !open {
                std::future::pending::<()>().await;
            }
            status(200)
        }
    })
    .await;
    let destination = world.endpoint("wh_1", &receiver.url, &[]).await;
    let running = world.dispatch();
    for day in 1..=5 {
        world.walk(day, json!({})).await;
    }
    until("some are under way", async || !receiver.received().is_empty()).await;
    drop(running);
    open.store(true, Ordering::Relaxed);
    let _again = world.dispatch();
    until("nothing waits", async || {
        world.store.backlog(destination).await.expect("reads").waiting == 0
    })
    .await;
    let all: HashSet<_> = world.ids().await.into_iter().collect();
    assert_eq!(received(&receiver), all);
}

#[tokio::test]
async fn a_long_backlog_drains_when_the_endpoint_returns() {
    let world = World::new().await;
    let receiver = Receiver::start(|_| async { status(200) }).await;
    let destination = world.endpoint("wh_1", &receiver.url, &[]).await;
    for round in 0..40 {
        for day in 1..=28 {
            world
                .walk(
                    day,
                    json!({"data": [{"timestamp": format!("2026-01-{day:02}T10:00:00Z"), "value": round}]}),
                )
                .await;
        }
    }
    assert_eq!(world.store.backlog(destination).await.expect("reads").waiting, 1120);
    let _running = world.dispatch();
    until("nothing waits", async || {
        world.store.backlog(destination).await.expect("reads").waiting == 0
    })
    .await;
    assert_eq!(received(&receiver).len(), 1120);
}
