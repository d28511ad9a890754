//! Facts of the document and its operations, implemented by generated code.

use std::fmt::Debug;

use axum::http::Method;
use wearlab_kit_types::carrier::HasCarrier;

/// Routes, each with its operations.
pub type Routes<D> = &'static [(&'static str, &'static [&'static Operation<D>])];

/// A document: its credentials, its routes, and the names of its errors. Implemented by generated code.
pub trait Document: Clone + Copy + Debug + Send + Sync + 'static {
    /// A credential of the document.
    type Credential: HasCarrier;
    /// The routes of each server.
    const ROUTES: &'static [Routes<Self>];
    /// The values of `WWW-Authenticate`, by the kinds of credentials.
    const CHALLENGES: &'static [&'static str];
    /// The beginning of the `type` of problem documents, such as `urn:service:problem:`.
    const PROBLEMS: &'static str;
}

/// An operation of the interface. Generated code makes it: it may get further fields.
#[derive(Debug)]
pub struct Operation<D: Document> {
    /// The `operationId`, which is also the name of its method.
    pub id: &'static str,
    /// HTTP method.
    pub method: Method,
    /// Path, with parameters in braces.
    pub path: &'static str,
    /// Alternatives, each a list of credentials that are required together.
    pub security: &'static [&'static [D::Credential]],
    /// The scopes that each alternative requires, in the order of `security`: empty if none requires any.
    pub scopes: &'static [&'static [(D::Credential, &'static [&'static str])]],
    /// Deprecation, which every response announces.
    pub deprecation: Option<Deprecation>,
}

/// The deprecation of an operation, as values of headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// The value of `Deprecation` (RFC 9745): the time of the deprecation, such as `@1767225600`.
    pub since: &'static str,
    /// The value of `Sunset` (RFC 8594): the time of the removal, an HTTP date.
    pub sunset: Option<&'static str>,
}
