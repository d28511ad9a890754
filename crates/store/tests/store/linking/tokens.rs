//! Tokens of connections, and their refreshes.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use wearlab_models::ConnectionStatus;
use wearlab_store::{ConnectionTokens, LinkedConnection, Returned};

use super::{NOW, TOKEN, begin, events, ingestion, link, linked_one, linking, now, returned, tokens, user_id};
use crate::world::value;

#[tokio::test]
async fn tokens_end_with_their_connection_and_their_user() {
    let world = linking().await;
    link(&world, 1).await;
    let ended = world
        .write(|write| {
            let ended = write.linked_connections(world.team, user_id(), Some("stridewell"))?;
            write.delete_connection(world.team, user_id(), "stridewell")?;
            Ok(ended)
        })
        .await;
    assert_eq!(ended.len(), 1);
    assert!(linked_one(&world.store, world.team).await.is_none());
    link(&world, 2).await;
    begin(&world, "under way", None).await;
    assert!(world.store.forget(world.team, user_id()).await.expect("forgets"));
    assert!(matches!(
        returned(&world, "under way", None, 1).await,
        Returned::Unknown
    ));
    assert_eq!(world.store.link_token(TOKEN, now()).await.expect("reads"), None);
    let due = now() + TimeDelta::days(9);
    assert!(world.store.due_refreshes(due, 9).await.expect("reads").is_empty());
}

#[tokio::test]
async fn one_process_at_a_time_refreshes() {
    let world = linking().await;
    let linked = link(&world, 1).await;
    let (early, due) = (now() + TimeDelta::minutes(49), now() + TimeDelta::minutes(50));
    let until = due + TimeDelta::minutes(2);
    assert!(world.store.due_refreshes(early, 9).await.expect("reads").is_empty());
    assert_eq!(world.store.due_refreshes(due, 9).await.expect("reads"), [linked.id]);
    let lease = async |at: DateTime<Utc>| {
        world
            .write(|write| write.lease_refresh(linked.id, at, at + TimeDelta::minutes(2), true))
            .await
    };
    assert!(lease(early).await.is_none(), "it is too early");
    let leased = lease(due).await.expect("a lease");
    assert!(!leased.is_uncertain());
    assert!(lease(due).await.is_none(), "somebody has it");
    assert!(world.store.due_refreshes(due, 9).await.expect("reads").is_empty());
    // The holder of the lease has died.
    assert_eq!(world.store.due_refreshes(until, 9).await.expect("reads"), [linked.id]);
    let taken = lease(until).await.expect("a lease");
    assert!(taken.is_uncertain(), "the one before may have got tokens");

    let later = Some(now() + TimeDelta::hours(2));
    let save = async |of: &LinkedConnection, number| {
        world
            .write(|write| write.save_refreshed(of, &tokens(number), later, &ingestion(now())))
            .await
    };
    assert!(save(&taken, 2).await);
    assert!(!save(&leased, 3).await, "it is late");
    let linked = linked_one(&world.store, world.team).await.expect("tokens");
    assert_eq!((linked.tokens.clone(), linked.refreshing_until), (tokens(2), None));
    assert!(!linked.is_uncertain());
    let again = link(&world, 4).await;
    assert!(!save(&linked, 5).await, "it was linked again");
    assert_eq!(again.tokens, tokens(4));
}

#[tokio::test]
async fn a_refusal_is_an_error_and_an_event_once() {
    let world = linking().await;
    let linked = link(&world, 1).await;
    let error = || value(json!({"error_type": "refused", "errored_at": NOW}), json!({}));
    let refuse = async |of: &LinkedConnection| {
        world
            .write(|write| write.refuse_refresh(of, error(), &ingestion(now())))
            .await
    };
    assert!(refuse(&linked).await);
    assert!(!refuse(&linked).await);
    let found = world.store.connection_tokens(world.team, user_id(), "stridewell").await;
    assert!(matches!(
        found.expect("reads"),
        Some(ConnectionTokens::None(ConnectionStatus::Error))
    ));
    let created = "provider.connection.created";
    assert_eq!(events(&world).await, [created, "provider.connection.error"]);
    link(&world, 2).await;
    assert_eq!(events(&world).await, [created, "provider.connection.error", created]);
}

#[tokio::test]
async fn a_failure_keeps_the_tokens_and_a_refresh_repairs_the_connection() {
    let world = linking().await;
    let linked = link(&world, 1).await;
    let due = now() + TimeDelta::hours(1);
    let error = value(json!({"error_type": "down"}), json!({}));
    world
        .write(|write| {
            write.put_off_refresh(&linked, due, true)?;
            write.fail_connection(world.team, user_id(), "stridewell", error, &ingestion(now()))
        })
        .await;
    let failed = linked_one(&world.store, world.team).await.expect("tokens");
    assert_eq!(
        (failed.failures, failed.refresh_due, failed.is_uncertain()),
        (1, Some(due), true)
    );
    assert_eq!(failed.status, ConnectionStatus::Error);
    let saved = world
        .write(|write| write.save_refreshed(&failed, &tokens(2), None, &ingestion(now())))
        .await;
    assert!(saved);
    let repaired = linked_one(&world.store, world.team).await.expect("tokens");
    assert_eq!((repaired.failures, repaired.status), (0, ConnectionStatus::Connected));
    let created = "provider.connection.created";
    assert_eq!(events(&world).await, [created, "provider.connection.error", created]);
}
