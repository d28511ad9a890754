//! Idempotency keys.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Barrier;
use uuid::Uuid;
use wearlab_store::{IdempotencyOutcome, IdempotentRequest, Store, StoreError};

use crate::arriving::at;
use crate::place::{count, open};
use crate::world::{World, user};

const NOW: &str = "2026-06-01T12:00:00Z";
const RESPONSE: &str = r#"{"user_id":"7"}"#;

pub(crate) fn request(credential: &str, key: &str) -> IdempotentRequest {
    IdempotentRequest::new(credential, key, "create_user", b"{}")
}

async fn repeat(store: &Store, request: &IdempotentRequest, now: DateTime<Utc>) -> IdempotencyOutcome {
    store.write(|write| write.repeat(request, now)).await.expect("reads")
}

async fn keep(store: &Store, request: &IdempotentRequest, response: &str, now: DateTime<Utc>) {
    let kept = store.write(|write| write.keep_response(request, response, None, now));
    kept.await.expect("writes");
}

#[tokio::test]
async fn a_request_that_is_sent_again_gets_the_same_response() {
    let world = World::new().await;
    let (store, now) = (&world.store, at(NOW));
    let first = request("a key", "one");
    assert_eq!(repeat(store, &first, now).await, IdempotencyOutcome::First);
    keep(store, &first, RESPONSE, now).await;
    let again = IdempotencyOutcome::Again(RESPONSE.to_owned());
    let reopened = open(world.directory.path()).await;
    for store in [store, &reopened] {
        assert_eq!(repeat(store, &request("a key", "one"), now).await, again);
        for (operation, body) in [
            ("create_user", &b"[]"[..]),
            ("create_team", b"{}"),
            ("create_user{}", b""),
        ] {
            let other = IdempotentRequest::new("a key", "one", operation, body);
            assert_eq!(repeat(store, &other, now).await, IdempotencyOutcome::Other);
        }
        for (credential, key) in [("a key", "two"), ("another key", "one"), ("a keyo", "ne")] {
            let other = IdempotentRequest::new(credential, key, "create_user", b"{}");
            assert_eq!(
                repeat(store, &other, now).await,
                IdempotencyOutcome::First,
                "{credential} {key}"
            );
        }
    }
    // Requests of two senders with the same Idempotency-Key are independent.
    keep(store, &request("another key", "one"), "another", now).await;
    assert_eq!(repeat(store, &first, now).await, again);
}

#[tokio::test]
async fn a_response_is_kept_for_a_day() {
    let world = World::new().await;
    let (store, now) = (&world.store, at(NOW));
    let (one, two) = (request("a key", "one"), request("a key", "two"));
    keep(store, &one, RESPONSE, now).await;
    keep(store, &two, RESPONSE, now + TimeDelta::nanoseconds(1)).await;
    let later = now + TimeDelta::hours(24);
    let again = |response: &str| IdempotencyOutcome::Again(response.to_owned());
    assert_eq!(
        repeat(store, &one, later - TimeDelta::nanoseconds(1)).await,
        again(RESPONSE)
    );
    assert_eq!(repeat(store, &one, later).await, IdempotencyOutcome::First);
    assert_eq!(repeat(store, &two, later).await, again(RESPONSE));
    let other = IdempotentRequest::new("a key", "one", "create_team", b"");
    assert_eq!(
        repeat(store, &other, later).await,
        IdempotencyOutcome::First,
        "its key is free"
    );

    // An unexpired response stays unchanged, also if another one is stored.
    let replaced = store
        .write(|write| write.keep_response(&two, "another", None, later))
        .await
        .expect_err("is there");
    assert!(matches!(replaced, StoreError::Conflict { .. }), "{replaced:?}");
    assert_eq!(repeat(store, &two, later).await, again(RESPONSE));
    keep(store, &other, "new", later).await;
    assert_eq!(repeat(store, &other, later).await, again("new"));
    assert_eq!(repeat(store, &one, later).await, IdempotencyOutcome::Other);

    let delete = async |now| world.write(|write| write.delete_idempotency_keys(now)).await;
    assert_eq!(delete(later).await, 0);
    assert_eq!(delete(later + TimeDelta::nanoseconds(1)).await, 1);
    assert_eq!(count(world.directory.path(), "repeatable_requests").await, 1);
    assert_eq!(repeat(store, &other, later).await, again("new"));
}

#[tokio::test]
async fn a_write_that_fails_keeps_no_response() {
    let world = World::new().await;
    let request = request("a key", "one");
    let failed: Result<(), _> = world
        .store
        .write(|write| {
            write.keep_response(&request, RESPONSE, None, at(NOW))?;
            assert_eq!(
                write.repeat(&request, at(NOW))?,
                IdempotencyOutcome::Again(RESPONSE.to_owned())
            );
            Err(StoreError::Busy)
        })
        .await;
    assert!(failed.is_err());
    assert_eq!(repeat(&world.store, &request, at(NOW)).await, IdempotencyOutcome::First);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_several_at_once_one_is_the_first() {
    let world = World::new().await;
    let start = Arc::new(Barrier::new(4));
    let mut senders = Vec::new();
    for sender in 0..4 {
        let (store, start) = (open(world.directory.path()).await, start.clone());
        senders.push(tokio::spawn(async move {
            let mut responses = Vec::new();
            for round in 0..20 {
                let request = request("a key", &format!("round {round}"));
                start.wait().await;
                let sent = store.write(|write| match write.repeat(&request, at(NOW))? {
                    IdempotencyOutcome::Again(response) => Ok(response),
                    IdempotencyOutcome::Other | IdempotencyOutcome::Deleted => panic!("it is the same"),
                    IdempotencyOutcome::First => {
                        let response = format!("{sender} in round {round}");
                        write.keep_response(&request, &response, None, at(NOW))?;
                        Ok(response)
                    }
                });
                responses.push(sent.await.expect("writes"));
            }
            responses
        }));
    }
    let mut all = Vec::new();
    for sender in senders {
        all.push(sender.await.expect("no panic"));
    }
    assert!(all.iter().all(|responses| *responses == all[0]), "{all:?}");
    assert_eq!(count(world.directory.path(), "repeatable_requests").await, 20);
}

#[tokio::test]
async fn a_response_about_a_user_is_deleted_with_them() {
    let world = World::new().await;
    let (store, now) = (&world.store, at(NOW));
    let (one, other) = (request("a key", "one"), request("a key", "other"));
    let (user_id, other_id) = (Uuid::from_u128(7), Uuid::from_u128(8));
    world
        .write(|write| {
            write.put_user(world.team, &user(world.team, 7, NOW))?;
            write.put_user(world.team, &user(world.team, 8, NOW))?;
            write.keep_response(&one, RESPONSE, Some((world.team, user_id)), now)?;
            write.keep_response(&other, RESPONSE, Some((world.team, other_id)), now)
        })
        .await;
    let again = IdempotencyOutcome::Again(RESPONSE.to_owned());
    assert_eq!(repeat(store, &one, now).await, again);
    assert!(world.write(|write| write.delete_user(world.team, user_id)).await);
    // It is not a first request either: the repeat would create the user again.
    assert_eq!(repeat(store, &one, now).await, IdempotencyOutcome::Deleted);
    assert_eq!(repeat(store, &other, now).await, again);
    let another = IdempotentRequest::new("a key", "one", "create_user", b"[]");
    assert_eq!(repeat(store, &another, now).await, IdempotencyOutcome::Other);
    // It does not belong to a later user with the same row number, either.
    world
        .write(|write| write.put_user(world.team, &user(world.team, 9, NOW)))
        .await;
    assert!(
        world
            .write(|write| write.delete_user(world.team, Uuid::from_u128(9)))
            .await
    );
    assert_eq!(repeat(store, &other, now).await, again);
    assert_eq!(
        repeat(store, &one, now + TimeDelta::hours(24)).await,
        IdempotencyOutcome::First
    );
}
