//! Matching of values to stored summaries with another id: by their sessions, but not if the provider gave the id.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_store::{Ingested, ValidArrival};

use crate::arriving::{arrival, cycle, ingest, payloads, types, world};
use crate::repeats::{samples, summaries};
use Ingested::{Duplicate, Taken};

fn of(resource: &str, data: &[Value]) -> ValidArrival {
    arrival(
        "data",
        json!({"resource": resource, "date": "2026-05-02", "data": data}),
    )
}

fn night(start: &str, stop: &str) -> Value {
    json!({"bedtime_start": start, "bedtime_stop": stop, "type": "long_sleep", "duration": 1, "total": 1, "awake": 1,
        "light": 1, "rem": 1, "deep": 1})
}

/// Returns a cycle without its own id and without that of its sleep.
fn session(start: &str, end: &str) -> Value {
    let mut session = cycle(1);
    let members = session.as_object_mut().expect("an object");
    members.retain(|name, _| !["id", "sleep_id"].contains(&&**name));
    members.insert("session_start".to_owned(), json!(start));
    members.insert("session_end".to_owned(), json!(end));
    session
}

fn members(values: &[Value], name: &str) -> Vec<Value> {
    values.iter().map(|value| value[name].clone()).collect()
}

#[tokio::test]
async fn a_night_without_an_id_never_replaces_one_whose_id_its_provider_derived() {
    let world = world().await;
    let mut of_provider = night("2026-05-01T22:00:00Z", "2026-05-02T06:00:00Z");
    of_provider["id"] = json!(Uuid::new_v5(
        &Uuid::NAMESPACE_URL,
        b"https://stridewell.example/nights/1"
    ));
    let all = [
        of("sleep", &[of_provider.clone()]),
        of("sleep", &[night("2026-05-01T22:10:00Z", "2026-05-02T06:00:00Z")]),
        // The session moves, and keeps the derived id.
        of("sleep", &[night("2026-05-01T21:00:00Z", "2026-05-02T07:00:00Z")]),
        of("sleep", &[of_provider.clone()]),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken, Taken, Duplicate]);
    let found = summaries(&world, "sleep").await;
    let starts = ["2026-05-01T21:00:00Z", "2026-05-01T22:00:00Z"];
    assert_eq!(members(&found, "bedtime_start"), starts);
    assert_eq!(found[1]["id"], of_provider["id"]);
    let deleted = types(&world)
        .await
        .iter()
        .filter(|name| name.ends_with(".deleted"))
        .count();
    assert_eq!(deleted, 0);
}

#[tokio::test]
async fn the_first_cycle_after_a_night_moved_is_of_the_stored_sleep() {
    let world = world().await;
    let stop = "2026-05-02T06:00:00Z";
    let [first, moved] = ["2026-05-01T22:00:00Z", "2026-05-01T22:10:00Z"];
    let all = [
        of("sleep", &[night(first, stop)]),
        of("sleep", &[night(moved, stop)]),
        of("sleep_cycle", &[session(moved, stop)]),
        of("sleep_cycle", &[session(moved, stop)]),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken, Taken, Duplicate]);
    let sleeps = members(&summaries(&world, "sleep").await, "id");
    assert_eq!(members(&summaries(&world, "sleep_cycle").await, "sleep_id"), sleeps);
    let event = payloads(&world).await.pop().expect("an event");
    assert_eq!(event["data"]["data"][0]["sleep_id"], sleeps[0]);
}

#[tokio::test]
async fn a_cycle_whose_sleep_was_replaced_is_of_the_one_that_stays() {
    let world = world().await;
    let [start, middle, stop] = ["2026-05-01T22:00:00Z", "2026-05-02T00:00:00Z", "2026-05-02T06:00:00Z"];
    let all = [
        of("sleep", &[night(start, middle), night("2026-05-02T00:30:00Z", stop)]),
        of("sleep_cycle", &[session(start, middle)]),
        of("sleep", &[night(start, stop)]),
        of("sleep_cycle", &[session(start, stop)]),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken; 4]);
    let sleeps = members(&summaries(&world, "sleep").await, "id");
    assert_eq!(sleeps.len(), 1);
    assert_eq!(members(&summaries(&world, "sleep_cycle").await, "sleep_id"), sleeps);
}

#[tokio::test]
async fn an_activity_that_overlaps_several_replaces_them_and_says_so() {
    let world = world().await;
    let part = |start: &str, end: &str, steps: u64| {
        let [start, end] = [start, end].map(|hour| format!("2026-05-02T{hour}:00:00Z"));
        json!({"start": start, "end": end, "steps": steps})
    };
    let all = [
        of(
            "activity",
            &[part("00", "04", 1), part("08", "12", 2), part("20", "22", 3)],
        ),
        of("activity", &[part("02", "12", 4)]),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken; 2]);
    let found = summaries(&world, "activity").await;
    assert_eq!(members(&found, "steps"), [4, 3]);
    let events = payloads(&world).await;
    let names = ["created", "deleted", "updated"].map(|verb| format!("daily.data.activity.{verb}"));
    assert_eq!(types(&world).await, names);
    let before = &events[0]["data"]["data"];
    assert_eq!(events[1]["data"]["data"], json!([{"id": before[0]["id"]}]));
    assert_eq!(found[0]["id"], before[1]["id"], "the one that it overlaps longest");
}

#[tokio::test]
async fn a_night_is_the_one_that_it_overlaps_whatever_day_it_came_with() {
    let stop = "2026-05-02T06:00:00Z";
    let [first, moved] = ["2026-05-01T22:00:00Z", "2026-05-01T22:10:00Z"].map(|start| night(start, stop));
    let polled = |date: &str, data: &Value| arrival("data", json!({"resource": "sleep", "date": date, "data": [data]}));
    let pull = json!({"id": "p", "chunk": 1, "chunks": 1});
    let pulled = json!({"resource": "sleep", "date": "2026-05-09", "data": [moved], "pull": pull});
    for second in [polled("2026-05-09", &moved), arrival("data", pulled)] {
        let world = world().await;
        assert_eq!(
            ingest(&world, &[polled("2026-05-05", &first), second]).await,
            [Taken; 2]
        );
        let found = summaries(&world, "sleep").await;
        assert_eq!(members(&found, "bedtime_start"), ["2026-05-01T22:10:00Z"]);
        assert_eq!(found[0]["id"], payloads(&world).await[0]["data"]["data"][0]["id"]);
    }
}

#[tokio::test]
async fn an_activity_is_the_one_of_its_provider_id_whatever_day_it_came_with() {
    let world = world().await;
    let of = |date: &str, steps: u64| {
        let data = [
            json!({"provider_id": "a", "steps": steps}),
            json!({"provider_id": "b", "steps": steps}),
        ];
        arrival("data", json!({"resource": "activity", "date": date, "data": data}))
    };
    assert_eq!(
        ingest(&world, &[of("2026-05-01", 1), of("2026-05-09", 2)]).await,
        [Taken; 2]
    );
    let found = summaries(&world, "activity").await;
    assert_eq!(members(&found, "steps"), [2, 2]);
    assert_eq!(members(&found, "calendar_date"), ["2026-05-09", "2026-05-09"]);
}

#[tokio::test]
async fn a_dose_without_a_type_is_the_one_that_reads_show_as_unknown() {
    let world = world().await;
    let of = |more: &Value| {
        let mut dose = json!({"timestamp": "2026-05-01T08:00:00Z", "value": 10});
        dose.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        arrival("data", json!({"resource": "insulin_injection", "data": [dose]}))
    };
    let all = [
        of(&json!({})),
        of(&json!({"type": "unknown"})),
        of(&json!({"type": "rapid"})),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken, Duplicate, Taken]);
    let found = samples(&world, "insulin_injection").await;
    assert_eq!(members(&found, "type"), [Value::Null, json!("rapid")]);
}
