//! Transactions: atomic, and never applied twice.

use chrono::DateTime;
use serde_json::json;
use uuid::Uuid;
use wearlab_models::{CancellationReason, Environment, ProviderSourceType, Region};
use wearlab_store::{KeyRecord, LabAccountRecord, ProviderRecord, StoreError, TeamRecord, Transaction};

use crate::labs::{marker, test};
use crate::pipelines::pipeline;
use crate::place::dump;
use crate::world::{World, connection, device, put_team, user, value};

#[tokio::test]
async fn a_failed_write_leaves_nothing() {
    let world = World::new().await;
    let at = "2024-01-01T00:00:00Z";
    let result: Result<(), _> = world
        .store
        .write(|write| {
            write.put_user(world.team, &user(world.team, 7, at))?;
            write.put_connection(world.team, Uuid::from_u128(7), &connection("stridewell", at))?;
            write.put_device(world.team, &device(8, 1))
        })
        .await;
    assert!(matches!(result, Err(StoreError::Missing { .. })), "{result:?}");
    assert_eq!(world.user(world.team, 7).await, None);
    assert_eq!(world.store.team(world.team).users(0, 1).await.expect("reads").total, 0);
    world
        .write(|write| write.put_user(world.team, &user(world.team, 7, at)))
        .await;
}

#[tokio::test]
async fn a_write_that_panics_leaves_nothing_and_the_store_usable() {
    let world = World::new().await;
    let (store, team) = (world.store.clone(), world.team);
    let task = tokio::spawn(async move {
        let panics = |write: &mut Transaction<'_>| -> Result<(), StoreError> {
            write.put_user(team, &user(team, 7, "2024-01-01T00:00:00Z"))?;
            panic!("a mistake of the caller");
        };
        store.write(panics).await
    });
    assert!(task.await.is_err());
    assert_eq!(world.user(world.team, 7).await, None);
    world.write(|write| write.put_organisation("another")).await;
}

#[tokio::test]
async fn the_same_twice_changes_nothing() {
    let world = World::new().await;
    let put = |write: &mut Transaction<'_>| {
        let at = "2024-01-01T00:00:00Z";
        let organisation = write.put_organisation("org_ours")?;
        let team = put_team(write, 1, &organisation)?;
        write.put_meta("seed", "1")?;
        write.put_key(&KeyRecord::of_team(team.uuid(), "one"))?;
        write.put_key(&KeyRecord::of_organisation("org_ours", "two"))?;
        write.put_link_token(team, "three", DateTime::UNIX_EPOCH)?;
        write.put_user(team, &user(team, 7, at))?;
        write.put_connection(team, Uuid::from_u128(7), &connection("stridewell", at))?;
        write.put_device(team, &device(7, 1))?;
        write.put_provider(&ProviderRecord {
            supported: value(
                json!({"name": "", "slug": "s", "description": "", "logo": null}),
                json!({}),
            ),
            link: None,
            source_type: ProviderSourceType::Lab,
        })?;
        write.put_lab_test(&test("basic", &[marker(1), marker(2)]))?;
        write.put_lab_account(&LabAccountRecord {
            team_id: team.uuid(),
            lab_account_id: Uuid::from_u128(5),
            visible: [("basic".to_owned(), vec![2])].into(),
        })?;
        write.put_cancellation_reason(
            &CancellationReason::builder()
                .id("1")
                .name("Moved")
                .is_refundable(true)
                .build(),
        )?;
        write.put_pipeline(team, &pipeline(team.uuid()))
    };
    world.write(put).await;
    let before = dump(world.directory.path()).await;
    world.write(put).await;
    assert_eq!(dump(world.directory.path()).await, before);
}

#[tokio::test]
async fn a_team_stays_with_its_organisation() {
    let world = World::new().await;
    let moved = world.store.write(|write| put_team(write, 1, &world.theirs)).await;
    assert!(matches!(moved, Err(StoreError::Conflict { .. })), "{moved:?}");
    let again = world
        .write(|write| {
            write.put_team(&TeamRecord {
                team_id: world.team.uuid(),
                org_id: world.ours.as_str().to_owned(),
                environment: Environment::Sandbox,
                region: Region::Eu,
            })
        })
        .await;
    assert_eq!(again, world.team);
    assert_eq!(
        world.write(|write| write.team(world.team.uuid())).await,
        Some(world.team)
    );
    assert_eq!(world.write(|write| write.team(Uuid::from_u128(99))).await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_and_writers_do_not_disturb_each_other() {
    let world = World::new().await;
    let (store, team) = (world.store.clone(), world.team);
    let writer = tokio::spawn(async move {
        for id in 0..50 {
            let user = user(team, id, "2024-01-01T00:00:00Z");
            store.write(|write| write.put_user(team, &user)).await.expect("writes");
        }
    });
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let store = world.store.clone();
            tokio::spawn(async move {
                for _ in 0..200 {
                    let page = store.team(team).users(0, 500).await.expect("reads");
                    assert_eq!(
                        i64::try_from(page.users.len()).ok(),
                        Some(page.total),
                        "one moment, not two"
                    );
                }
            })
        })
        .collect();
    writer.await.expect("writes");
    for reader in readers {
        reader.await.expect("reads");
    }
    assert_eq!(world.store.team(team).users(0, 1).await.expect("reads").total, 50);
}
