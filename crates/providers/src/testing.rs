//! Shared by the tests of providers.

use std::collections::BTreeMap;

use axum::Router;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use wearlab_connect::{Provider, Reading, Refusal, Session, Span};
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

/// Checks that each reading is the value of an arrival.
pub(crate) fn check_arrivals(readings: &[Reading]) {
    let mut readings: Vec<_> = readings.iter().collect();
    readings.sort_by(|one, other| one.resource.cmp(&other.resource));
    for part in readings.chunk_by(|one, next| one.resource == next.resource) {
        let id = "00000000-0000-0000-0000-000000000001";
        let values: Vec<_> = part.iter().map(|reading| &reading.value).collect();
        let data = json!({
            "team_id": id, "user_id": id, "provider": "stridewell", "source": {"type": "watch"},
            "resource": part[0].resource, "date": part[0].day, "data": values,
        });
        let arrival = ValidArrival::read(&json!({ "data": data }).to_string()).expect("an arrival");
        assert!(!arrival.has_local_times());
    }
}

/// Returns the values by their provider's id, each once.
pub(crate) fn by_id(readings: &[Reading], resource: ResourceName) -> BTreeMap<String, Value> {
    let all = values(readings, resource);
    let id = |value: &Value| value["provider_id"].as_str().expect("an id").to_owned();
    let by_id: BTreeMap<_, _> = all.iter().map(|value| (id(value), value.clone())).collect();
    assert_eq!(by_id.len(), all.len(), "no value is returned twice");
    by_id
}

/// Returns samples by their time.
pub(crate) fn by_time(readings: &[Reading], resource: ResourceName) -> BTreeMap<DateTime, f64> {
    let sample = |value: &Value| {
        let time = DateTime::parse_from_rfc3339(value["timestamp"].as_str().expect("a time")).expect("a time");
        (time, value["value"].as_f64().expect("a number"))
    };
    values(readings, resource).iter().map(sample).collect()
}

/// Returns a client that follows no redirects.
pub(crate) fn client() -> reqwest::Client {
    let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    builder.build().expect("a client")
}

/// Serves a router on loopback, and returns its URL.
pub(crate) async fn serve(router: Router) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a listener");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// Pulls a collection of a provider in spans of its size.
pub(crate) async fn pull(
    provider: &dyn Provider,
    session: &Session,
    name: &str,
    span: Span,
) -> Result<Vec<Reading>, Refusal> {
    let mut collections = provider.profile().collections.iter();
    let collection = collections
        .find(|collection| collection.name == name)
        .expect("a collection");
    let mut readings = Vec::new();
    let days: Vec<_> = span.first.iter_days().take_while(|day| *day <= span.last).collect();
    for window in days.chunks(collection.window_days as usize) {
        let span = Span {
            first: window[0],
            last: window[window.len() - 1],
        };
        readings.extend(provider.pull(session, collection, span).await?);
    }
    Ok(readings)
}
