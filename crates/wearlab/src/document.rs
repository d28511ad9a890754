//! Serves the interface's own descriptions.

use axum::Router;
use axum::body::Bytes;
use axum::routing::get;
use wearlab_server::{ASYNCAPI_JSON, HeaderPrefix, OPENAPI_JSON, OPENAPI_YAML, content};

/// The description of the requests, in two forms, and that of the events.
const DOCUMENTS: [(&str, &str, &str); 3] = [
    ("/openapi.json", "application/json", OPENAPI_JSON),
    ("/openapi.yaml", "application/yaml", OPENAPI_YAML),
    ("/asyncapi.json", "application/json", ASYNCAPI_JSON),
];

/// The descriptions, which need no key. They name the headers as they are here.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(prefix: &HeaderPrefix) -> Router<S> {
    DOCUMENTS.iter().fold(Router::new(), |router, (path, kind, text)| {
        let text = Bytes::from(with_prefix(text, prefix));
        router.route(path, get(async move || content(kind, text)))
    })
}

fn with_prefix(document: &str, prefix: &HeaderPrefix) -> String {
    let word = prefix.as_str();
    document
        .replace("x-service-", &format!("x-{word}-"))
        .replace("X-Service-", &format!("X-{word}-"))
}
