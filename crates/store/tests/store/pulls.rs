//! Historical pulls: chunks in any order and repeated, and one event at the end.

use crate::arriving::{
    ALL_FORMS, NO_FORMS, arrival, at, chunk, connections, cycle, day, in_event, ingest, ingest_with, ingestion,
    payloads, sample_of, stage, try_ingest, types, world,
};
use crate::place::count;
use crate::repeats::{samples, summaries};
use Ingested::{Duplicate, Taken};
use serde_json::{Value, json};
use wearlab_models::ResourceAvailabilityStatus;
use wearlab_store::{Ingested, Ingestion, StoreError};

pub(super) const HISTORICAL: &str = "historical.data.steps.created";

#[tokio::test]
async fn a_pull_is_reported_once_when_all_its_chunks_are_in() {
    for order in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
        let world = world().await;
        let [first, second, third] = order.map(|number| chunk("p", number, 3, number.into()));
        let arrivals = [first.clone(), first.clone(), second.clone(), first.clone()];
        assert_eq!(ingest(&world, &arrivals).await, [Taken, Duplicate, Taken, Duplicate]);
        assert!(types(&world).await.is_empty());
        let arrivals = [third.clone(), third, first, second];
        assert_eq!(
            ingest(&world, &arrivals).await,
            [Taken, Duplicate, Duplicate, Duplicate]
        );
        assert_eq!(types(&world).await, [HISTORICAL]);
        let samples = [("2026-05-01", 1), ("2026-05-02", 2), ("2026-05-03", 3)];
        let samples = samples.map(|(date, value)| in_event(sample_of(date, value)));
        let expected = json!({
            "provider": "stridewell", "resource": "steps", "start_date": "2026-05-01", "end_date": "2026-05-03",
            "data": samples,
        });
        assert_eq!(payloads(&world).await[0]["data"], expected, "{order:?}");
        let stridewell = connections(&world, world.team).await.remove(1);
        let steps = stridewell.resource_availability.values().next().expect("steps");
        assert_eq!(steps.status, ResourceAvailabilityStatus::Available);
    }
}

/// Reads and events have the values in the same order.
#[tokio::test]
async fn other_values_of_a_chunk_are_taken_and_reported() {
    let world = world().await;
    let two = |value: u64| {
        let pull = json!({"id": "p", "chunk": 1, "chunks": 2});
        let later = json!({"timestamp": "2026-05-01T11:00:00Z", "value": value});
        let data = json!([sample_of("2026-05-01", value), later]);
        arrival("data", json!({"date": "2026-05-01", "data": data, "pull": pull}))
    };
    let first = chunk("p", 1, 2, 1);
    let all = [first.clone(), two(5), two(5), chunk("p", 2, 2, 2), two(5)];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken, Duplicate, Taken, Duplicate]);
    let stored = samples(&world, "steps").await;
    assert_eq!(
        stored.iter().map(|sample| &sample["value"]).collect::<Vec<_>>(),
        [5, 5, 2]
    );
    let events = payloads(&world).await;
    let in_events: Vec<_> = stored.iter().cloned().map(in_event).collect();
    assert_eq!(events[0]["data"]["data"], json!(in_events));
    // After the pull, new values have an event of their own, without the stored ones.
    let pull = json!({"id": "p", "chunk": 2, "chunks": 2});
    let more = json!([sample_of("2026-05-02", 2), sample_of("2026-05-03", 3)]);
    let more = arrival("data", json!({"date": "2026-05-02", "data": more, "pull": pull}));
    assert_eq!(ingest(&world, &[more.clone(), more]).await, [Taken, Duplicate]);
    assert_eq!(types(&world).await, [HISTORICAL, HISTORICAL]);
    let last = payloads(&world).await.pop().expect("an event");
    assert_eq!(last["data"]["data"], json!([in_event(sample_of("2026-05-03", 3))]));
    assert_eq!(samples(&world, "steps").await.len(), 4);
}

/// A consumer of events ends with the same data as reads.
#[tokio::test]
async fn the_event_of_a_pull_has_the_values_that_are_stored_when_it_is_complete() {
    let deletion = |resource: &str, fields: Value| {
        let mut all = json!({"provider": "stridewell", "resource": resource});
        all.as_object_mut()
            .expect("an object")
            .extend(fields.as_object().expect("an object").clone());
        arrival("data_deleted", all)
    };
    let span = json!({"start": "2026-05-01T00:00:00Z", "end": "2026-05-02T00:00:00Z"});
    let overlap = arrival(
        "data",
        json!({"date": "2026-05-01", "data": [sample_of("2026-05-01", 9)], "pull": {"id": "p", "chunk": 2, "chunks": 3}}),
    );
    for (between, expected) in [
        (day("2026-05-01", 5), vec![("2026-05-01", 5), ("2026-05-03", 3)]),
        (deletion("steps", span), vec![("2026-05-03", 3)]),
        (overlap, vec![("2026-05-01", 9), ("2026-05-03", 3)]),
    ] {
        let world = world().await;
        let all = [chunk("p", 1, 3, 1), between, chunk("p", 3, 3, 3), chunk("p", 2, 3, 2)];
        ingest(&world, &all).await;
        let mut stored = samples(&world, "steps").await;
        stored.retain(|sample| sample["timestamp"] != "2026-05-02T10:00:00Z");
        let expected: Vec<_> = expected.iter().map(|(date, value)| sample_of(date, *value)).collect();
        assert_eq!(stored, expected);
        let mut events = payloads(&world).await.into_iter();
        let event = events
            .find(|event| event["event_type"] == HISTORICAL)
            .expect("an event");
        let mut sent = event["data"]["data"].as_array().expect("values").clone();
        sent.retain(|sample| sample["timestamp"] != "2026-05-02T10:00:00Z");
        let expected: Vec<_> = expected.into_iter().map(in_event).collect();
        assert_eq!(sent, expected);
    }
    let world = world().await;
    let night = |score: u64, chunk: Option<u32>| {
        let mut night = cycle(1);
        night["score"] = json!(score);
        let mut fields = json!({"resource": "sleep_cycle", "date": "2026-05-02", "data": [night]});
        if let Some(chunk) = chunk {
            fields["pull"] = json!({"id": "p", "chunk": chunk, "chunks": 2});
        }
        arrival("data", fields)
    };
    let empty = arrival(
        "data",
        json!({"resource": "sleep_cycle", "data": [], "pull": {"id": "p", "chunk": 2, "chunks": 2}}),
    );
    assert_eq!(
        ingest(&world, &[night(1, Some(1)), night(2, None), empty]).await,
        [Taken; 3]
    );
    let event = payloads(&world).await.pop().expect("an event");
    assert_eq!(event["event_type"], "historical.data.sleep_cycle.created");
    let mut sent = event["data"]["data"][0].clone();
    for only_in_events in ["source_provider", "source_type"] {
        sent.as_object_mut().expect("an object").remove(only_in_events);
    }
    assert_eq!([sent.clone()], *summaries(&world, "sleep_cycle").await);
    assert_eq!(sent["score"], 2);
}

#[tokio::test]
async fn a_pull_keeps_its_number_of_chunks() {
    let world = world().await;
    ingest(&world, &[chunk("p", 1, 2, 1)]).await;
    let other = async || try_ingest(&world.store, &chunk("p", 3, 3, 1), &ingestion(NO_FORMS)).await;
    let refused = |result: &Result<_, _>| {
        let what = "the pull has another number of chunks";
        matches!(result, Err(StoreError::Conflict { what: message }) if *message == what)
    };
    assert!(refused(&other().await));
    ingest(&world, &[chunk("p", 2, 2, 1)]).await;
    assert!(refused(&other().await), "also when it is complete");
    assert_eq!(types(&world).await, [HISTORICAL]);
}

#[tokio::test]
async fn pulls_are_distinguished_by_provider_resource_and_id() {
    let world = world().await;
    let of = |more: Value| {
        let mut fields = json!({"pull": {"id": "p", "chunk": 1, "chunks": 1}});
        fields
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        arrival("data", fields)
    };
    let other = json!({"pull": {"id": "q", "chunk": 1, "chunks": 1}});
    let more = [
        json!({}),
        json!({"provider": "pulsely"}),
        json!({"resource": "floors_climbed"}),
        other,
        json!({}),
    ];
    assert_eq!(
        ingest(&world, &more.map(of)).await,
        [Taken, Taken, Taken, Taken, Duplicate]
    );
    let floors = "historical.data.floors_climbed.created";
    assert_eq!(types(&world).await, [HISTORICAL, HISTORICAL, floors, HISTORICAL]);
}

#[tokio::test]
async fn is_final_is_sent_on_request() {
    for (forms, expected) in [(NO_FORMS, Value::Null), (ALL_FORMS, json!(true))] {
        let world = world().await;
        ingest_with(&world, &[chunk("p", 1, 1, 1)], forms).await;
        assert_eq!(payloads(&world).await[0]["data"]["is_final"], expected);
    }
}

#[tokio::test]
async fn pulls_of_sleep_have_their_own_events() {
    let pull = json!({"id": "p", "chunk": 1, "chunks": 1});
    let cycles = arrival(
        "data",
        json!({"resource": "sleep_cycle", "data": [cycle(1)], "pull": pull}),
    );
    let stages = json!({"resource": "hypnogram", "data": [stage("22:00", "rem")], "pull": pull});
    let stages = arrival("data", stages);
    let (newer, older) = (
        "historical.data.sleep_cycle.created",
        "historical.timeseries.hypnogram.created",
    );
    for (forms, expected) in [(NO_FORMS, &[newer][..]), (ALL_FORMS, &[newer, older, older])] {
        let world = world().await;
        assert_eq!(
            ingest_with(&world, &[cycles.clone(), cycles.clone()], forms).await,
            [Taken, Duplicate]
        );
        if forms == ALL_FORMS {
            // Without the deprecated form, hypnograms are refused.
            let stages = [stages.clone(), stages.clone()];
            assert_eq!(ingest_with(&world, &stages, forms).await, [Taken, Duplicate]);
        }
        assert_eq!(types(&world).await, expected);
        let payloads = payloads(&world).await;
        assert_eq!(
            payloads[0]["data"]["data"][0]["hypnogram"].as_array().map(Vec::len),
            Some(2)
        );
        if let [_, of_cycles, of_stages] = payloads.as_slice() {
            assert_eq!(of_cycles["data"]["data"].as_array().map(Vec::len), Some(2));
            assert_eq!(of_stages["data"]["data"][0]["stage"], "rem");
            assert!(
                payloads
                    .iter()
                    .skip(1)
                    .all(|event| event["data"]["resource"] == "hypnogram")
            );
        }
    }
}

#[tokio::test]
async fn the_values_of_a_pull_have_a_longest_length() {
    let world = world().await;
    let text = "x".repeat(1024 * 1024);
    let long = |number: u32| {
        let pull = json!({"id": "p", "chunk": number, "chunks": 100});
        arrival(
            "data",
            json!({"resource": "unheard_of", "data": [{"text": text}], "pull": pull}),
        )
    };
    let ingestion = ingestion(NO_FORMS);
    for number in 1..=31 {
        try_ingest(&world.store, &long(number), &ingestion)
            .await
            .expect("is taken");
    }
    let error = try_ingest(&world.store, &long(32), &ingestion)
        .await
        .expect_err("is too much");
    assert!(error.to_string().contains("longer than 32 MiB"), "{error}");
    let short = arrival(
        "data",
        json!({"resource": "unheard_of", "pull": {"id": "p", "chunk": 32, "chunks": 100}}),
    );
    try_ingest(&world.store, &short, &ingestion)
        .await
        .expect("what fits is taken");
}

#[tokio::test]
async fn pulls_that_never_end_can_be_deleted_with_their_values() {
    let world = world().await;
    let on = async |now: &str, arrival| {
        let ingestion = Ingestion {
            now: at(now),
            ..ingestion(NO_FORMS)
        };
        try_ingest(&world.store, &arrival, &ingestion).await.expect("is taken")
    };
    on("2026-01-01T00:00:00Z", chunk("stuck", 1, 2, 1)).await;
    on("2026-01-01T00:00:00Z", chunk("slow", 1, 3, 1)).await;
    on("2026-01-01T00:00:00Z", chunk("whole", 1, 1, 1)).await;
    on("2026-02-02T00:00:00Z", chunk("slow", 2, 3, 2)).await;
    let delete = async || {
        world
            .write(|write| write.delete_unfinished_pulls(at("2026-02-01T00:00:00Z")))
            .await
    };
    assert_eq!(delete().await, 1);
    assert_eq!(delete().await, 0);
    let chunks = count(world.directory.path(), "pull_chunks").await;
    assert_eq!(
        chunks, 3,
        "those of the slow one, and that of the whole one without its values"
    );
    assert_eq!(on("2026-02-03T00:00:00Z", chunk("whole", 1, 1, 1)).await, Duplicate);
    assert_eq!(on("2026-02-03T00:00:00Z", chunk("slow", 3, 3, 3)).await, Taken);
    assert_eq!(
        on("2026-02-03T00:00:00Z", chunk("stuck", 2, 2, 1)).await,
        Taken,
        "begins anew"
    );
    assert_eq!(types(&world).await, [HISTORICAL, HISTORICAL]);
}
