//! Connections and devices of users.

use uuid::Uuid;
use wearlab_models::ConnectionStatus;
use wearlab_store::StoreError;

use crate::world::{World, all, connection, device, user};

#[tokio::test]
async fn connected_sources_mirror_the_connections() {
    let world = World::new().await;
    let id = Uuid::from_u128(7);
    let mut stale = user(world.team, 7, "2024-01-01T00:00:00Z");
    let put = |slug: &'static str, at: &'static str| {
        let world = &world;
        async move {
            world
                .write(|write| write.put_connection(world.team, id, &connection(slug, at)))
                .await;
        }
    };
    world.write(|write| write.put_user(world.team, &stale)).await;
    put("young", "2024-02-02T00:00:00Z").await;
    put("old", "2024-02-02T00:30:00+01:00").await;
    put("another", "2024-02-02T00:00:00Z").await;

    let listed = world
        .store
        .team(world.team)
        .connections(id)
        .await
        .expect("reads")
        .expect("the user");
    let listed: Vec<String> = all(&listed).into_iter().map(|connection| connection.slug).collect();
    assert_eq!(listed, ["old", "another", "young"]);
    let sources = async || world.user(world.team, 7).await.expect("the user").connected_sources;
    let before = sources().await;
    assert_eq!(
        before
            .iter()
            .map(|source| source.source.slug.as_str())
            .collect::<Vec<_>>(),
        listed
    );
    assert_eq!(before[0].created_on.to_rfc3339(), "2024-02-02T00:30:00+01:00");
    assert_eq!(before[0].source.name, "The old");
    assert!(
        before
            .iter()
            .all(|source| source.provider.as_ref() == Some(&source.source))
    );

    // A user that is put again keeps its sources, whatever the record contains.
    stale.connected_sources = before[..1].to_vec();
    world.write(|write| write.put_user(world.team, &stale)).await;
    assert_eq!(sources().await, before);

    // A changed connection is shown, and is not duplicated.
    put("young", "2024-01-01T00:00:00Z").await;
    assert_eq!(sources().await[0].source.slug, "young");
    assert_eq!(sources().await.len(), 3);
}

#[tokio::test]
async fn a_connection_is_replaced_by_the_next_of_its_provider() {
    let world = World::new().await;
    let id = Uuid::from_u128(7);
    let at = "2024-01-01T00:00:00Z";
    world
        .write(|write| write.put_user(world.team, &user(world.team, 7, at)))
        .await;
    let mut latest = connection("stridewell", at);
    for status in [
        ConnectionStatus::Connected,
        ConnectionStatus::Error,
        ConnectionStatus::from("new"),
    ] {
        latest.status = status;
        world.write(|write| write.put_connection(world.team, id, &latest)).await;
        let now = world
            .store
            .team(world.team)
            .connections(id)
            .await
            .expect("reads")
            .expect("the user");
        assert_eq!(all(&now), [latest.clone()]);
    }
}

#[tokio::test]
async fn devices_are_listed_by_id() {
    let world = World::new().await;
    let at = "2024-01-01T00:00:00Z";
    world
        .write(|write| {
            for id in [7, 8] {
                write.put_user(world.team, &user(world.team, id, at))?;
            }
            for (user_id, id) in [(7, 0x30), (7, 0x10), (8, 0x20), (7, 0x10)] {
                write.put_device(world.team, &device(user_id, id))?;
            }
            Ok(())
        })
        .await;
    let devices = async |user_id| {
        let found = world
            .store
            .team(world.team)
            .devices(Uuid::from_u128(user_id))
            .await
            .expect("reads");
        found.map(|found| all(&found).iter().map(|device| device.id.as_u128()).collect::<Vec<_>>())
    };
    assert_eq!(devices(7).await, Some(vec![0x10, 0x30]));
    assert_eq!(devices(8).await, Some(vec![0x20]));
    assert_eq!(devices(9).await, None);
    world
        .write(|write| write.put_device(world.team, &device(8, 0x10)))
        .await;
    assert_eq!(devices(7).await, Some(vec![0x30]), "a device has one user");
}

#[tokio::test]
async fn what_has_no_user_is_refused() {
    let world = World::new().await;
    let at = "2024-01-01T00:00:00Z";
    world
        .write(|write| write.put_user(world.stranger, &user(world.stranger, 7, at)))
        .await;
    let id = Uuid::from_u128(7);
    let connected = world
        .store
        .write(|write| write.put_connection(world.team, id, &connection("a", at)))
        .await;
    let device = world
        .store
        .write(|write| write.put_device(world.team, &device(7, 1)))
        .await;
    for result in [connected, device] {
        assert!(
            matches!(result, Err(StoreError::Missing { what: "user" })),
            "{result:?}"
        );
    }
}
