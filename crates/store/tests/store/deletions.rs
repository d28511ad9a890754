//! Note of deleted users, which stays until the files are scrubbed.

use std::sync::Mutex;

use uuid::Uuid;
use wearlab_store::{Store, StoreError};

use crate::place::open;
use crate::world::{World, connection, user};

const AT: &str = "2026-06-01T12:00:00Z";

async fn world() -> World {
    let world = World::new().await;
    world
        .write(|write| {
            for id in 1..=5 {
                write.put_user(world.team, &user(world.team, id, AT))?;
            }
            Ok(())
        })
        .await;
    world
}

async fn delete(world: &World, id: u128) -> bool {
    world
        .write(|write| write.delete_user(world.team, Uuid::from_u128(id)))
        .await
}

async fn scrubbed(store: &Store) -> bool {
    store.scrub_deletions().await.expect("scrubs")
}

async fn note(store: &Store) -> Option<String> {
    store.meta("deletions_to_scrub").await.expect("reads")
}

#[tokio::test]
async fn files_are_scrubbed_once_after_deletions() {
    let world = world().await;
    assert!(!scrubbed(&world.store).await, "nobody was deleted");
    assert!(!delete(&world, 99).await);
    assert!(!scrubbed(&world.store).await, "there was nobody to delete");
    let failed: Result<(), _> = world
        .store
        .write(|write| {
            assert!(write.delete_user(world.team, Uuid::from_u128(1))?);
            Err(StoreError::Busy)
        })
        .await;
    assert!(failed.is_err());
    assert!(!scrubbed(&world.store).await, "the deletion was rolled back");

    assert!(delete(&world, 1).await);
    let first = note(&world.store).await.expect("a note");
    assert!(delete(&world, 2).await);
    assert_ne!(note(&world.store).await.expect("a note"), first);
    let World {
        store, directory, team, ..
    } = world;
    drop(store);
    let store = open(directory.path()).await;
    assert!(scrubbed(&store).await, "by the next process");
    assert!(!scrubbed(&store).await);

    for id in [3, 4] {
        let id = Uuid::from_u128(id);
        assert!(store.write(|write| write.delete_user(team, id)).await.expect("writes"));
        match id.as_u128() {
            3 => store.scrub().await.expect("scrubs"),
            _ => assert!(!store.forget(team, id).await.expect("forgets"), "is deleted"),
        }
        assert_eq!(note(&store).await, None);
        assert!(!scrubbed(&store).await);
    }
}

#[tokio::test]
async fn a_deletion_during_a_scrub_is_not_lost() {
    let world = world().await;
    assert!(delete(&world, 1).await);
    // Another process deletes a user after the note was read, and may scrub immediately.
    for (id, scrubs) in [(2, false), (3, true)] {
        let (other, team) = (open(world.directory.path()).await, world.team);
        let work = Mutex::new(Some(move || async move {
            if scrubs {
                other.scrub().await.expect("scrubs");
            }
            let deleted = other.write(|write| write.delete_user(team, Uuid::from_u128(id)));
            assert!(deleted.await.expect("writes"));
        }));
        let watched = world.store.clone().observed(move |operation, _| {
            if operation == "deletions_to_scrub"
                && let Some(work) = work.lock().expect("no panic").take()
            {
                let there = || {
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                    runtime.expect("a runtime").block_on(work());
                };
                std::thread::scope(|scope| scope.spawn(there).join()).expect("no panic");
            }
        });
        assert!(scrubbed(&watched).await);
        assert!(note(&world.store).await.is_some(), "of the later deletion");
    }
    assert!(scrubbed(&world.store).await);
    assert_eq!(note(&world.store).await, None);
}

#[tokio::test]
async fn a_write_reads_users_and_deletes_connections() {
    let world = world().await;
    let id = Uuid::from_u128(1);
    let connect = |slug: &'static str| (slug, connection(slug, AT));
    world
        .write(|write| {
            for (slug, provider) in [connect("stridewell"), connect("pulsely")] {
                write.put_connection(world.team, id, &provider)?;
                assert!(write.delete_connection(world.team, id, slug)?);
                write.put_connection(world.team, id, &provider)?;
            }
            Ok(())
        })
        .await;
    let before = world.store.team(world.team).user(id).await.expect("reads");
    let before = before.expect("the user").as_bytes().to_vec();
    world
        .write(|write| {
            assert_eq!(write.user_id_of_client(world.team, "client-1")?, Some(id));
            assert_eq!(write.user_id_of_client(world.team, "client-9")?, None);
            assert_eq!(write.user_id_of_client(world.sister, "client-1")?, None);
            let stored = write.stored_user(world.team, id)?.expect("the user");
            assert_eq!(stored.as_bytes(), before);
            assert!(write.stored_user(world.stranger, id)?.is_none());

            assert!(write.delete_connection(world.team, id, "stridewell")?);
            for (team, id, slug) in [
                (world.team, id, "stridewell"),
                (world.team, id, "another"),
                (world.sister, id, "pulsely"),
                (world.team, Uuid::from_u128(99), "pulsely"),
            ] {
                assert!(!write.delete_connection(team, id, slug)?, "{slug}");
            }
            let stored = write.stored_user(world.team, id)?.expect("the user");
            assert_eq!(stored.as_bytes(), before, "until the end");
            Ok(())
        })
        .await;
    let user = world.user(world.team, 1).await.expect("the user");
    let slugs: Vec<_> = user
        .connected_sources
        .iter()
        .map(|source| source.source.slug.as_str())
        .collect();
    assert_eq!(slugs, ["pulsely"]);
    let connections = world.store.team(world.team).connections(id).await.expect("reads");
    assert_eq!(connections.expect("the user").len(), 1);
}
