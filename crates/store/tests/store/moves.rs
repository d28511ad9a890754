//! Times without an offset that arrive again after their user has moved.

use serde_json::{Value, json};
use wearlab_store::Ingested::{Duplicate, Taken};
use wearlab_store::{StoreError, ValidArrival};

use crate::arriving::{NO_FORMS, USER, arrival, ingest, ingestion, types, world};
use crate::repeats::{deleted, deleted_span, samples, summaries};
use crate::world::{World, user};

async fn move_to(world: &World, zone: &str) {
    let mut moved = user(world.team, USER, crate::arriving::AT);
    zone.clone_into(&mut moved.fallback_time_zone.id);
    world.write(|write| write.put_user(world.team, &moved)).await;
}

fn at(time: &str, value: u64) -> Value {
    json!({"timestamp": format!("2026-05-01T{time}:00"), "value": value})
}

fn steps(source: &str, data: &[Value]) -> ValidArrival {
    arrival("data", json!({"source": {"type": source}, "data": data}))
}

/// Several lines of a date are duplicates, in any order, and of any device.
#[tokio::test]
async fn all_lines_of_a_date_stay_what_they_were_when_the_user_moves() {
    let world = world().await;
    let lines = [
        steps("watch", &[at("08:00", 1), at("09:00", 2)]),
        steps("watch", &[at("10:00", 3), at("10:30", 3)]),
        steps("phone", &[at("08:00", 4), at("08:30", 4)]),
        steps("phone", &[at("11:00", 5), at("12:00", 0), at("20:00", 0)]),
        // A single value is a duplicate if it came last.
        steps("band", &[at("08:00", 4)]),
    ];
    assert_eq!(ingest(&world, &lines).await, [Taken; 5]);
    let before = samples(&world, "steps").await;
    for zone in ["Asia/Tokyo", "America/New_York", "Europe/Oslo"] {
        move_to(&world, zone).await;
        assert_eq!(ingest(&world, &lines).await, [Duplicate; 5], "{zone}");
        let part = steps("phone", &[at("12:00", 0), at("11:00", 5)]);
        assert_eq!(ingest(&world, &[part]).await, [Duplicate], "{zone}");
    }
    assert_eq!(samples(&world, "steps").await, before);
    assert_eq!(types(&world).await.len(), 5);
}

/// A line of the new time zone, or one whose times have offsets, does not make the earlier ones new.
#[tokio::test]
async fn lines_of_several_time_zones_are_known_each_in_its_own() {
    let world = world().await;
    let oslo = [
        steps("watch", &[at("08:00", 1), at("08:30", 1)]),
        steps("watch", &[at("09:00", 2), at("09:30", 2)]),
    ];
    assert_eq!(ingest(&world, &oslo).await, [Taken; 2]);
    move_to(&world, "Asia/Tokyo").await;
    // At a time that the clock showed in Oslo, too.
    let tokyo = steps("watch", &[at("09:00", 7), at("21:00", 8)]);
    let utc = steps("watch", &[json!({"timestamp": "2026-05-01T18:00:00Z", "value": 9})]);
    assert_eq!(ingest(&world, &[tokyo.clone(), utc.clone()]).await, [Taken; 2]);
    let times = async || {
        let found = samples(&world, "steps").await;
        let found = found
            .iter()
            .map(|sample| format!("{} {}", sample["timestamp"], sample["value"]));
        found.map(|text| text.replace('"', "")).collect::<Vec<_>>()
    };
    let all = [
        "2026-05-01T09:00:00+09:00 7",
        "2026-05-01T08:00:00+02:00 1",
        "2026-05-01T08:30:00+02:00 1",
        "2026-05-01T09:00:00+02:00 2",
        "2026-05-01T09:30:00+02:00 2",
        "2026-05-01T21:00:00+09:00 8",
        "2026-05-01T18:00:00Z 9",
    ];
    assert_eq!(times().await, all);
    move_to(&world, "America/New_York").await;
    let [first, second] = oslo;
    let again = [second, tokyo, first, utc];
    for _ in 0..2 {
        assert_eq!(ingest(&world, &again).await, [Duplicate; 4]);
    }
    assert_eq!(times().await, all);
}

/// A line has one clock: its new values are read in the time zone of the stored ones.
#[tokio::test]
async fn a_line_that_grows_is_read_in_the_time_zone_of_its_stored_values() {
    let world = world().await;
    let first = steps("watch", &[at("08:00", 1), at("09:00", 2)]);
    assert_eq!(
        ingest(&world, &[first, steps("watch", &[at("07:00", 6)])]).await,
        [Taken; 2]
    );
    move_to(&world, "Asia/Tokyo").await;
    let more = steps("watch", &[at("08:00", 1), at("09:00", 2), at("10:00", 3)]);
    assert_eq!(ingest(&world, &[more.clone(), more]).await, [Taken, Duplicate]);
    let found = samples(&world, "steps").await;
    assert_eq!(
        (found.len(), &found[3]["timestamp"]),
        (4, &json!("2026-05-01T10:00:00+02:00"))
    );
    // One that was deleted comes back as it was, by a line that did not come last, too.
    let hour = deleted_span("2026-05-01T06:00:00Z", "2026-05-01T07:00:00Z");
    let lines = [
        steps("watch", &[at("12:00", 0)]),
        hour,
        steps("watch", &[at("08:00", 1), at("09:00", 2), at("10:00", 3)]),
    ];
    assert_eq!(ingest(&world, &lines).await, [Taken; 3]);
    assert!(samples(&world, "steps").await.contains(&found[1]));
    // If a stored value differs, the clock is ambiguous: it is the user's.
    let other = steps("watch", &[at("08:00", 1), at("09:00", 5)]);
    assert_eq!(ingest(&world, &[other]).await, [Taken]);
    let found = samples(&world, "steps").await;
    assert!(
        found
            .iter()
            .any(|sample| sample["timestamp"] == "2026-05-01T09:00:00+09:00" && sample["value"] == 5)
    );
}

/// Another clock may show the same value at the same time by chance.
#[tokio::test]
async fn a_new_line_that_shares_a_value_is_read_in_the_time_zone_of_the_user() {
    let new = [
        vec![at("08:00", 60)],
        vec![at("08:00", 60), at("11:00", 1)],
        vec![at("08:00", 60), at("09:30", 1), at("10:00", 2), at("10:30", 3)],
        vec![
            at("07:00", 55),
            at("08:00", 60),
            at("09:30", 1),
            at("10:00", 2),
            at("10:30", 3),
        ],
    ];
    for data in new {
        let world = world().await;
        let earlier = steps("watch", &[at("07:00", 55), at("08:00", 60), at("20:00", 0)]);
        assert_eq!(ingest(&world, std::slice::from_ref(&earlier)).await, [Taken]);
        let before = samples(&world, "steps").await;
        move_to(&world, "America/New_York").await;
        let line = steps("watch", &data);
        assert_eq!(ingest(&world, std::slice::from_ref(&line)).await, [Taken], "{data:?}");
        let after = samples(&world, "steps").await;
        let added: Vec<_> = after.iter().filter(|sample| !before.contains(sample)).collect();
        assert_eq!(added.len(), data.len());
        assert!(before.iter().all(|sample| after.contains(sample)));
        for (added, sent) in added.iter().zip(&data) {
            let expected = format!("{}-04:00", sent["timestamp"].as_str().expect("a text"));
            assert_eq!(
                (&added["timestamp"], &added["value"]),
                (&json!(expected), &sent["value"])
            );
        }
        // Each is a duplicate in its own time zone, in any order.
        assert_eq!(ingest(&world, &[earlier.clone(), line, earlier]).await, [Duplicate; 3]);
        assert_eq!(samples(&world, "steps").await, after);
    }
}

/// A reading in an earlier time zone may contradict itself where that of the user does not.
#[tokio::test]
async fn a_line_is_not_rejected_for_its_reading_in_an_earlier_time_zone() {
    let world = world().await;
    let span = |start: &str, end: &str| json!({"timestamp": start, "start": start, "end": end, "value": 3});
    let sleep = |start: &str, end: &str| {
        let data = json!([{"bedtime_start": start, "bedtime_stop": end, "type": "long_sleep", "duration": 3600, "total": 3600,
            "awake": 0, "light": 0, "rem": 0, "deep": 0}]);
        arrival("data", json!({"resource": "sleep", "data": data}))
    };
    move_to(&world, "Asia/Tokyo").await;
    let tokyo = [
        steps("watch", &[at("18:00", 1)]),
        sleep("2026-05-01T01:00:00", "2026-05-01T02:00:00"),
    ];
    assert_eq!(ingest(&world, &tokyo).await, [Taken; 2]);
    move_to(&world, "Europe/Oslo").await;
    // In Tokyo, they end hours before they start.
    let (start, end) = ("2026-05-01T10:00:00Z", "2026-05-01T13:00:00");
    let oslo = [steps("watch", &[span(start, end)]), sleep(start, end)];
    assert_eq!(ingest(&world, &oslo).await, [Taken; 2]);
    let found = samples(&world, "steps").await;
    assert_eq!(found.last().expect("a sample")["end"], "2026-05-01T11:00:00Z");
    assert_eq!(ingest(&world, &oslo).await, [Duplicate; 2]);
    // A line that contradicts itself in the time zone of the user is rejected.
    let error = world
        .store
        .write(|write| write.ingest(&sleep(start, "2026-05-01T11:00:00"), &ingestion(NO_FORMS)))
        .await
        .expect_err("ends before it starts");
    assert!(matches!(error, StoreError::Refused { .. }), "{error}");
}

#[tokio::test]
async fn summaries_of_a_date_stay_what_they_were_when_the_user_moves() {
    let world = world().await;
    let meal = |hour: u32, name: &str| {
        let data = json!([{"timestamp": format!("2026-05-01T{hour}:00:00"), "name": name, "priority_id": 1,
            "source_id": 1, "provider_id": name}]);
        arrival("data", json!({"resource": "meal", "data": data}))
    };
    let night = |start: &str, end: &str| {
        let data = json!([{"bedtime_start": start, "bedtime_stop": end, "type": "long_sleep", "duration": 3600, "total": 3600,
            "awake": 0, "light": 0, "rem": 0, "deep": 0}]);
        arrival("data", json!({"resource": "sleep", "data": data}))
    };
    let lines = [
        meal(12, "soup"),
        meal(18, "bread"),
        night("2026-04-30T23:00:00", "2026-05-01T06:00:00"),
        night("2026-05-01T14:00:00", "2026-05-01T15:00:00"),
    ];
    assert_eq!(ingest(&world, &lines).await, [Taken; 4]);
    let before = (summaries(&world, "meal").await, summaries(&world, "sleep").await);
    move_to(&world, "Asia/Tokyo").await;
    assert_eq!(ingest(&world, &lines).await, [Duplicate; 4]);
    assert_eq!(
        (summaries(&world, "meal").await, summaries(&world, "sleep").await),
        before
    );
}

/// The provider's own payload is not stored: another one is new, with unchanged values.
#[tokio::test]
async fn another_payload_of_the_provider_stores_no_value_again() {
    let world = world().await;
    let raw = |n: u64| {
        arrival(
            "data",
            json!({"data": [at("10:00", 1), at("11:00", 2)], "raw": {"n": n}}),
        )
    };
    assert_eq!(ingest(&world, &[raw(1), raw(2)]).await, [Taken; 2]);
    let before = samples(&world, "steps").await;
    move_to(&world, "Asia/Tokyo").await;
    assert_eq!(
        ingest(&world, &[raw(2), raw(1), raw(1), raw(3)]).await,
        [Duplicate, Taken, Duplicate, Taken]
    );
    assert_eq!(samples(&world, "steps").await, before);
}

/// Values keep the time zone by which they were read when they are repeated, unless they were changed or deleted.
#[tokio::test]
async fn times_without_an_offset_stay_what_they_were_when_the_user_moves() {
    let world = world().await;
    let local = |value: u64| {
        let sample = json!({"timestamp": "2026-05-01T10:00:00", "value": value});
        arrival("data", json!({"date": "2026-05-01", "data": [sample]}))
    };
    assert_eq!(ingest(&world, &[local(1)]).await, [Taken]);
    move_to(&world, "Asia/Tokyo").await;
    assert_eq!(ingest(&world, &[local(1)]).await, [Duplicate]);
    let changed = arrival(
        "data",
        json!({"date": "2026-05-02", "data": [{"timestamp": "2026-05-01T08:00:00Z", "value": 2}]}),
    );
    assert_eq!(ingest(&world, &[changed, local(1)]).await, [Taken, Taken]);
    let times: Vec<_> = samples(&world, "steps").await;
    let times: Vec<_> = times
        .iter()
        .map(|sample| (&sample["timestamp"], &sample["value"]))
        .collect();
    let (tokyo, oslo) = (json!("2026-05-01T10:00:00+09:00"), json!("2026-05-01T08:00:00Z"));
    assert_eq!(times, [(&tokyo, &json!(1)), (&oslo, &json!(2))]);
}

/// Also if a local time is ambiguous in the new time zone, and in a chunk of a pull.
#[tokio::test]
async fn what_was_read_in_another_time_zone_is_known_and_comes_back_in_it() {
    let world = world().await;
    let at = |time: &str| json!({"timestamp": time, "value": 1});
    // In New York, this is the repeated hour, out of order.
    let times = [
        "2026-11-01T01:30:00",
        "2026-11-01T01:10:00",
        "2026-11-01T01:20:00",
        "2026-11-01T01:10:30",
    ];
    let data = json!(times.map(at));
    let day = arrival("data", json!({"date": "2026-11-01", "data": data}));
    let pull = json!({"id": "p", "chunk": 1, "chunks": 1});
    let pulled = arrival(
        "data",
        json!({"resource": "floors_climbed", "date": "2026-11-01", "data": data, "pull": pull}),
    );
    let all = [day, pulled];
    assert_eq!(ingest(&world, &all).await, [Taken; 2]);
    let before = samples(&world, "steps").await;
    move_to(&world, "America/New_York").await;
    assert_eq!(ingest(&world, &all).await, [Duplicate; 2]);
    let span = |resource: &str| {
        deleted(json!({"resource": resource, "start": before[0]["timestamp"], "end": before[1]["timestamp"]}))
    };
    assert_eq!(
        ingest(&world, &[span("steps"), span("floors_climbed")]).await,
        [Taken; 2]
    );
    assert_eq!(ingest(&world, &all).await, [Taken; 2]);
    assert_eq!(samples(&world, "steps").await, before);
    assert_eq!(samples(&world, "floors_climbed").await.len(), before.len());
    assert_eq!(ingest(&world, &all).await, [Duplicate; 2]);
}
