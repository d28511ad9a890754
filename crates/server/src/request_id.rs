//! Every request has an id, which is on its answer, in every problem and in the log.

use std::fmt;

use axum::http::{HeaderName, HeaderValue};
use wearlab_models::Uuid;

/// The header that carries it.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request, found in the request's extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// A new id. Ids sort by the time they were made.
    pub(crate) fn new() -> Self {
        Self(format!("req_{}", Uuid::now_v7().simple()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
