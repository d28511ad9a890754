//! Available resources: the ones stored beside the user follow the connections.

use serde_json::json;
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, ResourceAvailabilityStatus};
use wearlab_store::Ingested::{Duplicate, OutOfBounds, Taken};
use wearlab_store::{DeprecatedForms, StoreError};

use crate::arriving::{AT, USER, arrival, cycle, day, ingest, ingestion, try_ingest, world};
use crate::world::{World, all, connection, user};

/// Returns the available resources of the connection, if it exists.
async fn shown(world: &World) -> Option<Vec<String>> {
    let listed = world.store.team(world.team).connections(Uuid::from_u128(USER)).await;
    let listed = all(&listed.expect("reads").expect("the user"));
    let found = listed.into_iter().find(|connection| connection.slug == "stridewell")?;
    let available = (found.resource_availability.into_iter())
        .filter(|(_, known)| known.status == ResourceAvailabilityStatus::Available);
    Some(available.map(|(resource, _)| resource.as_str().to_owned()).collect())
}

async fn put(world: &World, connection: &ConnectedProvider) {
    world
        .write(|write| write.put_connection(world.team, Uuid::from_u128(USER), connection))
        .await;
}

#[tokio::test]
async fn a_connection_shows_what_came_also_once_it_was_put_anew() {
    let world = world().await;
    assert_eq!(shown(&world).await.as_deref(), Some(&[][..]));
    for (date, value) in [("2026-05-01", 1), ("2026-05-02", 2)] {
        assert_eq!(ingest(&world, &[day(date, value)]).await, [Taken]);
        assert_eq!(shown(&world).await, Some(vec!["steps".to_owned()]));
    }
    put(&world, &connection("stridewell", "2026-03-01T00:00:00Z")).await;
    assert_eq!(shown(&world).await.as_deref(), Some(&[][..]));
    assert_eq!(ingest(&world, &[day("2026-05-03", 3)]).await, [Taken]);
    assert_eq!(shown(&world).await, Some(vec!["steps".to_owned()]));

    // The same within one transaction, and with another resource.
    let put_and_ingest = world.store.write(|write| {
        write.put_connection(world.team, Uuid::from_u128(USER), &connection("stridewell", AT))?;
        write.ingest(&day("2026-05-04", 4), &ingestion(DeprecatedForms::default()))
    });
    assert_eq!(put_and_ingest.await.expect("is taken"), Taken);
    assert_eq!(shown(&world).await, Some(vec!["steps".to_owned()]));
    let cycles = json!({"resource": "sleep_cycle", "data": [cycle(1)]});
    assert_eq!(ingest(&world, &[arrival("data", cycles)]).await, [Taken]);
    let both = ["steps", "sleep_cycle"].map(str::to_owned).to_vec();
    assert_eq!(shown(&world).await, Some(both));
}

#[tokio::test]
async fn data_of_a_connection_that_ended_are_refused_however_much_came_before() {
    let world = world().await;
    assert_eq!(
        ingest(&world, &[day("2026-05-01", 1), day("2026-05-02", 2)]).await,
        [Taken; 2]
    );
    let ended = arrival("connection_ended", json!({}));
    let refused = |outcome: Result<_, StoreError>| matches!(outcome, Err(StoreError::Missing { .. }));
    let at_once = world.store.write(|write| {
        let ingestion = ingestion(DeprecatedForms::default());
        write.ingest(&ended, &ingestion)?;
        write.ingest(&day("2026-05-03", 3), &ingestion)
    });
    assert!(refused(at_once.await), "it ended in the same transaction");
    assert_eq!(
        ingest(&world, &[day("2026-05-03", 3)]).await,
        [Taken],
        "that was rolled back"
    );
    assert_eq!(ingest(&world, &[ended]).await, [Taken]);
    let later = try_ingest(
        &world.store,
        &day("2026-05-04", 4),
        &ingestion(DeprecatedForms::default()),
    )
    .await;
    assert!(refused(later), "it ended before");
    put(&world, &connection("stridewell", AT)).await;
    assert_eq!(ingest(&world, &[day("2026-05-04", 4)]).await, [Taken]);
}

#[tokio::test]
async fn an_id_of_data_that_were_dropped_or_refused_is_not_remembered() {
    let world = world().await;
    let named = |provider: &str, date: &str| {
        let value = json!([{"timestamp": format!("{date}T10:00:00Z"), "value": 1, "unit": "count"}]);
        arrival(
            "data",
            json!({"provider": provider, "date": date, "data": value, "arrival_id": "one"}),
        )
    };
    let unknown = named("unknown", "2026-05-01");
    let refused = try_ingest(&world.store, &unknown, &ingestion(DeprecatedForms::default())).await;
    assert!(matches!(refused, Err(StoreError::Missing { .. })));
    let (given, team) = (user(world.team, USER, AT), world.team);
    let mut bounded = given.clone();
    bounded.ingestion_end = Some("2026-04-01".parse().expect("a day"));
    world.write(|write| write.put_user(team, &bounded)).await;
    let dropped = [named("stridewell", "2026-05-01"), named("stridewell", "2026-05-01")];
    let outcomes = ingest(&world, &dropped).await;
    assert_eq!(outcomes, [OutOfBounds; 2]);
    world.write(|write| write.put_user(team, &given)).await;
    let again = [named("stridewell", "2026-05-01"), named("stridewell", "2026-05-02")];
    assert_eq!(
        ingest(&world, &again).await,
        [Taken, Duplicate],
        "the second has the id of the first"
    );
}
