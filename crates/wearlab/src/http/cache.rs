//! `Cache-Control`: who may store a response, and for how long.

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::response::Response;
use wearlab_server::Operation;
use wearlab_server::operations::{LIST_CANCELLATION_REASONS, LIST_PROVIDERS, SEARCH_DIAGNOSES};

use crate::config::http::HttpSettings;

/// What is the same for every team.
const CATALOGUES: [&str; 3] = [LIST_PROVIDERS.id, SEARCH_DIAGNOSES.id, LIST_CANCELLATION_REASONS.id];

/// What responses are marked with.
pub(super) struct Policy {
    catalogue: HeaderValue,
}

impl Policy {
    pub(super) fn of(settings: &HttpSettings) -> Self {
        let text = format!("private, max-age={}", settings.catalogue_max_age.as_secs());
        let catalogue = HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("private, no-cache"));
        Self { catalogue }
    }
}

/// `Cache-Control` of the response to one request.
pub(super) struct CacheControl(HeaderValue);

impl Policy {
    /// Catalogues may be stored for a while; every other read is revalidated each time by its entity tag. Responses to
    /// writes, which may carry a secret that is shown once, are not stored, nor are errors.
    ///
    /// Shared caches store neither, and a private one asks with whatever key its user has. So responses need not vary by
    /// the headers of credentials.
    pub(super) fn of_request(&self, request: &Request, operation: Option<&Operation>) -> CacheControl {
        let catalogue = operation.is_some_and(|operation| CATALOGUES.contains(&operation.id));
        CacheControl(match catalogue {
            true => self.catalogue.clone(),
            false if request.method().is_safe() => HeaderValue::from_static("private, no-cache"),
            false => HeaderValue::from_static("no-store"),
        })
    }
}

impl CacheControl {
    /// Marks a successful response, unless it is marked.
    pub(super) fn mark(self, response: &mut Response) {
        if response.status().is_success() {
            response.headers_mut().entry(CACHE_CONTROL).or_insert(self.0);
        }
    }
}
