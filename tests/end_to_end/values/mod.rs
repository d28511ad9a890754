//! Data of users: arrivals, events and reads are consistent.

mod introspection;
mod pages;
mod series;
mod summaries;

use serde_json::{Value, json};
use wearlab_models::Uuid;
use wearlab_store::{DeprecatedForms, EventFilter, Ingestion, Record, ValidArrival};
use wearlab_tests::{Running, values};

/// Days to read.
const DATE: &str = values::DAY;
const END: &str = "2026-04-02";

/// Creates a user of the sample's team with a connection and without values.
async fn someone(running: &Running) -> Uuid {
    user_named(running, Uuid::from_u128(77), "someone").await
}

async fn user_named(running: &Running, user_id: Uuid, name: &str) -> Uuid {
    let (team_id, at) = (running.sample.team_id, "2026-01-01T00:00:00Z");
    let user = json!({"user": {"user_id": user_id, "team_id": team_id, "client_user_id": name, "created_on": at,
        "connected_sources": [],
        "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": at}}});
    let connection = json!({"connection": {"team_id": team_id, "user_id": user_id, "provider": {"name": "Stridewell",
        "slug": "stridewell", "logo": "", "status": "connected", "created_on": at, "resource_availability": {}}}});
    let records = [user, connection].map(|record| serde_json::from_value::<Record>(record).expect("a record"));
    let written = running
        .store
        .write(|write| records.iter().try_for_each(|record| write.put(record)));
    written.await.expect("writes");
    user_id
}

/// Ingests data of a day of a user, and returns the values of their event.
async fn ingest(running: &Running, user: Uuid, resource: &str, values: Value) -> Value {
    ingest_of(running, user, resource, "watch", values).await
}

/// Ingests data of a source type.
async fn ingest_of(running: &Running, user: Uuid, resource: &str, source: &str, values: Value) -> Value {
    let sample = &running.sample;
    let line = json!({"data": {"team_id": sample.team_id, "user_id": user, "provider": "stridewell",
        "resource": resource, "date": DATE, "source": {"type": source}, "data": values}});
    let arrival: ValidArrival = serde_json::from_value(line).unwrap_or_else(|error| panic!("{resource}: {error}"));
    let ingestion = Ingestion {
        now: chrono::Utc::now(),
        fresh_id: Uuid::now_v7,
        forms: DeprecatedForms::default(),
    };
    let written = running.store.write(|write| write.ingest(&arrival, &ingestion)).await;
    written.expect("is taken");
    let event = running
        .store
        .last_events(&EventFilter::default(), 1)
        .await
        .expect("reads");
    let payload: Value = serde_json::from_slice(event[0].payload.as_bytes()).expect("JSON");
    payload["data"]["data"].clone()
}
