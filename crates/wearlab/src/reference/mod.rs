//! The API reference: pages for browsers, made of the document that the service serves, and the first page of a demo.
//!
//! | page | content |
//! |---|---|
//! | `GET /` | what a demo is and its keys; elsewhere it leads to `/docs` |
//! | `GET /docs` | introduction, credentials, errors, and all operations by tag |
//! | `GET /docs/operations/{operation_id}` | one operation: what it takes and gives, code samples, and a form that sends it |
//! | `GET /docs/events` | the events: what destinations are sent |
//! | `GET /docs/search.json` | what the filters find operations and events by |
//! | `GET /docs/assets/{name}` | script, style and icon, from the binary |
//!
//! They load nothing from anywhere else. Without JavaScript, the form and the filter are missing.

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
mod try_it;
mod values;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{Redirect, Response};
use axum::routing::get;
use wearlab_server::HeaderPrefix;

pub(crate) use self::demo::{Demo, RequestHost};
use self::document::Document;
use crate::assets::Assets;
use crate::document::with_prefix;

/// What the pages are made of.
pub(crate) struct Reference {
    prefix: HeaderPrefix,
    /// Whether the management API is answered at the address of the pages.
    management_here: bool,
    demo: Option<Arc<Demo>>,
    assets: Assets,
    /// Read when a page is first asked for: most services never show one.
    document: OnceLock<Document>,
}

impl Reference {
    pub(crate) fn new(prefix: HeaderPrefix, management_here: bool, demo: Option<Arc<Demo>>) -> Self {
        let files = [
            ("docs.js", include_str!("assets/docs.js")),
            ("docs.css", include_str!("assets/docs.css")),
            ("icon.svg", include_str!("assets/icon.svg")),
        ];
        Self {
            prefix,
            management_here,
            demo,
            assets: Assets::new("/docs/assets", &files),
            document: OnceLock::new(),
        }
    }

    fn document(&self) -> &Document {
        self.document
            .get_or_init(|| Document::new(|text| with_prefix(text, &self.prefix)))
    }

    /// The routes of the pages.
    pub(crate) fn routes<S: Clone + Send + Sync + 'static>(self) -> Router<S> {
        let first = match self.demo {
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
            .with_state(Arc::new(self))
    }
}

async fn asset(State(reference): State<Arc<Reference>>, Path(name): Path<String>) -> Response {
    reference.assets.get(&name)
}
