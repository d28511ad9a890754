//! Recorded attempts, as reads of the log show them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use chrono::Utc;
use serde_json::json;
use wearlab_store::{AttemptOutcome, DestinationId, LoggedAttempt};

use super::world::{World, until};
use crate::webhook::receiver::{Receiver, raw, status};

/// The attempts of the only event, oldest first.
async fn attempts(world: &World) -> Vec<LoggedAttempt> {
    let organisation = world.store.write(|write| write.put_organisation("o")).await;
    let organisation = organisation.expect("the organisation");
    let id = world.ids().await.remove(0);
    let kept = world.store.organisation(&organisation).attempts(&id).await;
    kept.expect("reads").expect("the event")
}

async fn nothing_waits(world: &World, destination: DestinationId) {
    until("nothing waits", async || {
        world.store.backlog(destination).await.expect("reads").waiting == 0
    })
    .await;
}

#[tokio::test]
async fn all_attempts_of_webhooks_are_kept_with_what_the_response_was_and_not_its_content() {
    let world = World::new().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let receiver = Receiver::start(move |_| {
        let first = asked.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            tokio::time::sleep(Duration::from_millis(30)).await;
            let (code, text) = match first {
                true => (StatusCode::SERVICE_UNAVAILABLE, "the key is sk_live_1234"),
                false => (StatusCode::OK, "{}"),
            };
            (code, [(CONTENT_TYPE, "Application/JSON; charset=utf-8")], text)
        }
    })
    .await;
    let destination = world.endpoint("wh_1", &receiver.url, &[]).await;
    let before = Utc::now();
    let _running = world.dispatch();
    world.walk(1, json!({})).await;
    until("two attempts", async || receiver.received().len() == 2).await;
    nothing_waits(&world, destination).await;
    let kept = attempts(&world).await;
    assert_eq!(kept.len(), 2, "{kept:?}");
    let expected = [
        (1, AttemptOutcome::Failed, Some(503), Some("responded 503"), Some(23)),
        (2, AttemptOutcome::Delivered, Some(200), None, Some(2)),
    ];
    for (kept, expected) in kept.iter().zip(expected) {
        assert_eq!(
            (kept.kind.as_str(), kept.webhook_id.as_deref()),
            ("webhook", Some("wh_1"))
        );
        let LoggedAttempt { attempt: kept, .. } = kept;
        let found = (
            kept.attempt,
            kept.outcome,
            kept.status,
            kept.reason.as_deref(),
            kept.content_length,
        );
        assert_eq!(found, expected);
        assert_eq!(kept.content_type.as_deref(), Some("application/json"));
        assert!(kept.duration >= Duration::from_millis(30), "{kept:?}");
        assert!(
            kept.attempted_on >= before && kept.attempted_on <= Utc::now(),
            "{kept:?}"
        );
    }
    assert!(kept[0].attempt.attempted_on < kept[1].attempt.attempted_on);
    assert!(!format!("{kept:?}").contains("sk_live"));
}

#[tokio::test]
async fn the_last_attempt_says_that_none_follows() {
    let world = World::new().await;
    // Connections get no response.
    let url = raw(async |stream| {
        drop(stream);
        Ok(())
    })
    .await;
    let destination = world.endpoint("wh_1", &url, &[]).await;
    let _running = world.dispatch();
    world.walk(1, json!({})).await;
    until("it is parked", async || {
        world.store.backlog(destination).await.expect("reads").parked == 1
    })
    .await;
    let kept = attempts(&world).await;
    let outcomes: Vec<_> = kept
        .iter()
        .map(|kept| (kept.attempt.attempt, kept.attempt.outcome))
        .collect();
    let mut expected: Vec<_> = (1..=6).map(|attempt| (attempt, AttemptOutcome::Failed)).collect();
    expected[5].1 = AttemptOutcome::Undelivered;
    assert_eq!(outcomes, expected);
    for kept in kept {
        assert_eq!((kept.attempt.status, kept.attempt.content_type), (None, None));
        let reason = kept.attempt.reason.expect("a reason");
        assert!(reason.contains("no response") && !reason.contains("hook"), "{reason}");
    }
}

#[tokio::test]
async fn a_gone_endpoint_and_one_that_was_deleted_are_still_named() {
    let world = World::new().await;
    let receiver = Receiver::start(|_| async { status(410) }).await;
    world.endpoint("wh_1", &receiver.url, &[]).await;
    let _running = world.dispatch();
    world.walk(1, json!({})).await;
    let disabled = async || world.store.webhooks().await.expect("reads")[0].disabled.is_some();
    until("it is disabled", disabled).await;
    world
        .store
        .write(|write| write.delete_webhook("wh_1"))
        .await
        .expect("deletes");
    let kept = attempts(&world).await;
    let kept: Vec<_> = kept
        .iter()
        .map(|kept| (kept.webhook_id.as_deref(), kept.attempt.status))
        .collect();
    assert_eq!(kept, [(Some("wh_1"), Some(410))]);
}
