//! Days with long texts, as they are kept.

use serde_json::json;
use uuid::Uuid;
use wearlab_models::ResourceName;
use wearlab_store::SampleFilter;

use crate::arriving::{self, USER, at, ingest};

/// Parts of a day that are long are not put together, since all of them would be in memory.
#[tokio::test]
async fn parts_of_a_day_with_long_texts_stay_apart() {
    let world = arriving::world().await;
    for second in 0..20 {
        let text = "x".repeat(1_000_000);
        let time = format!("2026-05-01T10:00:{second:02}Z");
        let note = json!({"timestamp": time, "value": text});
        ingest(
            &world,
            &[arriving::arrival("data", json!({"resource": "note", "data": [note]}))],
        )
        .await;
    }
    // Together in one line, too.
    let text = "y".repeat(900_000);
    let note = |second: u32| json!({"timestamp": format!("2026-05-02T10:00:{second:02}Z"), "value": text.clone() + &second.to_string()});
    let data: Vec<_> = (0..15).map(note).collect();
    ingest(
        &world,
        &[arriving::arrival(
            "data",
            json!({"resource": "note", "date": "2026-05-02", "data": data}),
        )],
    )
    .await;
    let raw = rusqlite::Connection::open(world.directory.path().join("wearlab.db")).expect("a database");
    let longest: i64 = raw
        .query_row("SELECT max(length(chunk)) FROM samples", [], |row| row.get(0))
        .expect("a length");
    assert!(longest < 6_000_000, "{longest}");
    let filter = SampleFilter {
        resource: &ResourceName::Note,
        span: at("2026-05-01T00:00:00Z").timestamp_micros()..at("2026-05-03T00:00:00Z").timestamp_micros(),
        provider: None,
        after: None,
    };
    let page = world
        .store
        .team(world.team)
        .samples(Uuid::from_u128(USER), &filter, 100)
        .await;
    let page = page.expect("reads").expect("a user");
    assert_eq!(page.groups[0].samples.len(), 35);
}
