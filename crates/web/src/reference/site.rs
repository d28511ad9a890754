//! State of the pages: the document, the assets and the demo.

use std::sync::{Arc, OnceLock};

use wearlab_server::HeaderPrefix;

use super::demo::Demo;
use super::document::Document;
use crate::assets::Assets;
use crate::document::with_prefix;

/// API reference of a service.
pub struct Reference {
    pub(super) prefix: HeaderPrefix,
    /// True if the listener of the pages serves the management API, too.
    pub(super) management_here: bool,
    pub(super) demo: Option<Arc<Demo>>,
    pub(super) assets: Assets,
    /// Parsed at the first request of a page: most services never show one.
    document: OnceLock<Document>,
}

impl Reference {
    /// Creates the pages. `management_here` is true if the management API has the address of the API.
    pub fn new(prefix: HeaderPrefix, management_here: bool, demo: Option<Arc<Demo>>) -> Self {
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

    pub(super) fn document(&self) -> &Document {
        self.document
            .get_or_init(|| Document::new(|text| with_prefix(text, &self.prefix)))
    }
}
