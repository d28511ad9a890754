//! Times in events: times without an offset get that of the user's fallback time zone.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_store::Ingested::{Duplicate, Taken};
use wearlab_store::StoreError;

use crate::arriving::{
    ALL_FORMS, AT, NO_FORMS, USER, arrival, ingest, ingest_with, ingestion, payloads, try_ingest, types, world,
};
use crate::world::user;

#[tokio::test]
async fn events_carry_offsets_and_the_raw_payload_stays() {
    let stage = json!({"start": "2026-03-29T01:30:00", "end": "2026-03-29T02:30:00", "stage": "deep"});
    let cycle = json!({"id": Uuid::nil(), "session_start": "2026-03-28T23:00:00", "session_end": "2026-03-29T06:00:00Z",
        "hypnogram": [stage], "score": "2026-03-29T06:00:00"});
    let (raw, pull) = (
        json!({"timestamp": "2026-03-29T06:00:00"}),
        json!({"id": "p", "chunk": 1, "chunks": 1}),
    );
    let world = world().await;
    let of = |resource: &str, value: &Value, more: Value| {
        let mut fields = json!({"resource": resource, "data": [value]});
        fields
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        arrival("data", fields)
    };
    let all = [
        of("sleep_cycle", &cycle, json!({"raw": raw})),
        of("sleep_cycle", &cycle, json!({"pull": pull})),
        of("hypnogram", &stage, json!({})),
    ];
    assert_eq!(ingest_with(&world, &all, ALL_FORMS).await, [Taken; 3]);
    let read_stage = json!({"start": "2026-03-29T01:30:00+01:00", "end": "2026-03-29T03:30:00+02:00", "stage": "deep"});
    let read_cycle = json!({"session_start": "2026-03-28T23:00:00+01:00", "session_end": "2026-03-29T06:00:00Z",
        "hypnogram": [read_stage], "score": "2026-03-29T06:00:00", "stage_start_offset_second": [9000],
        "stage_end_offset_second": [12_600], "stage_type": [1]});
    let payloads = payloads(&world).await;
    let own = |value: &Value| match value.get("session_start") {
        Some(_) => {
            let names = read_cycle.as_object().expect("an object").keys();
            names.map(|name| (name.clone(), value[name].clone())).collect()
        }
        None => value.clone(),
    };
    let values = |event: &Value| {
        event["data"]["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(own)
            .collect()
    };
    let found: Vec<Value> = payloads.iter().map(values).collect();
    let (cycles, stages) = (json!([read_cycle]), json!([read_stage]));
    assert_eq!(found, [cycles.clone(), stages.clone(), cycles, stages.clone(), stages]);
    assert_eq!(payloads[0]["data"]["raw"], raw);
}

/// Repeated times are duplicates, also after the user has moved. New ones are read in the new zone.
#[tokio::test]
async fn the_same_times_are_no_news_in_another_zone() {
    let world = world().await;
    let of = |value| {
        arrival(
            "data",
            json!({"data": [{"timestamp": "2026-07-31T10:00:00", "value": value}]}),
        )
    };
    assert_eq!(ingest(&world, &[of(1)]).await, [Taken]);
    let mut moved = user(world.team, USER, AT);
    moved.fallback_time_zone.id = "Asia/Tokyo".to_owned();
    world.write(|write| write.put_user(world.team, &moved)).await;
    assert_eq!(ingest(&world, &[of(1), of(2)]).await, [Duplicate, Taken]);
    let payloads = payloads(&world).await;
    let found: Vec<_> = payloads
        .iter()
        .map(|event| event["data"]["data"][0]["timestamp"].clone())
        .collect();
    assert_eq!(found, ["2026-07-31T10:00:00+02:00", "2026-07-31T10:00:00+09:00"]);
}

#[tokio::test]
async fn in_a_zone_that_is_none_only_times_with_an_offset_are_taken() {
    let world = world().await;
    let mut nowhere = user(world.team, USER, AT);
    nowhere.fallback_time_zone.id = "Mars/Olympus".to_owned();
    world.write(|write| write.put_user(world.team, &nowhere)).await;
    let of = |timestamp: &str| arrival("data", json!({"data": [{ "timestamp": timestamp, "value": 1 }]}));
    let refused = try_ingest(&world.store, &of("2026-07-31T10:00:00"), &ingestion(NO_FORMS)).await;
    let error = refused.expect_err("is refused");
    assert!(matches!(error, StoreError::Refused { .. }), "{error:?}");
    assert!(error.to_string().contains("fallback time zone"), "{error}");
    assert_eq!(ingest(&world, &[of("2026-07-31T10:00:00Z")]).await, [Taken]);
    assert_eq!(types(&world).await.len(), 1);
}
