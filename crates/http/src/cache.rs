//! `Cache-Control`: permission and time for caches to store a response.

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::response::Response;
use wearlab_server::Operation;
use wearlab_server::operations::{
    GET_LAB_TEST, GET_REDIRECT_URLS, GET_TEAM, LIST_ALL_LAB_TESTS, LIST_CANCELLATION_REASONS, LIST_DESTINATIONS,
    LIST_LAB_TEST_MARKERS, LIST_LAB_TESTS, LIST_PHLEBOTOMY_CANCELLATION_REASONS, LIST_PROVIDERS, LIST_TEAMS,
    SEARCH_DIAGNOSES,
};

use crate::settings::HttpSettings;

/// Reads that are the same for every team.
pub const CATALOGUES: [&str; 4] = [
    LIST_PROVIDERS.id,
    SEARCH_DIAGNOSES.id,
    LIST_CANCELLATION_REASONS.id,
    LIST_PHLEBOTOMY_CANCELLATION_REASONS.id,
];

/// Reads that a private cache may store, to validate them before each use: they contain no user and no secret. Reads
/// that are not listed are not stored.
pub const VALIDATED: [&str; 8] = [
    GET_LAB_TEST.id,
    GET_REDIRECT_URLS.id,
    GET_TEAM.id,
    LIST_ALL_LAB_TESTS.id,
    LIST_DESTINATIONS.id,
    LIST_LAB_TEST_MARKERS.id,
    LIST_LAB_TESTS.id,
    LIST_TEAMS.id,
];

/// Values of `Cache-Control`.
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
    /// Returns the value for the response to a request. Catalogues may be stored for a while, and [some
    /// reads](VALIDATED) to be validated by their entity tag. Nothing else may be: reads of users, health data and
    /// credentials, since a browser would write them to its disk, responses to writes, which may carry a secret that is
    /// shown once, and errors.
    ///
    /// `no-store` is for caches. A client that keeps a response and its entity tag itself still gets a 304.
    ///
    /// Shared caches store nothing, and a private one sends the key of its user. So responses need not vary by the
    /// headers of credentials.
    pub(super) fn of_request(&self, request: &Request, operation: Option<&Operation>) -> CacheControl {
        let is_one_of = |ids: &[&str]| operation.is_some_and(|operation| ids.contains(&operation.id));
        CacheControl(if is_one_of(&CATALOGUES) {
            self.catalogue.clone()
        } else if request.method().is_safe() && (operation.is_none() || is_one_of(&VALIDATED)) {
            HeaderValue::from_static("private, no-cache")
        } else {
            HeaderValue::from_static("no-store")
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;
    use wearlab_server::operations;

    use super::{CATALOGUES, VALIDATED};

    const REFERENCE: &str = "\"$ref\":\"#";

    /// Returns the JSON of a part of the document, with the parts that it refers to.
    fn with_references(document: &Value, part: &Value) -> String {
        let mut text = json_of(part);
        let mut seen = BTreeSet::new();
        let mut position = 0;
        while let Some(found) = text[position..].find(REFERENCE) {
            position += found + REFERENCE.len();
            let pointer = text[position..].split('"').next().expect("a pointer").to_owned();
            if seen.insert(pointer.clone()) {
                text += &json_of(document.pointer(&pointer).expect("a part"));
            }
        }
        text
    }

    /// Returns the JSON of a part of the document. Attributes of the values of an enum are not in responses.
    fn json_of(part: &Value) -> String {
        let mut part = part.clone();
        if let Some(schema) = part.as_object_mut() {
            schema.remove("x-value-attributes");
        }
        part.to_string()
    }

    #[test]
    fn no_read_of_a_user_or_of_a_secret_is_stored() {
        let document: Value = serde_json::from_str(wearlab_server::OPENAPI_JSON).expect("JSON");
        let mut stored = 0;
        let mut sensitive = 0;
        for operation in operations::ALL.iter().filter(|operation| operation.method.is_safe()) {
            let described = &document["paths"][operation.path][operation.method.as_str().to_lowercase()];
            let success = &described["responses"]["200"];
            let text = with_references(&document, success);
            let marks = ["\"x-sensitive\":", "\"format\":\"password\"", "\"user_id\":"];
            let is_private = marks.iter().any(|mark| text.contains(mark)) || operation.path.contains("{user_id}");
            sensitive += usize::from(is_private);
            if CATALOGUES.contains(&operation.id) || VALIDATED.contains(&operation.id) {
                assert!(!is_private, "{}", operation.id);
                stored += 1;
            }
        }
        assert_eq!(stored, CATALOGUES.len() + VALIDATED.len());
        assert!(sensitive > 25, "{sensitive}");
    }
}
