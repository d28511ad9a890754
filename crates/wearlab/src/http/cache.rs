//! `Cache-Control`: who may keep an answer, and for how long.

use axum::extract::Request;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use wearlab_server::layers::{Onward, operation_of};
use wearlab_server::operations::{LIST_CANCELLATION_REASONS, LIST_PROVIDERS, SEARCH_DIAGNOSES};

use crate::config::http::HttpSettings;

/// What is the same for every team.
const CATALOGUES: [&str; 3] = [LIST_PROVIDERS.id, SEARCH_DIAGNOSES.id, LIST_CANCELLATION_REASONS.id];

/// What is said of catalogues.
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

/// Marks successful answers, unless they are marked: catalogues may be kept for a while, everything else is asked for
/// again each time, with its entity tag. No answer carries a secret or a token, so none is `no-store`; errors are.
///
/// Shared caches keep neither, and a private one asks with whatever key its user has. So answers need not vary by the
/// headers of credentials.
pub(super) async fn say(policy: &Policy, request: Request, next: impl Onward) -> Response {
    let catalogue = operation_of(&request).is_some_and(|operation| CATALOGUES.contains(&operation.id));
    let mut response = next.run(request).await;
    if response.status() == StatusCode::OK {
        let value = if catalogue {
            policy.catalogue.clone()
        } else {
            HeaderValue::from_static("private, no-cache")
        };
        response.headers_mut().entry(CACHE_CONTROL).or_insert(value);
    }
    response
}
