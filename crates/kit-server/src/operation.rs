//! Description of an operation.

use axum::http::Method;

use crate::Document;

/// An operation of the interface. Generated code makes it: it may get further fields.
#[derive(Debug)]
pub struct Operation<D: Document> {
    /// Its `operationId`, which is also the name of its method.
    pub id: &'static str,
    /// Its method.
    pub method: Method,
    /// Its path, with parameters in braces.
    pub path: &'static str,
    /// Alternatives, each a list of credentials that are wanted together.
    pub security: &'static [&'static [D::Credential]],
    /// The scopes that each alternative requires, in the order of `security`: empty if none requires any.
    pub scopes: &'static [&'static [(D::Credential, &'static [&'static str])]],
    /// Since when it is deprecated, and when it may be removed. Every response to it says so.
    pub deprecation: Option<Deprecation>,
}

/// The deprecation of an operation, as values of headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// The value of `Deprecation` (RFC 9745): since when, such as `@1767225600`.
    pub since: &'static str,
    /// The value of `Sunset` (RFC 8594): from when on the operation may be gone, an HTTP date.
    pub sunset: Option<&'static str>,
}
