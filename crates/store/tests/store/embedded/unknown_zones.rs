//! Arrivals with times without an offset from an earlier version, which did not record their time zone.

use serde_json::{Value, json};
use wearlab_store::Ingested::{Duplicate, Taken};

use crate::arriving::{self, USER, arrival, ingest};
use crate::repeats::{samples, summaries};
use crate::world::{World, user};

/// Removes records that earlier versions did not have.
fn age(world: &World) {
    let raw = wearlab_checksum_vfs::open(
        world.directory.path().join("wearlab.db"),
        rusqlite::OpenFlags::default(),
    )
    .expect("a database");
    raw.execute_batch("UPDATE days SET hash = substr(hash, 1, 32) WHERE length(hash) > 32; UPDATE pull_chunks SET hash = NULL, source = NULL")
        .expect("ages");
}

#[tokio::test]
async fn what_is_stored_is_known_in_any_time_zone_and_what_is_deleted_comes_back() {
    let world = arriving::world().await;
    let data =
        json!([{"timestamp": "2026-05-01T10:00:00", "value": 1}, {"timestamp": "2026-05-01T23:30:00", "value": 2}]);
    let night = json!([{"bedtime_start": "2026-05-01T22:00:00", "bedtime_stop": "2026-05-02T06:00:00", "type": "long_sleep",
        "duration": 28800, "total": 28800, "awake": 0, "light": 0, "rem": 0, "deep": 0}]);
    let pull = json!({"id": "p", "chunk": 1, "chunks": 1});
    let all = [
        arrival("data", json!({"date": "2026-05-01", "data": data})),
        arrival(
            "data",
            json!({"resource": "floors_climbed", "date": "2026-05-01", "data": data, "pull": pull}),
        ),
        arrival(
            "data",
            json!({"resource": "sleep", "date": "2026-05-02", "data": night}),
        ),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken; 3]);
    let stored = async || -> Vec<Vec<Value>> {
        vec![
            samples(&world, "steps").await,
            samples(&world, "floors_climbed").await,
            summaries(&world, "sleep").await,
        ]
    };
    let before = stored().await;
    age(&world);
    let mut moved = user(world.team, USER, arriving::AT);
    moved.fallback_time_zone.id = "Asia/Tokyo".to_owned();
    world.write(|write| write.put_user(world.team, &moved)).await;
    assert_eq!(ingest(&world, &all).await, [Duplicate; 3]);
    assert_eq!(stored().await, before);
    let deleted = |fields: Value| {
        let mut all = json!({"provider": "stridewell"});
        all.as_object_mut()
            .expect("an object")
            .extend(fields.as_object().expect("an object").clone());
        arrival("data_deleted", all)
    };
    let span =
        |resource: &str| json!({"resource": resource, "start": "2026-04-01T00:00:00Z", "end": "2026-06-01T00:00:00Z"});
    let deletions = [
        deleted(span("steps")),
        deleted(span("floors_climbed")),
        deleted(json!({"resource": "sleep", "start_date": "2026-04-01", "end_date": "2026-06-01"})),
    ];
    assert_eq!(ingest(&world, &deletions).await, [Taken; 3]);
    assert_eq!(ingest(&world, &all).await, [Taken; 3]);
    assert_eq!(stored().await.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
    assert_eq!(ingest(&world, &all).await, [Duplicate; 3]);
}
