//! Serves the interface's own description.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

/// `/openapi.json` and `/openapi.yaml`, which need no key.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let json = || async { ([(CONTENT_TYPE, "application/json")], wearlab_server::OPENAPI_JSON) };
    let yaml = || async { ([(CONTENT_TYPE, "application/yaml")], wearlab_server::OPENAPI_YAML) };
    Router::new()
        .route("/openapi.json", get(json))
        .route("/openapi.yaml", get(yaml))
}
