//! Operations: method, path, credentials, and the span of a call.

use std::fmt;

use reqwest::Method;
use tracing::Span;

use crate::Document;

/// Target of the client's spans and events of `tracing`.
pub const TARGET: &str = "wearlab_kit_client";

/// Description of an operation, as the document has it. Generated code makes it: it may get further fields.
pub struct Operation<D: Document> {
    /// The `operationId`, which is also the name of its method.
    pub id: &'static str,
    /// HTTP method.
    pub method: Method,
    /// Path, with parameters in braces.
    pub path: &'static str,
    /// Server of the operation.
    pub server: D::Server,
    /// The alternatives of accepted credentials, each a list of those that are sent together; empty if it accepts none.
    pub security: &'static [&'static [D::Credential]],
    /// Opens a span that is named after it: the name of a span is part of the code.
    #[doc(hidden)]
    pub span: fn() -> Span,
}

impl<D: Document> fmt::Debug for Operation<D> {
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

/// A span for a call. It has no parameter values, keys or URLs.
#[doc(hidden)]
#[macro_export]
macro_rules! span {
    ($name:literal) => {
        $crate::codegen::tracing::info_span!(
            target: $crate::codegen::TARGET,
            $name,
            tries = $crate::codegen::tracing::field::Empty,
            http.response.status_code = $crate::codegen::tracing::field::Empty,
            request_id = $crate::codegen::tracing::field::Empty,
        )
    };
}
