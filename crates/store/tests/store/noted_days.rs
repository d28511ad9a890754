//! Days in introspection: the days of values, whatever the date of their arrival.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_store::Ingested::{Duplicate, Taken};
use wearlab_store::{IntrospectionFilter, Record, ValidArrival};

use crate::arriving::{USER, arrival, cycle, ingest, sample_of, types, world};
use crate::repeats::{days_of, deleted, deleted_span, samples};
use crate::world::{World, exported, user};

fn steps(date: &str, of: &[&str], value: u64) -> ValidArrival {
    let data: Vec<_> = of.iter().map(|day| sample_of(day, value)).collect();
    arrival("data", json!({"date": date, "data": data}))
}

fn of(resource: &str, date: &str, value: Value) -> ValidArrival {
    arrival("data", json!({"resource": resource, "date": date, "data": [value]}))
}

async fn assert_days(world: &World, resource: &str, days: Option<[&str; 2]>) {
    let expected = days.map_or([Value::Null, Value::Null], |days| days.map(|day| json!(day)));
    assert_eq!(days_of(world, resource).await, expected, "{resource}");
}

async fn verbs(world: &World) -> Vec<String> {
    let verb = |name: String| name.rsplit('.').next().expect("a verb").to_owned();
    types(world).await.into_iter().map(verb).collect()
}

#[tokio::test]
async fn values_are_of_their_own_day_whatever_date_they_arrive_with() {
    let meal = json!({"id": Uuid::from_u128(1), "timestamp": "2026-05-09T12:00:00Z", "calendar_date": "2026-05-09", "name": "soup",
        "priority_id": 1, "source_id": 1, "provider_id": "m"});
    let activity = json!({"calendar_date": "2026-05-09", "steps": 5});
    let menstrual = json!({"period_start": "2026-05-09", "cycle_length": 28, "is_predicted": false});
    let days =
        |resource: &str| deleted(json!({"resource": resource, "start_date": "2026-05-09", "end_date": "2026-05-09"}));
    let all = [
        (
            "steps",
            steps("2026-05-10", &["2026-05-09"], 1),
            deleted_span("2026-05-08T22:00:00Z", "2026-05-09T22:00:00Z"),
        ),
        (
            "meal",
            of("meal", "2026-05-10", meal),
            deleted(json!({"resource": "meal", "id": Uuid::from_u128(1)})),
        ),
        ("activity", of("activity", "2026-05-10", activity), days("activity")),
        (
            "menstrual_cycle",
            of("menstrual_cycle", "2026-05-20", menstrual),
            days("menstrual_cycle"),
        ),
    ];
    for (resource, line, deletion) in all {
        let world = world().await;
        assert_eq!(
            ingest(&world, &[line.clone(), line.clone()]).await,
            [Taken, Duplicate],
            "{resource}"
        );
        assert_days(&world, resource, Some(["2026-05-09"; 2])).await;
        assert_eq!(
            ingest(&world, &[deletion.clone(), deletion.clone()]).await,
            [Taken, Duplicate],
            "{resource}"
        );
        assert_days(&world, resource, None).await;
        // It is new when it is repeated.
        assert_eq!(
            ingest(&world, &[line.clone(), line.clone()]).await,
            [Taken, Duplicate],
            "{resource}"
        );
        assert_days(&world, resource, Some(["2026-05-09"; 2])).await;
        assert_eq!(verbs(&world).await, ["created", "deleted", "created"], "{resource}");
    }
}

/// The fault of an earlier version: each poll names today, and the deletion of one cycle made the others unknown.
#[tokio::test]
async fn a_deletion_leaves_what_arrived_with_other_dates() {
    let world = world().await;
    let menstrual = |start: &str| json!({"period_start": start, "cycle_length": 28, "is_predicted": false});
    let starts = ["2026-03-02", "2026-03-30", "2026-04-27"];
    let line = |date: &str| {
        let data: Vec<_> = starts.iter().map(|start| menstrual(start)).collect();
        arrival(
            "data",
            json!({"resource": "menstrual_cycle", "date": date, "data": data}),
        )
    };
    let of_day = |day: &str| deleted(json!({"resource": "menstrual_cycle", "start_date": day, "end_date": day}));
    let all = [
        line("2026-05-01"),
        line("2026-05-02"),
        line("2026-05-02"),
        of_day("2026-05-02"),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken, Duplicate, Duplicate]);
    assert_days(&world, "menstrual_cycle", Some([starts[0], starts[2]])).await;
    assert_eq!(ingest(&world, &[of_day(starts[2])]).await, [Taken]);
    assert_days(&world, "menstrual_cycle", Some([starts[0], starts[1]])).await;
    assert_eq!(
        ingest(&world, &[line("2026-05-02"), line("2026-05-01")]).await,
        [Taken, Duplicate]
    );
    assert_days(&world, "menstrual_cycle", Some([starts[0], starts[2]])).await;
    // Of a line, one day was new.
    assert_eq!(verbs(&world).await, ["created", "updated", "deleted", "created"]);
}

/// An event is of the first data of a day if any day of its values had none.
#[tokio::test]
async fn an_event_is_created_where_any_of_its_days_is_new() {
    let world = world().await;
    let lines = [
        steps("2026-05-02", &["2026-05-01", "2026-05-02"], 1),
        steps("2026-05-02", &["2026-05-01"], 2),
        steps("2026-05-01", &["2026-05-01"], 3),
        steps("2026-05-02", &["2026-05-02", "2026-05-03"], 4),
        steps("2026-05-03", &["2026-05-03"], 5),
        steps("2026-05-07", &["2026-05-03"], 6),
        steps("2026-05-07", &["2026-05-07"], 7),
        steps("2026-05-09", &[], 0),
        steps("2026-05-09", &["2026-05-09"], 8),
    ];
    assert_eq!(ingest(&world, &lines).await, [Taken; 9]);
    let expected = [
        "created", "updated", "updated", "created", "updated", "updated", "created", "created", "created",
    ];
    assert_eq!(verbs(&world).await, expected);
}

#[tokio::test]
async fn a_line_without_values_is_no_day_with_data() {
    let world = world().await;
    let pull = json!({"id": "p", "chunk": 1, "chunks": 1});
    let empty = [
        arrival("data", json!({"date": "2026-05-20", "data": []})),
        arrival("data", json!({"date": "2026-05-21", "data": [], "pull": pull})),
    ];
    assert_eq!(ingest(&world, &empty).await, [Taken, Taken]);
    assert_days(&world, "steps", None).await;
    assert_eq!(ingest(&world, &empty).await, [Duplicate, Duplicate]);
}

/// A chunk has the fetched range, and its days with data are those of its values.
#[tokio::test]
async fn a_chunk_notes_the_days_of_its_values() {
    let world = world().await;
    let pull = json!({"id": "p", "chunk": 1, "chunks": 1});
    let data = [sample_of("2026-05-03", 1), sample_of("2026-05-05", 2)];
    let chunk = arrival("data", json!({"date": "2026-05-10", "data": data, "pull": pull}));
    assert_eq!(ingest(&world, std::slice::from_ref(&chunk)).await, [Taken]);
    let filter = IntrospectionFilter {
        user_id: Some(Uuid::from_u128(USER)),
        ..IntrospectionFilter::default()
    };
    let shown = async || {
        let page = world.store.team(world.team).historical_pulls(&filter, 100).await;
        let providers = json!(page.expect("reads").expect("the user").users[0].provider);
        let pull = &providers["stridewell"]["pulled"]["steps"];
        ["range_start", "range_end", "days_with_data"].map(|name| pull[name].clone())
    };
    assert_eq!(shown().await, [json!("2026-05-03"), json!("2026-05-10"), json!(2)]);
    assert_days(&world, "steps", Some(["2026-05-03", "2026-05-05"])).await;
    let span = deleted_span("2026-05-05T00:00:00Z", "2026-05-06T00:00:00Z");
    assert_eq!(ingest(&world, &[span]).await, [Taken]);
    assert_eq!(shown().await[2], json!(1));
    assert_eq!(ingest(&world, &[chunk]).await, [Taken]);
    assert_eq!(shown().await[2], json!(2));
}

/// A night that moves to another day, or is replaced by one, leaves no day behind.
#[tokio::test]
async fn a_summary_that_moves_takes_its_day_along() {
    let world = world().await;
    let night = |date: &str| of("sleep_cycle", date, cycle(1));
    assert_eq!(ingest(&world, &[night("2026-05-02")]).await, [Taken]);
    assert_days(&world, "sleep_cycle", Some(["2026-05-02"; 2])).await;
    assert_eq!(ingest(&world, &[night("2026-05-04")]).await, [Taken]);
    assert_days(&world, "sleep_cycle", Some(["2026-05-04"; 2])).await;
    // To another source of the day.
    let watch = arrival(
        "data",
        json!({"resource": "sleep_cycle", "date": "2026-05-04", "data": [cycle(1)], "source": {"type": "watch"}}),
    );
    let of_day = deleted(json!({"resource": "sleep_cycle", "start_date": "2026-05-04", "end_date": "2026-05-04"}));
    assert_eq!(ingest(&world, &[watch, of_day]).await, [Taken, Taken]);
    assert_days(&world, "sleep_cycle", None).await;

    let sleep = |date: &str, start: &str, end: &str| {
        let value = json!({"bedtime_start": start, "bedtime_stop": end, "type": "long_sleep", "duration": 3600, "total": 3600,
            "awake": 0, "light": 0, "rem": 0, "deep": 0});
        of("sleep", date, value)
    };
    let lines = [
        sleep("2026-05-01", "2026-05-01T01:00:00Z", "2026-05-01T03:00:00Z"),
        sleep("2026-05-02", "2026-05-01T04:00:00Z", "2026-05-01T06:00:00Z"),
        sleep("2026-05-03", "2026-05-01T01:00:00Z", "2026-05-01T06:30:00Z"),
    ];
    assert_eq!(ingest(&world, &lines[..2]).await, [Taken, Taken]);
    assert_days(&world, "sleep", Some(["2026-05-01", "2026-05-02"])).await;
    assert_eq!(ingest(&world, &lines[2..]).await, [Taken]);
    assert_days(&world, "sleep", Some(["2026-05-03"; 2])).await;
}

/// Days are recorded by the time zone of their arrival, and read in the current one.
#[tokio::test]
async fn a_deletion_after_a_move_shows_what_is_left() {
    let world = world().await;
    let evening = |date: &str| {
        let data = json!([{"timestamp": format!("{date}T19:00:00Z"), "value": 1}]);
        arrival("data", json!({"date": date, "data": data}))
    };
    assert_eq!(
        ingest(&world, &["2026-05-01", "2026-05-02"].map(evening)).await,
        [Taken; 2]
    );
    let mut moved = user(world.team, USER, crate::arriving::AT);
    moved.fallback_time_zone.id = "Asia/Tokyo".to_owned();
    world.write(|write| write.put_user(world.team, &moved)).await;
    let span = deleted_span("2026-05-02T18:00:00Z", "2026-05-02T20:00:00Z");
    assert_eq!(ingest(&world, &[span]).await, [Taken]);
    assert_eq!(samples(&world, "steps").await.len(), 1);
    // The rest of the first evening is of the second day there.
    assert_days(&world, "steps", Some(["2026-05-01", "2026-05-02"])).await;
    let span = deleted_span("2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z");
    assert_eq!(ingest(&world, &[span]).await, [Taken]);
    assert_days(&world, "steps", None).await;
}

/// An export has samples by their day in UTC.
#[tokio::test]
async fn an_import_notes_the_days_of_its_values() {
    let world = world().await;
    let late = json!([{"timestamp": "2026-05-09T22:30:00Z", "value": 1}]);
    let lines = [
        arrival("data", json!({"date": "2026-05-01", "data": late})),
        of(
            "activity",
            "2026-05-10",
            json!({"calendar_date": "2026-05-03", "steps": 5}),
        ),
    ];
    assert_eq!(ingest(&world, &lines).await, [Taken; 2]);
    let copy = World::new().await;
    let records: Vec<Record> = exported(&world.store)
        .await
        .iter()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    copy.write(|write| records.iter().try_for_each(|record| write.put(record)))
        .await;
    for world in [&world, &copy] {
        assert_days(world, "steps", Some(["2026-05-10"; 2])).await;
        assert_days(world, "activity", Some(["2026-05-03"; 2])).await;
    }
}

/// Recorded dates of lines remain after a deletion.
#[tokio::test]
async fn a_day_that_lost_its_data_knows_its_lines() {
    let world = world().await;
    let both = [
        steps("2026-05-02", &["2026-05-01"], 1),
        steps("2026-05-01", &["2026-05-02"], 2),
    ];
    assert_eq!(ingest(&world, &both).await, [Taken; 2]);
    let span = deleted_span("2026-05-02T00:00:00Z", "2026-05-03T00:00:00Z");
    assert_eq!(ingest(&world, &[span]).await, [Taken]);
    assert_days(&world, "steps", Some(["2026-05-01"; 2])).await;
    let [first, second] = both;
    assert_eq!(ingest(&world, &[first, second]).await, [Duplicate, Taken]);
    assert_days(&world, "steps", Some(["2026-05-01", "2026-05-02"])).await;
}
