//! Serves the interface's own description.

use axum::Router;
use axum::routing::get;
use wearlab_server::{HeaderPrefix, OPENAPI_JSON, OPENAPI_YAML, content};

/// `/openapi.json` and `/openapi.yaml`, which need no key. They name the headers as they are here.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(prefix: &HeaderPrefix) -> Router<S> {
    let json = with_prefix(OPENAPI_JSON, prefix);
    let yaml = with_prefix(OPENAPI_YAML, prefix);
    Router::new()
        .route("/openapi.json", get(async move || content("application/json", json)))
        .route("/openapi.yaml", get(async move || content("application/yaml", yaml)))
}

fn with_prefix(document: &str, prefix: &HeaderPrefix) -> String {
    let word = prefix.as_str();
    document
        .replace("x-service-", &format!("x-{word}-"))
        .replace("X-Service-", &format!("X-{word}-"))
}
