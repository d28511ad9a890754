//! Documents of tests, and readings as arrivals.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wearlab_connect::{Provider, Reading};
use wearlab_ingest::ValidArrival;
use wearlab_models::{DateTime, ResourceName};

/// Reads a document.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("a document")
}

/// Returns the values of a resource.
pub(crate) fn values(readings: &[Reading], resource: ResourceName) -> Vec<Value> {
    let of_resource = readings.iter().filter(|reading| reading.resource == resource);
    of_resource
        .map(|reading| Value::Object(reading.value.clone()))
        .collect()
}

/// Checks that each reading is the value of an arrival of a provider.
pub(crate) fn check_arrivals(provider: &dyn Provider, readings: &[Reading]) {
    let is_together =
        |one: &Reading, next: &Reading| one.resource == next.resource && one.source_type == next.source_type;
    for part in readings.chunk_by(is_together) {
        let id = "00000000-0000-0000-0000-000000000001";
        let values: Vec<_> = part.iter().map(|reading| &reading.value).collect();
        let source_type = part[0].source_type.unwrap_or(provider.profile().source_type);
        let data = json!({
            "team_id": id, "user_id": id, "provider": provider.profile().slug, "source": {"type": source_type},
            "resource": part[0].resource, "date": part[0].day, "data": values,
        });
        let arrival = ValidArrival::read(&json!({ "data": data }).to_string()).expect("an arrival");
        assert!(!arrival.has_local_times());
    }
}

/// Returns samples by their time.
pub(crate) fn by_time(readings: &[Reading], resource: ResourceName) -> BTreeMap<DateTime, f64> {
    let sample = |value: &Value| {
        let time = DateTime::parse_from_rfc3339(value["timestamp"].as_str().expect("a time")).expect("a time");
        (time, value["value"].as_f64().expect("a number"))
    };
    values(readings, resource).iter().map(sample).collect()
}

/// Returns the values by their provider's id, each once.
pub(crate) fn by_id(readings: &[Reading], resource: ResourceName) -> BTreeMap<String, Value> {
    let all = values(readings, resource);
    let id = |value: &Value| value["provider_id"].as_str().expect("an id").to_owned();
    let by_id: BTreeMap<_, _> = all.iter().map(|value| (id(value), value.clone())).collect();
    assert_eq!(by_id.len(), all.len(), "no value is returned twice");
    by_id
}
