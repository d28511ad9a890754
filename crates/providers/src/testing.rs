//! What tests of all providers share: documents, readings as arrivals, servers on loopback, and pulls in windows.

use std::sync::Arc;

use axum::Router;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use wearlab_connect::{Collection, Provider, Reading, Refusal, Session, Span};
use wearlab_ingest::ValidArrival;
use wearlab_models::{ResourceName, Secret};

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

/// Returns an HTTP client that follows no redirects.
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

/// Returns the access to the data of a user, without limits of requests.
pub(crate) fn session(url: &str, access_token: &str) -> Session {
    Session {
        http: client(),
        base_url: Some(url.to_owned()),
        access_token: Secret::new(access_token),
        pace: Arc::default(),
    }
}

/// Returns a collection of a provider.
pub(crate) fn collection(provider: &dyn Provider, name: &str) -> &'static Collection {
    let mut collections = provider.profile().collections.iter();
    collections
        .find(|collection| collection.name == name)
        .expect("a collection")
}

/// Pulls a collection in spans of its size.
pub(crate) async fn pull(
    provider: &dyn Provider,
    session: &Session,
    name: &str,
    span: Span,
) -> Result<Vec<Reading>, Refusal> {
    let collection = collection(provider, name);
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
