//! Users.

use serde_json::json;
use uuid::Uuid;
use wearlab_models::User;
use wearlab_store::StoreError;

use crate::world::{World, all, connection, decoded, device, user, value};

#[tokio::test]
async fn a_user_is_read_as_written() {
    let world = World::new().await;
    let full: User = value(
        serde_json::to_value(user(world.team, 7, "2024-03-04T05:06:07.089+05:30")).expect("JSON"),
        json!({
            "fallback_birth_date": {"value": "1990-02-03", "source_slug": "manual", "updated_at": "2024-01-01T00:00:00Z"},
            "ingestion_start": "2020-01-01",
            "ingestion_end": "2030-01-01",
        }),
    );
    world.write(|write| write.put_user(world.team, &full)).await;
    assert_eq!(world.user(world.team, 7).await, Some(full.clone()));
    let text = world
        .store
        .team(world.team)
        .user(full.user_id)
        .await
        .expect("reads")
        .expect("the user")
        .into_bytes();
    assert_eq!(
        text,
        serde_json::to_vec(&full).expect("JSON"),
        "byte for byte, with its offset"
    );
    assert_eq!(world.user(world.team, 8).await, None);
}

#[tokio::test]
async fn users_are_listed_by_age_and_then_by_id() {
    let world = World::new().await;
    // As text, these times sort differently.
    let users = [
        (0xb, "2024-01-01T10:00:00+09:00"),
        (0xf, "2024-01-01T02:00:00Z"),
        (0xa, "2024-01-01T02:00:00.000000001Z"),
        (0xc, "2023-12-31T23:59:59-05:00"),
        (0x9, "2024-01-01T03:00:00+01:00"),
    ];
    world
        .write(|write| {
            users
                .iter()
                .try_for_each(|(id, at)| write.put_user(world.team, &user(world.team, *id, at)))
        })
        .await;
    let page = async |offset, limit| {
        let page = world.store.team(world.team).users(offset, limit).await.expect("reads");
        assert_eq!(page.total, 5);
        all(&page.users)
            .iter()
            .map(|user| user.user_id.as_u128())
            .collect::<Vec<_>>()
    };
    assert_eq!(page(0, 100).await, [0xb, 0x9, 0xf, 0xa, 0xc]);
    assert_eq!(page(1, 2).await, [0x9, 0xf]);
    for (offset, limit) in [(5, 2), (i64::MAX, i64::MAX), (0, 0), (0, -1)] {
        assert_eq!(page(offset, limit).await, [], "{offset} {limit}");
    }
    assert_eq!(page(-1, 1).await, [0xb]);
}

#[tokio::test]
async fn the_total_counts_users_not_writes() {
    let world = World::new().await;
    let total = async |team| world.store.team(team).users(0, 0).await.expect("reads").total;
    let mut changed = user(world.team, 7, "2024-01-01T00:00:00Z");
    for zone in ["Europe/Oslo", "Europe/Oslo", "Asia/Tokyo"] {
        changed.fallback_time_zone.id = zone.to_owned();
        world.write(|write| write.put_user(world.team, &changed)).await;
        assert_eq!(total(world.team).await, 1);
    }
    assert_eq!(world.user(world.team, 7).await, Some(changed));
    assert_eq!(total(world.sister).await, 0);
}

#[tokio::test]
async fn teams_do_not_see_each_other() {
    let world = World::new().await;
    let at = "2024-01-01T00:00:00Z";
    world
        .write(|write| {
            write.put_user(world.team, &user(world.team, 7, at))?;
            write.put_connection(world.team, Uuid::from_u128(7), &connection("stridewell", at))?;
            write.put_device(world.team, &device(7, 70))?;
            // The same ids in another team are other objects.
            write.put_user(world.stranger, &user(world.stranger, 7, at))?;
            write.put_device(world.stranger, &device(7, 70))
        })
        .await;
    let id = Uuid::from_u128(7);
    let sister = world.store.team(world.sister);
    assert!(sister.user(id).await.expect("reads").is_none());
    assert!(sister.connections(id).await.expect("reads").is_none());
    assert!(sister.devices(id).await.expect("reads").is_none());
    assert!(sister.users(0, 100).await.expect("reads").users.is_empty());
    let stranger = world.store.team(world.stranger);
    assert_eq!(stranger.connections(id).await.expect("reads"), Some(Vec::new()));
    assert_eq!(
        world.user(world.stranger, 7).await.expect("the user").team_id,
        world.stranger.uuid()
    );
    assert_eq!(
        world
            .user(world.team, 7)
            .await
            .expect("the user")
            .connected_sources
            .len(),
        1
    );
}

#[tokio::test]
async fn a_user_that_contradicts_is_refused() {
    let world = World::new().await;
    let first = user(world.team, 7, "2024-01-01T00:00:00Z");
    let mut second = user(world.team, 8, "2024-01-01T00:00:00Z");
    second.client_user_id = first.client_user_id.clone();
    world.write(|write| write.put_user(world.team, &first)).await;
    let same = world.store.write(|write| write.put_user(world.team, &second)).await;
    let elsewhere = world.store.write(|write| write.put_user(world.sister, &first)).await;
    for result in [same, elsewhere] {
        let error = result.expect_err("is refused");
        assert!(matches!(error, StoreError::Conflict { .. }), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("client-7"), "{error:?}");
    }
    second.client_user_id = "client-8".to_owned();
    world.write(|write| write.put_user(world.team, &second)).await;
    assert_eq!(
        decoded(&world.store.team(world.team).users(1, 1).await.expect("reads").users[0]),
        second
    );
}

#[tokio::test]
async fn users_are_found_by_how_their_client_user_id_begins() {
    let world = World::new().await;
    let named = |team, number: u128, name: &str| -> User {
        let plain = serde_json::to_value(user(team, number, "2024-01-01T00:00:00Z")).expect("JSON");
        value(plain, json!({"client_user_id": name}))
    };
    let names = ["a", "ab", "ab\u{10ffff}", "abc", "a%", "b"];
    world
        .write(|write| {
            for (number, name) in (1..).zip(names) {
                write.put_user(world.team, &named(world.team, number, name))?;
            }
            write.put_user(world.sister, &named(world.sister, 9, "ab"))
        })
        .await;
    let found = async |prefix: &str, limit: usize| {
        let users = world.store.team(world.team).users_by_prefix(prefix, limit).await;
        let users = all(&users.expect("reads"));
        users
            .into_iter()
            .map(|user: User| user.client_user_id)
            .collect::<Vec<_>>()
    };
    assert_eq!(found("ab", 10).await, ["ab", "abc", "ab\u{10ffff}"]);
    assert_eq!(found("ab", 2).await, ["ab", "abc"]);
    assert_eq!(found("a%", 10).await, ["a%"], "nothing in a text is a pattern");
    assert_eq!(found("", 10).await.len(), names.len());
    assert!(found("c", 10).await.is_empty());
}
