//! Tests of the mapping, of the settings, and of pulls from the simulation. All values are made up.

mod corrections;
mod days;
mod http;
mod nights;
mod notices;
mod oauth;
mod refusals;
mod service;
mod settings;
mod zones;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_ingest::ValidArrival;
use wearlab_models::ResourceName;

/// Reads a document.
fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("a document")
}

/// Returns the values of a resource.
fn values(readings: &[Reading], resource: ResourceName) -> Vec<Value> {
    let of_resource = readings.iter().filter(|reading| reading.resource == resource);
    of_resource
        .map(|reading| Value::Object(reading.value.clone()))
        .collect()
}

/// Checks that each reading is the value of an arrival.
fn check_arrivals(readings: &[Reading]) {
    for part in readings.chunk_by(|one, next| one.resource == next.resource) {
        let id = "00000000-0000-0000-0000-000000000001";
        let values: Vec<_> = part.iter().map(|reading| &reading.value).collect();
        let data = json!({
            "team_id": id, "user_id": id, "provider": "oura", "source": {"type": "ring"},
            "resource": part[0].resource, "date": part[0].day, "data": values,
        });
        let arrival = ValidArrival::read(&json!({ "data": data }).to_string()).expect("an arrival");
        assert!(!arrival.has_local_times());
    }
}
