//! Days of historical pulls: unwanted ones, and those with data of their own.

use serde_json::{Value, json};
use wearlab_store::Ingested;

use crate::arriving::{
    ALL_FORMS, AT, USER, arrival, chunk, day, in_event, ingest, ingest_with, payloads, sample_of, types, world,
};
use crate::pulls::HISTORICAL;
use crate::repeats::{samples, summaries};
use crate::world::user;
use Ingested::{Duplicate, OutOfBounds, Partly, Taken};

#[tokio::test]
async fn chunks_out_of_bounds_count_without_their_values() {
    let world = world().await;
    let mut bounded = user(world.team, USER, AT);
    bounded.ingestion_start = Some("2026-05-02".parse().expect("a date"));
    world.write(|write| write.put_user(world.team, &bounded)).await;
    let arrivals = [
        chunk("p", 2, 3, 2),
        chunk("p", 3, 3, 3),
        chunk("p", 1, 3, 1),
        chunk("p", 1, 3, 1),
    ];
    assert_eq!(ingest(&world, &arrivals).await, [Taken, Taken, OutOfBounds, Duplicate]);
    let data = &payloads(&world).await[0]["data"];
    assert_eq!(data["start_date"], "2026-05-02", "of what was kept");
    assert_eq!(
        data["data"],
        json!([
            in_event(sample_of("2026-05-02", 2)),
            in_event(sample_of("2026-05-03", 3))
        ])
    );
    // The completion of a pull without wanted days is still an event, with the fetched range.
    assert_eq!(ingest(&world, &[chunk("q", 1, 1, 1)]).await, [OutOfBounds]);
    let all = payloads(&world).await;
    assert_eq!(
        (&all[1]["data"]["start_date"], &all[1]["data"]["end_date"]),
        (&json!("2026-05-01"), &json!("2026-05-01"))
    );
    assert_eq!(ingest(&world, &[day("2026-05-02", 5)]).await, [Taken]);
    world
        .write(|write| write.put_user(world.team, &user(world.team, USER, AT)))
        .await;
    assert_eq!(ingest(&world, &[day("2026-05-01", 5)]).await, [Taken]);
    let daily = ["daily.data.steps.updated", "daily.data.steps.created"];
    assert_eq!(types(&world).await, [HISTORICAL, HISTORICAL, daily[0], daily[1]]);
}

/// The pull created the day before. The last values count, also if they came before.
#[tokio::test]
async fn pulled_days_are_updated_by_their_own_data_whenever_these_come() {
    let world = world().await;
    let all = [
        chunk("p", 1, 1, 1),
        day("2026-05-01", 1),
        chunk("q", 1, 1, 9),
        day("2026-05-01", 1),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken; 4]);
    assert_eq!(ingest(&world, &all[3..]).await, [Duplicate]);
    let updated = "daily.data.steps.updated";
    assert_eq!(types(&world).await, [HISTORICAL, updated, HISTORICAL, updated]);
}

/// Only values of unwanted days are dropped from a chunk of several days.
#[tokio::test]
async fn a_chunk_of_several_days_is_judged_by_day() {
    let world = world().await;
    let mut bounded = user(world.team, USER, AT);
    bounded.ingestion_start = Some("2026-05-02".parse().expect("a date"));
    bounded.ingestion_end = Some("2026-05-04".parse().expect("a date"));
    world.write(|write| write.put_user(world.team, &bounded)).await;
    // In Oslo, the day begins at 22:00 UTC.
    let steps = |times: &[&str]| {
        let values = times
            .iter()
            .map(|time| json!({"timestamp": time, "value": 1, "of": time}));
        values.collect::<Vec<_>>()
    };
    let chunk = |number: u32, chunks: u32, date: &str, values: Vec<Value>| {
        let pull = json!({"id": format!("of {chunks}"), "chunk": number, "chunks": chunks});
        arrival("data", json!({"date": date, "data": values, "pull": pull}))
    };
    let (before, first) = ("2026-05-01T21:59:59Z", "2026-05-01T22:00:00Z");
    let (last, after) = ("2026-05-04T23:00:00+02:00", "2026-05-05T00:00:00+02:00");
    let arrivals = [
        // The date of the chunk is unwanted.
        chunk(
            1,
            2,
            "2026-05-01",
            steps(&[before, first, "2026-05-03T10:00:00", last, after]),
        ),
        chunk(
            2,
            2,
            "2026-05-02",
            steps(&["2026-04-01T10:00:00Z", "2026-04-02T10:00:00Z"]),
        ),
        chunk(1, 1, "2026-05-03", vec![sample_of("2026-05-03", 1)]),
    ];
    assert_eq!(ingest(&world, &arrivals).await, [Partly(2), OutOfBounds, Taken]);
    let events = payloads(&world).await;
    let shown: Vec<_> = events
        .iter()
        .map(|event| {
            let data = &event["data"];
            let of = data["data"].as_array().expect("values").iter();
            let of: Vec<_> = of.map(|value| value["of"].clone()).collect();
            json!([data["start_date"], data["end_date"], of])
        })
        .collect();
    let kept = json!([first, "2026-05-03T10:00:00", last]);
    assert_eq!(
        shown,
        [
            json!(["2026-05-02", "2026-05-04", kept]),
            json!(["2026-05-03", "2026-05-03", [null]])
        ]
    );
    // The days exist, so data of them are updates. The others are new.
    world
        .write(|write| write.put_user(world.team, &user(world.team, USER, AT)))
        .await;
    for (date, verb) in [
        ("2026-05-01", "created"),
        ("2026-05-02", "updated"),
        ("2026-05-03", "updated"),
        ("2026-05-04", "updated"),
        ("2026-05-05", "created"),
    ] {
        assert_eq!(ingest(&world, &[day(date, 7)]).await, [Taken]);
        let found = types(&world).await.pop();
        assert_eq!(found.as_deref(), Some(&*format!("daily.data.steps.{verb}")), "{date}");
    }
}

/// Values of unwanted days are also dropped from daily data, even if the date of the arrival is wanted.
#[tokio::test]
async fn values_of_a_day_are_judged_by_their_own_day() {
    let world = world().await;
    let mut bounded = user(world.team, USER, AT);
    bounded.ingestion_start = Some("2026-05-01".parse().expect("a date"));
    bounded.ingestion_end = Some("2026-05-02".parse().expect("a date"));
    world.write(|write| write.put_user(world.team, &bounded)).await;
    let at = |time: &str, value: u64| json!({"timestamp": time, "value": value});
    let of = |date: &str, values: Value| arrival("data", json!({"date": date, "data": values}));
    // In Oslo, the day begins at 22:00 UTC.
    let [before, first] = [at("2026-04-30T21:59:59Z", 1), at("2026-04-30T22:00:00Z", 2)];
    let basic = json!({"timestamp": "2026-04-20T10:00:00.5+02:00", "date": "2026-05-01", "value": 3});
    let mixed = of("2026-05-01", json!([before, first, basic]));
    let earlier = of("2026-05-01", json!([at("2026-04-20T10:00:00Z", 4)]));
    let later = of("2026-05-02", json!([at("2026-05-03T10:00:00Z", 5)]));
    let activity = |day: &str| {
        let data = json!([{"calendar_date": day, "steps": 5}]);
        arrival(
            "data",
            json!({"resource": "activity", "date": "2026-05-01", "data": data}),
        )
    };
    let all = [
        mixed.clone(),
        earlier.clone(),
        later,
        activity("2026-04-20"),
        activity("2026-05-02"),
        mixed.clone(),
    ];
    let outcomes = ingest(&world, &all).await;
    assert_eq!(
        outcomes,
        [Partly(2), OutOfBounds, OutOfBounds, OutOfBounds, Taken, Duplicate]
    );
    let kept = json!({"timestamp": "2026-04-30T22:00:00Z", "value": 2, "unit": "count"});
    assert_eq!(samples(&world, "steps").await, std::slice::from_ref(&kept));
    let days = summaries(&world, "activity").await;
    assert_eq!(
        days.iter().map(|day| &day["calendar_date"]).collect::<Vec<_>>(),
        ["2026-05-02"]
    );
    let events = payloads(&world).await;
    assert_eq!(events.len(), 2);
    assert_eq!(events[0]["data"]["data"], json!([in_event(kept)]));
    // Dropped values are taken once they are wanted.
    world
        .write(|write| write.put_user(world.team, &user(world.team, USER, AT)))
        .await;
    assert_eq!(ingest(&world, &[mixed, earlier]).await, [Taken, Taken]);
    assert_eq!(samples(&world, "steps").await.len(), 4);
}

/// Stages are only sent as events.
#[tokio::test]
async fn stages_of_other_days_are_dropped() {
    let world = world().await;
    let mut bounded = user(world.team, USER, AT);
    bounded.ingestion_start = Some("2026-05-01".parse().expect("a date"));
    world.write(|write| write.put_user(world.team, &bounded)).await;
    let stage =
        |date: &str| json!({"start": format!("{date}T20:00:00Z"), "end": format!("{date}T21:00:00Z"), "stage": "deep"});
    let stages = arrival(
        "data",
        json!({"resource": "hypnogram", "date": "2026-05-01", "data": [stage("2026-04-30"), stage("2026-05-01")]}),
    );
    assert_eq!(
        ingest_with(&world, &[stages.clone(), stages], ALL_FORMS).await,
        [Partly(1), Duplicate]
    );
    assert_eq!(payloads(&world).await[0]["data"]["data"], json!([stage("2026-05-01")]));
}

/// The days of the provider's own payload are unknown.
#[tokio::test]
async fn the_payload_of_the_provider_goes_with_days_that_are_dropped() {
    let world = world().await;
    let mut bounded = user(world.team, USER, AT);
    bounded.ingestion_start = Some("2026-05-02".parse().expect("a date"));
    world.write(|write| write.put_user(world.team, &bounded)).await;
    let raw = json!({"as": "it came"});
    let of = |resource: &str, days: &[&str]| {
        let data: Vec<_> = days.iter().map(|day| sample_of(day, 1)).collect();
        arrival(
            "data",
            json!({"resource": resource, "date": "2026-05-02", "data": data, "raw": raw}),
        )
    };
    let all = [
        of("steps", &["2026-05-01", "2026-05-02"]),
        of("steps", &["2026-05-02"]),
        of("sprockets", &["2026-05-01", "2026-05-02"]),
    ];
    assert_eq!(ingest(&world, &all).await, [Partly(1), Taken, Partly(1)]);
    let found: Vec<_> = payloads(&world)
        .await
        .into_iter()
        .map(|event| event["data"].get("raw").cloned())
        .collect();
    assert_eq!(found, [None, Some(raw), None]);
    assert_eq!(ingest(&world, &all[2..]).await, [Duplicate], "it came last");
}
