//! Values that are exported, and put back into another store.

use serde_json::{Value, json};
use wearlab_models::ResourceName;
use wearlab_store::Record;

use crate::arriving::{USER, arrival, cycle, day, ingest, log, sample_of, world};
use crate::place::open;
use crate::world::exported;

#[tokio::test]
async fn what_is_exported_is_put_back_as_it_was_and_without_events() {
    let world = world().await;
    let many = (0..7_000).map(|second| {
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        json!({"timestamp": format!("2026-05-03T{hour:02}:{minute:02}:{second:02}Z"), "value": 60 + second, "type": "wrist"})
    });
    let many: Vec<Value> = many.collect();
    let weight =
        json!({"date": "2026-05-04", "resource": "body", "source": {"type": "scale"}, "data": [{"weight": 71.50}]});
    let arrivals = [
        day("2026-05-01", 1),
        // In parts, and corrected.
        arrival(
            "data",
            json!({"date": "2026-05-01", "data": [sample_of("2026-05-01", 2)]}),
        ),
        arrival(
            "data",
            json!({"resource": "heartrate", "date": "2026-05-03", "data": many}),
        ),
        arrival("data", json!({"resource": "sleep_cycle", "data": [cycle(1)]})),
        arrival("data", weight),
    ];
    ingest(&world, &arrivals).await;
    let lines = exported(&world.store).await;
    let values: Vec<Value> = lines
        .iter()
        .filter(|line| line.starts_with("{\"values\""))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let of = |resource: &str| {
        let of = values.iter().filter(|line| line["values"]["resource"] == resource);
        of.map(|line| line["values"]["data"].as_array().expect("a list").len())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("heartrate"), [5_000, 2_000]);
    assert_eq!(
        (of("steps"), of("sleep_cycle"), of("body")),
        (vec![1], vec![1], vec![1])
    );

    let directory = tempfile::tempdir().expect("a directory");
    let copy = open(directory.path()).await;
    let records: Vec<Record> = lines
        .iter()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    for _ in 0..2 {
        let written = copy.write(|write| records.iter().try_for_each(|record| write.put(record)));
        written.await.expect("writes");
        assert_eq!(exported(&copy).await, lines);
    }
    assert!(log(&copy).await.is_empty());
    let team = copy.write(|write| write.team(world.team.uuid())).await.expect("reads");
    let days = "2026-01-01".parse().expect("a day")..="2026-12-31".parse().expect("a day");
    let reader = copy.team(team.expect("the team"));
    let bodies = reader.summaries::<Value>(uuid::Uuid::from_u128(USER), &ResourceName::Body, days, None);
    let bodies = crate::world::all(&bodies.await.expect("reads").expect("the user"));
    assert_eq!(
        (&bodies[0]["weight"], &bodies[0]["source"]["type"]),
        (&json!(71.5), &json!("scale"))
    );
    assert_eq!(bodies[0]["created_at"], "2026-06-01T12:00:00Z");
}
