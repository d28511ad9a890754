//! Export and import of values.

use serde_json::{Value, json};
use wearlab_models::ResourceName;
use wearlab_store::{Record, ValuePosition};

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

/// The keys by which a summary is found are exported with it.
#[tokio::test]
async fn a_summary_that_was_put_back_is_found_as_before() {
    let world = world().await;
    let night = |start: &str| {
        json!({"bedtime_start": start, "bedtime_stop": "2026-05-02T06:00:00Z", "type": "long_sleep", "duration": 1, "total": 1,
            "awake": 1, "light": 1, "rem": 1, "deep": 1})
    };
    let of = |night: Value| {
        arrival(
            "data",
            json!({"resource": "sleep", "date": "2026-05-02", "data": [night]}),
        )
    };
    let mut of_provider = night("2026-05-01T20:00:00Z");
    of_provider["id"] = json!(uuid::Uuid::new_v5(
        &uuid::Uuid::NAMESPACE_URL,
        b"https://stridewell.example/nights/1"
    ));
    ingest(&world, &[of(of_provider.clone()), of(night("2026-05-01T22:00:00Z"))]).await;
    let lines = exported(&world.store).await;
    let directory = tempfile::tempdir().expect("a directory");
    let copy = open(directory.path()).await;
    for _ in 0..2 {
        let records = lines
            .iter()
            .map(|line| serde_json::from_str::<Record>(line).expect("a record"));
        let records: Vec<_> = records.collect();
        let written = copy.write(|write| records.iter().try_for_each(|record| write.put(record)));
        written.await.expect("writes");
    }
    assert_eq!(exported(&copy).await, lines);
    let moved = of(night("2026-05-01T22:10:00Z"));
    let taken =
        crate::arriving::try_ingest(&copy, &moved, &crate::arriving::ingestion(crate::arriving::NO_FORMS)).await;
    assert_eq!(taken.expect("is taken"), wearlab_store::Ingested::Taken);
    let nights = exported(&copy)
        .await
        .into_iter()
        .filter(|line| line.contains("bedtime_start"));
    let starts: Vec<_> = nights
        .map(|line| serde_json::from_str::<Value>(&line).expect("JSON")["values"]["data"][0]["bedtime_start"].clone())
        .collect();
    assert_eq!(starts.len(), 2, "{starts:?}");
    assert!(
        starts.contains(&of_provider["bedtime_start"]) && starts.contains(&json!("2026-05-01T22:10:00Z")),
        "{starts:?}"
    );
}

/// Texts shared by all samples are stored once, but are in each exported sample.
#[tokio::test]
async fn records_of_long_texts_are_as_short_as_an_import_takes() {
    let world = world().await;
    let note = |day: u32, second: usize, text: &str| json!({"timestamp": format!("2026-05-{day:02}T10:{:02}:{:02}Z", second / 60, second % 60), "value": text});
    let shared = "x".repeat(100_000);
    let same: Vec<_> = (0..150).map(|second| note(1, second, &shared)).collect();
    let of = |day: u32, data: Value| {
        arrival(
            "data",
            json!({"resource": "note", "date": format!("2026-05-{day:02}"), "data": data}),
        )
    };
    ingest(&world, &[of(1, json!(same))]).await;
    for second in 0..17 {
        let long = format!("{second}{}", "y".repeat(1_000_000));
        ingest(&world, &[of(2, json!([note(2, second, &long)]))]).await;
    }
    // Control characters are longer as JSON than in memory.
    let escaped: Vec<_> = (0..3).map(|second| json!({"timestamp": format!("2026-05-03T10:00:{second:02}Z"), "value": "z", "type": "\u{1}".repeat(900_000)})).collect();
    ingest(&world, &[of(3, json!(escaped))]).await;

    let lines = exported(&world.store).await;
    let values: Vec<&String> = lines.iter().filter(|line| line.starts_with("{\"values\"")).collect();
    assert!(values.iter().filter(|line| line.contains("2026-05-01")).count() > 1);
    assert!(values.iter().all(|line| line.len() < 9 * 1024 * 1024));

    let directory = tempfile::tempdir().expect("a directory");
    let copy = open(directory.path()).await;
    let records: Vec<Record> = lines
        .iter()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    let written = copy.write(|write| records.iter().try_for_each(|record| write.put(record)));
    written.await.expect("writes");
    assert!(exported(&copy).await == lines, "another export than that of the store");

    let team = world.store.team(world.team);
    let mut next = Some(ValuePosition::default());
    let mut samples = 0;
    while let Some(after) = next {
        let page = team.user_export_values(uuid::Uuid::from_u128(USER), after).await;
        let (records, behind) = page.expect("reads").expect("the user");
        let lengths = records.iter().map(|record| json!(record).to_string().len());
        assert!(lengths.sum::<usize>() < 25 * 1024 * 1024, "a page");
        samples += records
            .iter()
            .map(|record| json!(record)["values"]["data"].as_array().expect("a list").len())
            .sum::<usize>();
        next = behind;
    }
    assert_eq!(samples, 150 + 17 + 3);
}

/// New limits apply to arrivals, but not to values that a store already has.
#[tokio::test]
async fn values_that_earlier_versions_took_come_back() {
    let world = world().await;
    let values = |resource: &str, value: Value| -> Record {
        let fields = json!({"team_id": world.team.uuid(), "user_id": uuid::Uuid::from_u128(USER), "provider": "stridewell",
            "resource": resource, "date": "2026-05-01", "data": [value]});
        serde_json::from_value(json!({ "values": fields })).expect("a record")
    };
    let note = json!({"timestamp": "2026-05-01T10:00:00Z", "value": "x".repeat(2 << 20)});
    let meal = json!({"id": uuid::Uuid::from_u128(1), "timestamp": "2026-05-01T12:00:00Z", "name": "soup", "priority_id": 1,
        "source_id": 1, "provider_id": "m", "energy": {"unit": "kJ", "value": 5}, "created_at": "2026-05-01T12:00:00Z",
        "updated_at": "2026-05-01T12:00:00Z"});
    let records = [values("note", note), values("meal", meal)];
    world
        .write(|write| records.iter().try_for_each(|record| write.put(record)))
        .await;
    let lines = exported(&world.store).await;
    let lines: Vec<_> = lines.iter().filter(|line| line.starts_with("{\"values\"")).collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines
            .iter()
            .any(|line| line.contains(r#""energy":{"unit":"kJ","value":5}"#))
    );
    assert!(lines.iter().any(|line| line.len() > 2 << 20));
}
