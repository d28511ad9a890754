//! Rows of days after a deletion, without traces of the values.

use serde_json::{Value, json};
use wearlab_store::Ingested::{Duplicate, Taken};
use wearlab_store::{Record, ValidArrival};

use crate::arriving::{arrival, ingest, world};
use crate::repeats::{deleted, samples, summaries};
use crate::world::{World, exported};

/// Returns the date and the bytes of each day of a resource.
fn noted(world: &World, resource: &str) -> Vec<(String, Vec<u8>)> {
    let raw = wearlab_checksum_vfs::open(
        world.directory.path().join("wearlab.db"),
        rusqlite::OpenFlags::default(),
    )
    .expect("a database");
    let mut days = raw
        .prepare("SELECT day, hash FROM days WHERE resource = ?1 ORDER BY day, source")
        .expect("days");
    let days = days.query_map([resource], |row| Ok((row.get(0)?, row.get(1)?)));
    days.expect("rows").collect::<Result<_, _>>().expect("days")
}

fn zeros_and(rest: &str) -> Vec<u8> {
    [&[0; 32], rest.as_bytes()].concat()
}

fn weight(date: &str, source: &str, time: &str) -> ValidArrival {
    let data = json!([{"timestamp": time, "value": 70}]);
    let fields = json!({"resource": "weight", "date": date, "source": {"type": source}, "data": data});
    arrival("data", fields)
}

#[tokio::test]
async fn a_deletion_leaves_no_hash_of_the_values_and_they_are_stored_when_they_come_again() {
    let world = world().await;
    let lines = [
        weight("2026-05-01", "scale", "2026-05-01T08:00:00"),
        // With another date than that of its day.
        weight("2026-05-04", "scale", "2026-05-01T08:10:00Z"),
    ];
    let other = weight("2026-05-01", "manual", "2026-05-01T20:00:00Z");
    assert_eq!(ingest(&world, &lines).await, [Taken; 2]);
    assert_eq!(ingest(&world, std::slice::from_ref(&other)).await, [Taken]);
    let before = (noted(&world, "weight"), samples(&world, "weight").await);
    assert!(before.0.iter().all(|(_, hash)| hash[..32] != [0; 32]));

    let span = json!({"resource": "weight", "start": "2026-05-01T00:00:00Z", "end": "2026-05-01T12:00:00Z"});
    assert_eq!(ingest(&world, &[deleted(span.clone())]).await, [Taken]);
    let after = noted(&world, "weight");
    let of_others: Vec<_> = after.iter().filter(|day| before.0.contains(day)).collect();
    assert_eq!(of_others.len(), 1, "that of the other source stays");
    for day in [("2026-05-01", "Europe/Oslo"), ("2026-05-04", "")] {
        let expected = (day.0.to_owned(), zeros_and(day.1));
        assert!(after.contains(&expected), "{}", day.0);
    }
    assert_eq!(after.len(), 3);

    assert_eq!(ingest(&world, std::slice::from_ref(&other)).await, [Duplicate]);
    assert_eq!(ingest(&world, &lines).await, [Taken; 2]);
    assert_eq!(ingest(&world, &lines).await, [Duplicate; 2]);
    assert_eq!((noted(&world, "weight"), samples(&world, "weight").await), before);
    // Repeated.
    assert_eq!(ingest(&world, &[deleted(span)]).await, [Taken]);
    assert_eq!(noted(&world, "weight"), after);

    // An export has the remaining values, and an import accepts it.
    let copy = World::new().await;
    let records: Vec<Record> = exported(&world.store)
        .await
        .iter()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    copy.write(|write| records.iter().try_for_each(|record| write.put(record)))
        .await;
    assert_eq!(samples(&copy, "weight").await, samples(&world, "weight").await);
    assert!(noted(&copy, "weight").iter().all(|(_, hash)| hash.is_empty()));
    assert_eq!(ingest(&copy, &lines).await, [Taken; 2]);
    assert_eq!(samples(&copy, "weight").await, before.1);
}

#[tokio::test]
async fn deletions_of_summaries_leave_no_hash_of_them() {
    let id = uuid::Uuid::from_u128(1);
    let meal = json!({"id": id, "timestamp": "2026-05-01T12:00:00Z", "calendar_date": "2026-05-01", "name": "soup",
        "priority_id": 1, "source_id": 1, "provider_id": "m"});
    let line = arrival(
        "data",
        json!({"resource": "meal", "date": "2026-05-03", "data": [meal]}),
    );
    let of_day: Value = json!({"resource": "meal", "start_date": "2026-05-01", "end_date": "2026-05-01"});
    for deletion in [of_day, json!({"resource": "meal", "id": id})] {
        let world = world().await;
        assert_eq!(ingest(&world, &[line.clone(), line.clone()]).await, [Taken, Duplicate]);
        assert_eq!(ingest(&world, &[deleted(deletion)]).await, [Taken]);
        assert_eq!(
            noted(&world, "meal"),
            [
                ("2026-05-01".to_owned(), Vec::new()),
                ("2026-05-03".to_owned(), zeros_and(""))
            ]
        );
        assert_eq!(ingest(&world, &[line.clone(), line.clone()]).await, [Taken, Duplicate]);
        assert_eq!(summaries(&world, "meal").await.len(), 1);
    }
}
