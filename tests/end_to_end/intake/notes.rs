//! Notes on assumptions about lines, and on times that the clock skipped or repeated, over HTTP.

use serde_json::{Value, json};
use wearlab_models::{NewUser, UserChanges, Uuid};
use wearlab_tests::Running;

use super::{all, ingest, shown};

/// Creates a user with a connection.
async fn someone(running: &Running) -> Uuid {
    let new = NewUser::builder().client_user_id("someone").build();
    let user = running
        .client()
        .create_user(new)
        .send()
        .await
        .expect("a user")
        .into_inner();
    assert_eq!(user.fallback_time_zone.id, "UTC");
    assert_eq!(user.fallback_time_zone.source_slug, "default");
    let connected = json!({"connection_made": {"team_id": running.sample.team_id, "user_id": user.user_id, "provider": {
        "name": "Stridewell", "slug": "stridewell", "logo": "", "status": "connected",
        "created_on": "2025-01-01T00:00:00Z", "resource_availability": {}}}});
    let acknowledged = ingest(running, format!("{connected}\n")).await;
    assert_eq!(acknowledged[0].accepted.as_deref(), Some("connection_made"));
    user.user_id
}

fn line(running: &Running, user: Uuid, resource: &str, date: &str, values: &Value) -> String {
    let data = json!({"team_id": running.sample.team_id, "user_id": user, "provider": "stridewell", "resource": resource,
        "date": date, "data": values});
    format!("{}\n", json!({ "data": data }))
}

async fn set_zone(running: &Running, user: Uuid, zone: &str) {
    let changes = UserChanges::builder().fallback_time_zone(zone).build();
    running
        .client()
        .update_user(user, changes)
        .send()
        .await
        .expect("changes");
}

/// Returns the samples of a day of a user.
async fn samples(running: &Running, user: Uuid, resource: &str, start: &str, end: &str) -> Vec<Value> {
    let path = format!("/v2/timeseries/{user}/{resource}/grouped?start_date={start}&end_date={end}");
    let page = running.json(&path).await;
    page["groups"]["stridewell"][0]["data"]
        .as_array()
        .cloned()
        .unwrap_or_default()
}

fn points(day: &str, points: &[(&str, i64)]) -> Value {
    let point = |(time, value): &(&str, i64)| json!({"timestamp": format!("{day}T{time}:00"), "value": value});
    points.iter().map(point).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_sample_is_lost_where_the_clock_changes() {
    let running = Running::start(5).await;
    let user = someone(&running).await;
    set_zone(&running, user, "America/New_York").await;
    let back = points(
        "2025-11-02",
        &[
            ("01:10", 100),
            ("01:50", 110),
            ("01:10", 200),
            ("01:50", 210),
            ("02:10", 5),
        ],
    );
    let forward = points("2026-03-08", &[("02:30", 60), ("03:30", 90)]);
    let lines = line(&running, user, "steps", "2025-11-02", &back)
        + &line(&running, user, "heartrate", "2026-03-08", &forward)
        + &line(
            &running,
            user,
            "heartrate",
            "2026-03-08",
            &points("2026-03-08", &[("02:30", 60), ("03:40", 90)]),
        );
    let acknowledged: Vec<_> = ingest(&running, lines).await.iter().map(shown).collect();
    assert_eq!(acknowledged[0], json!({"line": 1, "accepted": "data"}));
    assert_eq!(
        acknowledged[1]["field"], "data.data[0].timestamp",
        "{}",
        acknowledged[1]
    );
    assert!(
        acknowledged[1]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("send times with their offset"))
    );
    assert_eq!(acknowledged[2]["notes"][0]["code"], "skipped_time");
    assert_eq!(acknowledged[2]["notes"][0]["field"], "data.data[0].timestamp");

    let steps = samples(&running, user, "steps", "2025-11-02", "2025-11-02").await;
    let values: Vec<_> = steps.iter().filter_map(|sample| sample["value"].as_i64()).collect();
    assert_eq!(values, [100, 110, 200, 210, 5]);
    assert_eq!(values.iter().sum::<i64>(), 625);
    let beats = samples(&running, user, "heartrate", "2026-03-08", "2026-03-08").await;
    let times: Vec<_> = beats.iter().map(|sample| sample["timestamp"].clone()).collect();
    assert_eq!(times, ["2026-03-08T03:30:00-04:00", "2026-03-08T03:40:00-04:00"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_assumed_is_noted_and_rejected_in_a_strict_stream() {
    let running = Running::start(5).await;
    let user = someone(&running).await;
    let of = |resource: &str, time: &str| {
        line(
            &running,
            user,
            resource,
            "2026-05-01",
            &json!([{"timestamp": time, "value": 7}]),
        )
    };
    let (offset, local) = ("2026-05-01T10:00:00Z", "2026-05-01T11:00:00");
    let lines = [
        of("heartrate", local),
        of("heart_rate", offset),
        of("glucose", offset),
        of("steps", offset),
    ]
    .concat();
    let notes = [
        Some(("default_time_zone", "data.data[0].timestamp")),
        Some(("unreadable_resource", "data.resource")),
        Some(("assumed_unit", "data.data[0].unit")),
        None,
    ];
    let acknowledged: Vec<_> = ingest(&running, lines.clone()).await.iter().map(shown).collect();
    for (acknowledged, note) in acknowledged.iter().zip(notes) {
        assert_eq!(acknowledged["accepted"], "data");
        let [code, field] = ["code", "field"].map(|name| acknowledged["notes"][0][name].as_str());
        assert_eq!(code.zip(field), note, "{acknowledged}");
    }
    // Also for duplicates, except for their times, which are the stored ones.
    let strict = running
        .client()
        .ingest_arrivals(lines.clone())
        .strict(true)
        .send()
        .await;
    let acknowledged: Vec<_> = all(strict.expect("a stream").into_inner())
        .await
        .iter()
        .map(shown)
        .collect();
    assert_eq!(acknowledged[0]["accepted"], "known");
    for (acknowledged, note) in acknowledged.iter().zip(notes).skip(1) {
        let field = note.map(|(_, field)| field);
        assert_eq!(acknowledged["field"].as_str(), field, "{acknowledged}");
        assert_eq!(acknowledged["accepted"].is_string(), note.is_none(), "{acknowledged}");
    }
    // After the zone is set, also if it is the same.
    set_zone(&running, user, "UTC").await;
    let acknowledged: Vec<_> = ingest(&running, lines).await.iter().map(shown).collect();
    assert!(acknowledged[0]["notes"].is_null(), "{}", acknowledged[0]);
}
