//! Operations: method, path, credentials, and the span of a call.

use std::fmt;

use reqwest::Method;
use tracing::Span;

use crate::operations::{Credential, Server};

/// The target of all that the client says through `tracing`.
pub(crate) const TARGET: &str = "wearlab_client";

/// Description of an operation, as the document has it.
#[non_exhaustive]
pub struct Operation {
    /// Its `operationId`, which is also the name of its method.
    pub id: &'static str,
    /// Its method.
    pub method: Method,
    /// Its path, with parameters in braces.
    pub path: &'static str,
    /// The address it is answered at.
    pub server: Server,
    /// The alternatives of credentials that it takes, each a list of those that are sent together; empty if it takes none.
    pub security: &'static [&'static [Credential]],
    /// Opens a span that is named after it: the name of a span is part of the code.
    pub(crate) span: fn() -> Span,
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("id", &self.id)
            .field("method", &self.method)
            .field("path", &self.path)
            .field("server", &self.server)
            .field("security", &self.security)
            .finish()
    }
}

/// A span for a call. It has no value of a parameter, no key and no address.
macro_rules! span {
    ($name:literal) => {
        tracing::info_span!(
            target: crate::operation::TARGET,
            $name,
            tries = tracing::field::Empty,
            http.response.status_code = tracing::field::Empty,
            request_id = tracing::field::Empty,
        )
    };
}

pub(crate) use span;
