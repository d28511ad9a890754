//! API reference: pages for browsers from the document that the service serves, and the start page of a demo.
//!
//! | page | content |
//! |---|---|
//! | `GET /` | introduction and keys of a demo; without a demo, a redirect to `/docs` |
//! | `GET /docs` | introduction, credentials, errors, and all operations by tag |
//! | `GET /docs/operations/{operation_id}` | one operation: request, responses, samples, and a form that sends it |
//! | `GET /docs/events` | the events that destinations receive |
//! | `GET /docs/search.json` | search terms of operations and events |
//! | `GET /docs/assets/{name}` | script, style and icon, embedded in the binary |
//!
//! The pages load nothing from other hosts. Without JavaScript, the form and the filter are missing.

mod demo;
mod document;
mod events;
mod home;
mod layout;
mod operation;
mod overview;
mod policy;
mod prose;
mod samples;
mod schema;
mod search;
mod site;
mod try_it;
mod values;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{Redirect, Response};
use axum::routing::get;

pub use self::demo::{Demo, RequestHost};
pub use self::site::Reference;

/// Routes of the pages.
pub fn routes<S: Clone + Send + Sync + 'static>(reference: Reference) -> Router<S> {
    let first = match reference.demo {
        Some(_) => get(home::show),
        None => get(async || Redirect::temporary("/docs")),
    };
    Router::new()
        .route("/", first)
        .route("/docs", get(overview::show))
        .route("/docs/", get(async || Redirect::permanent("/docs")))
        .route("/docs/operations/{operation_id}", get(operation::show))
        .route("/docs/events", get(events::show))
        .route("/docs/search.json", get(search::show))
        .route("/docs/assets/{name}", get(asset))
        .with_state(Arc::new(reference))
}

async fn asset(State(reference): State<Arc<Reference>>, Path(name): Path<String>) -> Response {
    reference.assets.get(&name)
}
