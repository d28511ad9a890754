//! What is known of an operation before a request comes.

use axum::http::Method;

use crate::operations::Credential;

/// An operation of the interface.
#[derive(Debug)]
#[non_exhaustive]
pub struct Operation {
    /// Its `operationId`, which is also the name of its method.
    pub id: &'static str,
    /// Its method.
    pub method: Method,
    /// Its path, with parameters in braces.
    pub path: &'static str,
    /// Alternatives, each a list of credentials that are wanted together.
    pub security: &'static [&'static [Credential]],
    /// The scopes that each alternative requires, in the order of `security`: empty if none requires any.
    pub scopes: &'static [&'static [(Credential, &'static [&'static str])]],
}
