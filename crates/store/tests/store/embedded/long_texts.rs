//! Storage of days with long texts.

use serde_json::json;
use uuid::Uuid;
use wearlab_models::ResourceName;
use wearlab_store::SampleFilter;

use crate::arriving::{self, USER, at, ingest};

/// Long parts of a day are not merged, because all of them would be in memory.
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
    // Also if they are in one line.
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
    let raw = wearlab_checksum_vfs::open(
        world.directory.path().join("wearlab.db"),
        rusqlite::OpenFlags::default(),
    )
    .expect("a database");
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

/// An append to a long day rewrites only its last parts. A deletion rewrites only the affected parts.
#[tokio::test]
async fn appends_and_deletions_leave_the_other_parts_of_a_day_alone() {
    let world = arriving::world().await;
    let note = async |second: u32, length: usize| {
        let time = format!("2026-05-01T10:{:02}:{:02}Z", second / 60, second % 60);
        let note = json!({"timestamp": time, "value": format!("{second}{}", "x".repeat(length))});
        let arrival = arriving::arrival("data", json!({"resource": "note", "data": [note]}));
        ingest(&world, &[arrival]).await;
    };
    let raw = wearlab_checksum_vfs::open(
        world.directory.path().join("wearlab.db"),
        rusqlite::OpenFlags::default(),
    )
    .expect("a database");
    let parts = || -> Vec<(i64, i64, i64)> {
        let mut found = raw
            .prepare("SELECT id, part, length(chunk) FROM samples ORDER BY part")
            .expect("prepares");
        let rows = found
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .expect("reads");
        rows.map(|row| row.expect("a row")).collect()
    };
    for second in 0..20 {
        note(second, 600_000).await;
    }
    let long = parts();
    assert_eq!(long.len(), 20);
    for second in 20..100 {
        note(second, 10).await;
    }
    let all = parts();
    assert_eq!(all[..19], long[..19]);
    assert!(all.len() < 19 + 17, "{} parts", all.len());
    let deleted = json!({"provider": "stridewell", "resource": "note", "start": "2026-05-01T10:00:05Z",
        "end": "2026-05-01T10:00:06Z"});
    ingest(&world, &[arriving::arrival("data_deleted", deleted)]).await;
    let left = parts();
    assert_eq!([&left[..5], &left[5..]], [&all[..5], &all[6..]]);
    let deleted = json!({"provider": "stridewell", "resource": "note", "start": "2026-05-01T10:00:00Z",
        "end": "2026-05-02T00:00:00Z"});
    ingest(&world, &[arriving::arrival("data_deleted", deleted)]).await;
    assert!(parts().is_empty());
}
