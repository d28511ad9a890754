//! An event of each type, from the log of a real store.

use bytes::Bytes;
use chrono::Utc;
use serde_json::{Value, json};
use tempfile::TempDir;
use wearlab_delivery::Message;
use wearlab_models::Uuid;
use wearlab_store::{DeprecatedForms, EventFilter, Ingestion, Record, Store, Until, ValidArrival};

/// Number of users; each has events of every type.
const USERS: u128 = 2;

/// An event of each of the ten types, of each of two users, in the order of the log.
pub(crate) async fn of_every_type() -> Vec<Message> {
    let (_directory, store) = store(None).await;
    messages(&store).await
}

/// A store with these events, and optionally a pipeline.
pub(crate) async fn store(pipeline: Option<Value>) -> (TempDir, Store) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("a store");
    let records = records().into_iter().chain(pipeline).collect();
    let records: Vec<Record> = serde_json::from_value(Value::Array(records)).expect("records");
    let arrivals: Vec<ValidArrival> = serde_json::from_value(Value::Array(arrivals())).expect("arrivals");
    let ingestion = Ingestion {
        now: Utc::now(),
        fresh_id: Uuid::now_v7,
        forms: DeprecatedForms {
            connection_source: Until::Always,
            source_details: Until::Always,
            hypnogram_events: Until::Always,
            is_final: Until::Always,
            result_value: Until::Always,
        },
    };
    let written = store.write(|write| {
        records.iter().try_for_each(|record| write.put(record))?;
        (arrivals.iter()).try_for_each(|arrival| write.ingest(arrival, &ingestion).map(drop))
    });
    written.await.expect("writes");
    (directory, store)
}

/// The events of a store.
pub(crate) async fn messages(store: &Store) -> Vec<Message> {
    let events = store.events(&EventFilter::default(), 1000).await.expect("reads");
    let messages = events.into_iter().map(|event| Message {
        event_id: event.event_id,
        event_type: event.event_type,
        team_id: event.team_id,
        user_id: Some(event.user_id),
        created_on: event.created_on.fixed_offset(),
        payload: Bytes::copy_from_slice(event.payload.as_bytes()),
    });
    messages.collect()
}

pub(crate) fn team() -> Uuid {
    Uuid::from_u128(1)
}

fn user(number: u128) -> Uuid {
    Uuid::from_u128(100 + number)
}

fn records() -> Vec<Value> {
    let mut records = vec![
        json!({"organisation": {"org_id": "o"}}),
        json!({"team": {"team_id": team(), "org_id": "o", "environment": "sandbox", "region": "eu"}}),
    ];
    records.extend((0..USERS).map(|number| {
        json!({"user": {
            "user_id": user(number), "team_id": team(), "client_user_id": format!("client-{number}"),
            "created_on": "2026-01-01T00:00:00Z", "connected_sources": [],
            "fallback_time_zone": {"id": "UTC", "source_slug": "manual", "updated_at": "2026-01-01T00:00:00Z"},
        }})
    }));
    records
}

fn arrivals() -> Vec<Value> {
    (0..USERS).flat_map(|number| arrivals_of(user(number))).collect()
}

fn arrivals_of(user: Uuid) -> Vec<Value> {
    let data = |resource: &str, data: Value, pull: Value| {
        json!({"data": {
            "team_id": team(), "user_id": user, "provider": "stridewell", "resource": resource, "date": "2026-01-02",
            "source": {"type": "watch"}, "data": [data], "pull": pull,
        }})
    };
    let steps = |value: u32, pull| {
        data(
            "steps",
            json!({"timestamp": "2026-01-02T08:00:00Z", "value": value}),
            pull,
        )
    };
    let sleep = |hour: u32, pull| {
        let session = json!({
            "id": Uuid::from_u128(1), "date": "2026-01-02", "session_start": format!("2026-01-02T0{hour}:00:00Z"),
            "session_end": "2026-01-02T06:00:00Z", "hypnogram": [
                {"start": format!("2026-01-02T0{hour}:00:00Z"), "end": "2026-01-02T06:00:00Z", "stage": "deep"},
            ],
        });
        data("sleep_cycle", session, pull)
    };
    let pull = || json!({"id": "p-1", "chunk": 1, "chunks": 1});
    let connection = json!({"connection_made": {"team_id": team(), "user_id": user, "provider": {
        "name": "Stridewell", "slug": "stridewell", "logo": "https://logos.example/s.svg", "status": "connected",
        "created_on": "2026-01-02T00:00:00Z", "resource_availability": {},
    }}});
    vec![
        connection,
        steps(1, Value::Null),
        steps(2, Value::Null),
        steps(3, pull()),
        sleep(1, Value::Null),
        sleep(2, Value::Null),
        sleep(3, pull()),
    ]
}
