//! Savepoints within a write.

use uuid::Uuid;
use wearlab_store::{DeviceRecord, Record, StoreError, Transaction};

use crate::world::{World, connection, device, exported, put_team, user};

const AT: &str = "2024-01-01T00:00:00Z";
const NO: StoreError = StoreError::Conflict { what: "no" };

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

async fn sources(world: &World, user: u128) -> Vec<String> {
    let user = world.user(world.team, user).await.expect("the user");
    user.connected_sources
        .into_iter()
        .map(|source| source.source.slug)
        .collect()
}

#[tokio::test]
async fn a_part_that_fails_takes_back_itself_alone() {
    let world = World::new().await;
    let team = world.team;
    let kept = world
        .write(|write| {
            write.put_user(team, &user(team, 1, AT))?;
            let failed = write.attempt(|write| {
                write.put_user(team, &user(team, 2, AT))?;
                write.put_connection(team, id(1), &connection("lost", AT))?;
                Err::<(), _>(NO)
            });
            assert!(
                matches!(failed, Err(StoreError::Conflict { what: "no" })),
                "the part's own error"
            );
            let kept = write.attempt(|write| {
                write.put_user(team, &user(team, 3, AT))?;
                // A rolled back savepoint within a committed one, and the other way round.
                let inner = write.attempt(|write| {
                    write.delete_user(team, id(1))?;
                    write.attempt(|write| write.put_user(team, &user(team, 4, AT)))?;
                    Err::<(), _>(NO)
                });
                assert!(inner.is_err());
                write.put_connection(team, id(3), &connection("kept", AT))?;
                Ok(5)
            });
            write.put_user(team, &user(team, 6, AT))?;
            kept
        })
        .await;
    assert_eq!(kept, 5);
    let page = world.store.team(team).users(0, 100).await.expect("reads");
    let ids: Vec<_> = crate::world::all(&page.users)
        .iter()
        .map(|user| user.user_id.as_u128())
        .collect();
    assert_eq!(ids, [1, 3, 6]);
    assert_eq!(page.total, 3);
    assert!(sources(&world, 1).await.is_empty());
    assert_eq!(sources(&world, 3).await, ["kept"]);
}

#[tokio::test]
async fn connected_sources_stay_right_whatever_is_taken_back() {
    type Part = fn(&mut Transaction<'_>, wearlab_store::TeamId) -> Result<(), StoreError>;
    let parts: [(Part, &[&str]); 4] = [
        (
            |write, team| {
                write.put_connection(team, id(1), &connection("young", "2025-01-01T00:00:00Z"))?;
                Err(NO)
            },
            &["old", "new"],
        ),
        (
            |write, team| {
                write.delete_user(team, id(1))?;
                Err(NO)
            },
            &["old", "new"],
        ),
        (
            |write, team| {
                write.put_user(team, &user(team, 1, "2020-01-01T00:00:00Z"))?;
                write.put_connection(team, id(1), &connection("old", "2026-01-01T00:00:00Z"))?;
                Err(NO)
            },
            &["old", "new"],
        ),
        (
            |write, team| {
                write.delete_user(team, id(1))?;
                write.put_user(team, &user(team, 1, AT))?;
                write.put_connection(team, id(1), &connection("only", AT))
            },
            &["only"],
        ),
    ];
    for (part, expected) in parts {
        let world = World::new().await;
        let team = world.team;
        world
            .write(|write| {
                write.put_user(team, &user(team, 1, AT))?;
                write.put_connection(team, id(1), &connection("old", AT))
            })
            .await;
        world
            .write(|write| {
                write.put_connection(team, id(1), &connection("new", "2024-06-01T00:00:00Z"))?;
                let _ = write.attempt(|write| part(write, team));
                Ok(())
            })
            .await;
        assert_eq!(sources(&world, 1).await, expected);
    }
}

#[tokio::test]
async fn a_write_that_fails_takes_back_the_parts_that_were_kept() {
    let world = World::new().await;
    let team = world.team;
    let before = exported(&world.store).await;
    let failed: Result<(), _> = world
        .store
        .write(|write| {
            write.attempt(|write| write.put_user(team, &user(team, 1, AT)))?;
            Err(NO)
        })
        .await;
    assert!(failed.is_err());
    assert_eq!(exported(&world.store).await, before);
}

#[tokio::test]
async fn a_team_of_a_part_that_was_taken_back_is_not_known() {
    let world = World::new().await;
    let strange = id(99);
    let record = Record::Device(DeviceRecord {
        team_id: strange,
        device: device(1, 2),
    });
    world
        .write(|write| {
            let lost = write.attempt(|write| {
                let organisation = write.put_organisation("org_ours")?;
                put_team(write, strange.as_u128(), &organisation)?;
                // The device exists within the savepoint, but its user does not.
                let missing = write.put(&record).expect_err("there is no user");
                assert!(matches!(missing, StoreError::Missing { what: "user" }), "{missing:?}");
                Err::<(), _>(NO)
            });
            assert!(lost.is_err());
            let missing = write.put(&record).expect_err("there is no team");
            assert!(matches!(missing, StoreError::Missing { what: "team" }), "{missing:?}");
            Ok(())
        })
        .await;
}
