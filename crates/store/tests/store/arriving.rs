//! Helpers for tests of arrivals: a user with two connections, arrivals from JSON, and the log as texts.
#![expect(deprecated, reason = "deprecated forms are sent for as long as the operator wants")]

use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, Event};
use wearlab_store::{
    DeprecatedForms, EventFilter, Ingested, Ingestion, LoggedEvent, Store, StoreError, TeamId, Until, ValidArrival,
};

use crate::world::{World, connection, decoded, user};

pub(crate) const USER: u128 = 7;
pub(crate) const AT: &str = "2026-01-01T00:00:00Z";

/// Creates a world in which the user has connected two providers, before any event.
pub(crate) async fn world() -> World {
    let world = World::new().await;
    world
        .write(|write| {
            write.put_user(world.team, &user(world.team, USER, AT))?;
            for slug in ["stridewell", "pulsely"] {
                write.put_connection(world.team, Uuid::from_u128(USER), &connection(slug, AT))?;
            }
            Ok(())
        })
        .await;
    world
}

pub(crate) fn at(time: &str) -> DateTime<Utc> {
    time.parse().expect("a time")
}

pub(crate) fn ingestion(forms: DeprecatedForms) -> Ingestion {
    fn fresh() -> Uuid {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        Uuid::from_u128(COUNT.fetch_add(1, Ordering::Relaxed).into())
    }
    Ingestion {
        now: at("2026-06-01T12:00:00Z"),
        fresh_id: fresh,
        forms,
    }
}

/// All deprecated forms.
pub(crate) const ALL_FORMS: DeprecatedForms = DeprecatedForms {
    connection_source: Until::Always,
    source_details: Until::Always,
    hypnogram_events: Until::Always,
    is_final: Until::Always,
    result_value: Until::Always,
};

/// No deprecated form.
pub(crate) const NO_FORMS: DeprecatedForms = DeprecatedForms {
    connection_source: Until::Never,
    source_details: Until::Never,
    hypnogram_events: Until::Never,
    is_final: Until::Never,
    result_value: Until::Never,
};

/// Returns an arrival of a kind for the user of the first team. Fields of `more` replace or extend the default ones.
pub(crate) fn arrival(kind: &str, more: Value) -> ValidArrival {
    let mut fields = json!({"team_id": Uuid::from_u128(1), "user_id": Uuid::from_u128(USER)});
    let usual = match kind {
        "data" => json!({"provider": "stridewell", "resource": "steps", "date": "2026-05-01", "data": [sample(1)]}),
        "connection_failed" | "connection_ended" => json!({"provider": "stridewell"}),
        _ => json!({}),
    };
    for part in [usual, more] {
        let Value::Object(part) = part else { panic!("an object") };
        fields.as_object_mut().expect("an object").extend(part);
    }
    if kind == "device" {
        fields.as_object_mut().expect("an object").remove("user_id");
    }
    serde_json::from_value(json!({ kind: fields })).expect("an arrival")
}

/// Returns a sample of steps of 1 May 2026, in the form of events and reads.
pub(crate) fn sample(value: u64) -> Value {
    sample_of("2026-05-01", value)
}

/// Returns a sample of steps of a day.
pub(crate) fn sample_of(date: &str, value: u64) -> Value {
    json!({"timestamp": format!("{date}T10:00:00Z"), "value": value, "unit": "count"})
}

/// Returns a sample without a span in the form of events.
pub(crate) fn in_event(mut sample: Value) -> Value {
    for end in ["start", "end"] {
        sample[end] = sample["timestamp"].clone();
    }
    sample
}

/// Returns data of a day.
pub(crate) fn day(date: &str, value: u64) -> ValidArrival {
    arrival("data", json!({"date": date, "data": [sample_of(date, value)]}))
}

/// Returns a chunk of a pull of steps, of a day of May 2026 by its number.
pub(crate) fn chunk(pull: &str, chunk: u32, chunks: u32, value: u64) -> ValidArrival {
    let pull = json!({"id": pull, "chunk": chunk, "chunks": chunks});
    let date = format!("2026-05-{chunk:02}");
    arrival(
        "data",
        json!({"date": date, "data": [sample_of(&date, value)], "pull": pull}),
    )
}

pub(crate) fn made(provider: &ConnectedProvider) -> ValidArrival {
    arrival("connection_made", json!({ "provider": provider }))
}

/// Returns a sleep cycle of two stages.
pub(crate) fn cycle(id: u128) -> Value {
    json!({
        "id": Uuid::from_u128(id), "sleep_id": Uuid::from_u128(id + 1000), "session_start": "2026-05-01T22:00:00+02:00", "session_end": "2026-05-02T06:00:00+02:00",
        "hypnogram": [stage("22:00", "light"), stage("23:00", "deep")], "score": 81,
    })
}

/// Returns a stage of a hypnogram.
pub(crate) fn stage(hour: &str, stage: &str) -> Value {
    json!({"start": format!("2026-05-01T{hour}:00Z"), "end": format!("2026-05-01T{hour}:30Z"), "stage": stage})
}

pub(crate) async fn try_ingest(
    store: &Store,
    arrival: &ValidArrival,
    ingestion: &Ingestion,
) -> Result<Ingested, StoreError> {
    store
        .write(|write| write.attempt(|write| write.ingest(arrival, ingestion)))
        .await
}

/// Ingests each arrival with the default forms, and returns the outcomes.
pub(crate) async fn ingest(world: &World, arrivals: &[ValidArrival]) -> Vec<Ingested> {
    ingest_with(world, arrivals, DeprecatedForms::default()).await
}

pub(crate) async fn ingest_with(world: &World, arrivals: &[ValidArrival], forms: DeprecatedForms) -> Vec<Ingested> {
    let ingestion = ingestion(forms);
    let each = |write: &mut wearlab_store::Transaction<'_>| {
        let each = arrivals.iter().map(|arrival| write.ingest(arrival, &ingestion));
        each.collect()
    };
    world.write(each).await
}

pub(crate) async fn log(store: &Store) -> Vec<LoggedEvent> {
    store.events(&EventFilter::default(), usize::MAX).await.expect("reads")
}

/// Returns the types of all events in the log, in order.
pub(crate) async fn types(world: &World) -> Vec<String> {
    log(&world.store)
        .await
        .into_iter()
        .map(|event| event.event_type)
        .collect()
}

/// Returns the payloads of all events in the log, without their ids.
pub(crate) async fn payloads(world: &World) -> Vec<Value> {
    let payload = |event: &LoggedEvent| {
        let mut payload: Value = serde_json::from_slice(event.payload.as_bytes()).expect("JSON");
        payload
            .as_object_mut()
            .expect("an object")
            .remove("event_id")
            .expect("an id");
        payload
    };
    log(&world.store).await.iter().map(payload).collect()
}

/// Returns the connections of the user.
pub(crate) async fn connections(world: &World, team: TeamId) -> Vec<ConnectedProvider> {
    let found = world.store.team(team).connections(Uuid::from_u128(USER)).await;
    crate::world::all(&found.expect("reads").expect("the user"))
}

/// Panics unless the payload of an event matches its row, and has the variant of its type.
pub(crate) fn assert_sound(event: &LoggedEvent) {
    let read: Event = decoded(&event.payload);
    assert_eq!(read.event_type(), event.event_type);
    let parts: Vec<_> = event.event_type.split('.').collect();
    let fits = match (&read, parts.as_slice()) {
        (Event::ProviderConnectionCreated(_), ["provider", "connection", "created"])
        | (Event::ProviderConnectionError(_), ["provider", "connection", "error"])
        | (Event::DailySleepCycleCreated(_), ["daily", "data", "sleep_cycle", "created"])
        | (Event::DailySleepCycleUpdated(_), ["daily", "data", "sleep_cycle", "updated"])
        | (Event::HistoricalSleepCycleCreated(_), ["historical", "data", "sleep_cycle", "created"])
        | (Event::DailyHypnogramCreated(_), ["daily", "timeseries", "hypnogram", "created"])
        | (Event::DailyHypnogramUpdated(_), ["daily", "timeseries", "hypnogram", "updated"])
        | (Event::HistoricalHypnogramCreated(_), ["historical", "timeseries", "hypnogram", "created"]) => true,
        (Event::DailyDataDeleted(_), ["daily", "data", _, "deleted"]) => true,
        (Event::DailyDataCreated(_), ["daily", "data", resource, "created"])
        | (Event::DailyDataUpdated(_), ["daily", "data", resource, "updated"])
        | (Event::HistoricalDataCreated(_), ["historical", "data", resource, "created"]) => {
            !["sleep_cycle", "hypnogram"].contains(resource)
        }
        _ => false,
    };
    assert!(fits, "{read:?}");
    let payload: Value = serde_json::from_slice(event.payload.as_bytes()).expect("JSON");
    let user = match &read {
        Event::ProviderConnectionCreated(_) | Event::ProviderConnectionError(_) => &payload["data"]["user_id"],
        _ => &payload["user_id"],
    };
    assert_eq!(user, &json!(event.user_id));
    assert_eq!(payload["team_id"], json!(event.team_id));
    assert_eq!(payload["event_id"], json!(event.event_id));
}
