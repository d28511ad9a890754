//! Deletion of arrivals with their user: no traces stay in the files, and event numbers are not used again.

use std::collections::BTreeSet;

use serde_json::json;
use uuid::Uuid;
use wearlab_store::Store;

use crate::arriving;
use crate::world::{connection, traces, user};

/// Events, days, pulls and ids of arrivals are deleted with their user. Those of others stay.
#[tokio::test]
async fn what_arrived_is_forgotten_with_its_user() {
    let world = arriving::world().await;
    let id = Uuid::from_u128(arriving::USER);
    let mut other = user(world.team, 8, arriving::AT);
    other.client_user_id = "somebody-else".to_owned();
    world
        .write(|write| {
            write.put_user(world.team, &other)?;
            write.put_connection(world.team, other.user_id, &connection("stridewell", arriving::AT))
        })
        .await;
    let long = "y".repeat(9_000);
    let arrivals = |user_id: Uuid, of: &str| {
        let pull = |chunk, chunks| json!({"id": format!("pull-{chunks}-{of}"), "chunk": chunk, "chunks": chunks});
        let data = |text: &str| json!([{"timestamp": "2026-05-01T10:00:00Z", "value": 1, "note": format!("{text}-{of}"), "long": long}]);
        let more = [
            json!({"data": data("daily"), "arrival_id": format!("arrival-{of}")}),
            json!({"data": data("another"), "raw": {"note": format!("raw-{of}")}}),
            json!({"data": data("whole"), "pull": pull(1, 1)}),
            json!({"data": data("waiting"), "pull": pull(1, 2)}),
        ];
        more.map(|mut more| {
            more["user_id"] = json!(user_id);
            arriving::arrival("data", more)
        })
    };
    arriving::ingest(&world, &arrivals(id, "of-the-one")).await;
    arriving::ingest(&world, &arrivals(other.user_id, "of-the-other")).await;
    let names = [
        "daily", "another", "raw", "whole", "waiting", "arrival", "pull-1", "pull-2",
    ];
    let texts = |of: &str| names.map(|name| format!("{name}-{of}").into_bytes());
    let found = |of: &str| {
        let texts = texts(of);
        let found = traces(world.directory.path(), &texts);
        found
            .iter()
            .map(|(_, text)| text.to_vec())
            .collect::<BTreeSet<_>>()
            .len()
    };
    assert_eq!((found("of-the-one"), found("of-the-other")), (names.len(), names.len()));
    let last = world.store.last_event().await.expect("reads");

    assert!(world.store.forget(world.team, id).await.expect("forgets"));
    assert_eq!((found("of-the-one"), found("of-the-other")), (0, names.len()));
    let of_user = [id.to_string().into_bytes(), b"client-7".to_vec()];
    assert!(traces(world.directory.path(), &of_user).is_empty());
    let log = arriving::log(&world.store).await;
    assert!(log.len() == 3 && log.iter().all(|event| event.user_id == other.user_id));
    let raw = wearlab_checksum_vfs::open(
        world.directory.path().join("wearlab.db"),
        rusqlite::OpenFlags::default(),
    )
    .expect("a database");
    for (table, count) in [
        ("days", 1),
        ("pulls", 2),
        ("pull_chunks", 2),
        ("arrivals", 1),
        ("samples", 4),
    ] {
        let sql = format!("SELECT count(*) FROM {table}");
        let left: i64 = raw.query_row(&sql, [], |row| row.get(0)).expect("counts");
        assert_eq!(left, count, "{table}");
    }

    // A user who is created again starts empty, and no event number is used again.
    world
        .write(|write| {
            write.put_user(world.team, &user(world.team, arriving::USER, arriving::AT))?;
            write.put_connection(world.team, id, &connection("stridewell", arriving::AT))
        })
        .await;
    arriving::ingest(&world, &arrivals(id, "of-the-one")).await;
    let log = arriving::log(&world.store).await;
    let again: Vec<_> = log.iter().filter(|event| event.user_id == id).collect();
    assert_eq!(again[0].event_type, "daily.data.steps.created");
    assert_eq!(again.len(), 3);
    assert!(again[0].number > last);
}

/// Event numbers continue, also if the last events were deleted, and also in a copy.
#[tokio::test]
async fn numbers_of_forgotten_events_are_not_used_again() {
    let world = arriving::world().await;
    let id = Uuid::from_u128(arriving::USER);
    arriving::ingest(
        &world,
        &[arriving::day("2026-05-01", 1), arriving::day("2026-05-02", 1)],
    )
    .await;
    let last = world.store.last_event().await.expect("reads");
    assert!(world.store.forget(world.team, id).await.expect("forgets"));
    assert!(arriving::log(&world.store).await.is_empty());
    let (file, directory) = (
        world.directory.path().join("copy.db"),
        world.directory.path().join("copy"),
    );
    world.store.backup(&file).await.expect("copies");
    Store::restore(&file, &directory).expect("puts back");
    for store in [world.store.clone(), Store::open(&directory).expect("opens")] {
        store
            .write(|write| {
                write.put_user(world.team, &user(world.team, arriving::USER, arriving::AT))?;
                write.put_connection(world.team, id, &connection("stridewell", arriving::AT))
            })
            .await
            .expect("writes");
        let ingestion = arriving::ingestion(arriving::NO_FORMS);
        let again = arriving::try_ingest(&store, &arriving::day("2026-05-01", 1), &ingestion).await;
        again.expect("is taken");
        assert!(arriving::log(&store).await[0].number > last);
    }
}
