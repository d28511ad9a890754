//! An operation: path, parameters, response, credentials.

use super::{Docs, Pagination, Parameter, Requirement, Type};
use crate::rustdoc::code_span;

/// One operation of the interface.
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) tag: String,
    pub(crate) docs: Docs,
    /// The variable of its server.
    pub(crate) server: String,
    pub(crate) parameters: Vec<Parameter>,
    /// Alternatives, each a list of schemes that are required together. Those that only a setting of the service
    /// allows come last.
    pub(crate) security: Vec<Vec<String>>,
    pub(crate) requirements: Vec<Requirement>,
    /// The body of the successful response.
    pub(crate) body: Type,
    pub(crate) pagination: Option<Pagination>,
    /// Whether `If-None-Match` is evaluated, with a 304 for unchanged content.
    pub(crate) conditional: bool,
}

impl Operation {
    /// Method and path, for documentation.
    pub(crate) fn request(&self) -> String {
        code_span(&format!("GET {}", self.path))
    }
}
