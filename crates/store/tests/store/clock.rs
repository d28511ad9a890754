//! Arrivals while the clock jumps: backwards, by years, and out of range.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use wearlab_store::{Ingested, Ingestion, ValidArrival};

use crate::arriving::{NO_FORMS, arrival, at, chunk, day, ingestion, log, made, sample, try_ingest, types, world};
use crate::world::{World, connection};
use Ingested::{Duplicate, Taken};

/// Ingests an arrival at a time, and returns the outcome.
async fn on(world: &World, now: DateTime<Utc>, arrival: &ValidArrival) -> Ingested {
    let ingestion = Ingestion {
        now,
        ..ingestion(NO_FORMS)
    };
    try_ingest(&world.store, arrival, &ingestion).await.expect("is taken")
}

/// Returns the first and the last time that the store can represent.
fn bounds() -> (DateTime<Utc>, DateTime<Utc>) {
    (
        DateTime::from_timestamp_nanos(i64::MIN),
        DateTime::from_timestamp_nanos(i64::MAX),
    )
}

#[tokio::test]
async fn whatever_the_clock_shows_arrivals_are_taken_in_their_order() {
    let world = world().await;
    let (first, last) = bounds();
    let times = [
        at("2026-06-01T12:00:00Z"),
        at("1969-12-31T23:59:59.999999999Z"),
        at("1970-01-01T00:00:00Z"),
        at("1955-11-05T06:00:00Z"),
        at("2038-01-19T03:14:08Z"),
        at("1600-01-01T00:00:00Z"),
        first,
        first - TimeDelta::nanoseconds(1),
        last,
        last + TimeDelta::nanoseconds(1),
        at("9999-12-31T23:59:59Z"),
        at("2026-06-01T12:00:01Z"),
    ];
    let mut expected = Vec::new();
    for (value, now) in (0..).zip(times) {
        assert_eq!(on(&world, now, &day("2026-05-01", value)).await, Taken);
        assert_eq!(on(&world, now, &day("2026-05-01", value)).await, Duplicate);
        let created_on = format!("{}-01-01T00:00:00Z", 2000 + value);
        assert_eq!(
            on(&world, now, &made(&connection("stridewell", &created_on))).await,
            Taken
        );
        assert_eq!(
            on(&world, now, &made(&connection("stridewell", &created_on))).await,
            Duplicate
        );
        // Times out of range are clamped.
        expected.extend([now.clamp(first, last); 2]);
    }
    let log = log(&world.store).await;
    assert!(log.is_sorted_by(|one, next| one.number < next.number));
    assert_eq!(log.iter().map(|event| event.created_on).collect::<Vec<_>>(), expected);
    let ids: BTreeSet<_> = log.iter().map(|event| &event.event_id).collect();
    assert_eq!(ids.len(), log.len());
}

#[tokio::test]
async fn a_pull_is_reported_once_whatever_the_clock_shows() {
    let world = world().await;
    for (number, now) in [
        (2, "2185-01-01T00:00:00Z"),
        (1, "1955-11-05T06:00:00Z"),
        (3, "2026-06-01T12:00:00Z"),
    ] {
        assert!(types(&world).await.is_empty());
        assert_eq!(on(&world, at(now), &chunk("p", number, 3, 1)).await, Taken);
        assert_eq!(
            on(&world, at("1970-01-01T00:00:00Z"), &chunk("p", number, 3, 1)).await,
            Duplicate
        );
    }
    assert_eq!(types(&world).await, ["historical.data.steps.created"]);
}

fn with_id(id: usize) -> ValidArrival {
    arrival(
        "data",
        json!({"arrival_id": id.to_string(), "data": [sample(id as u64)]}),
    )
}

/// Counts the ids that are recorded. Unknown ids are refused for another reason, and so stay unknown.
async fn known(world: &World, ids: std::ops::Range<usize>) -> usize {
    let mut known = 0;
    for id in ids {
        let other = arrival("data", json!({"arrival_id": id.to_string(), "provider": "nobody"}));
        let outcome = try_ingest(&world.store, &other, &ingestion(NO_FORMS)).await;
        known += usize::from(matches!(outcome, Ok(Duplicate)));
    }
    known
}

#[tokio::test]
async fn a_clock_that_goes_back_makes_no_id_forgotten() {
    let world = world().await;
    let now = at("2026-06-01T12:00:00Z");
    for id in 0..10 {
        assert_eq!(on(&world, now, &with_id(id)).await, Taken);
    }
    for (id, time) in (10..).zip(["2026-05-01T00:00:00Z", "1970-01-01T00:00:00Z", "1955-11-05T06:00:00Z"]) {
        assert_eq!(on(&world, at(time), &with_id(id)).await, Taken);
        assert_eq!(known(&world, 0..id + 1).await, id + 1, "in {time}");
    }
    // Once the clock is right again, the ids taken meanwhile are old, and expire two at a time.
    assert_eq!(on(&world, now, &with_id(13)).await, Taken);
    assert_eq!(known(&world, 0..10).await, 10);
    assert_eq!(known(&world, 10..14).await, 2);
}

/// Two ids expire for each new one, and no more: most jumps are short.
#[tokio::test]
async fn a_clock_that_jumps_ahead_makes_few_ids_forgotten() {
    let world = world().await;
    let (now, ahead) = (at("2026-06-01T12:00:00Z"), at("2185-01-01T00:00:00Z"));
    for id in 0..20 {
        assert_eq!(on(&world, now, &with_id(id)).await, Taken);
    }
    for id in 20..23 {
        assert_eq!(on(&world, ahead, &with_id(id)).await, Taken);
        assert_eq!(on(&world, ahead, &with_id(id)).await, Duplicate);
    }
    assert_eq!(known(&world, 0..6).await, 0, "the oldest ones");
    assert_eq!(known(&world, 6..23).await, 17);
    // Ids of the future stay until then, and do not affect others.
    let later = now + TimeDelta::days(8);
    for id in 23..40 {
        assert_eq!(on(&world, later, &with_id(id)).await, Taken);
    }
    assert_eq!(known(&world, 0..20).await, 0);
    assert_eq!(known(&world, 20..40).await, 20);
}
