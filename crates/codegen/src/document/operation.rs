//! An operation: method, path, parameters, body, responses, credentials.

use super::{
    Alternative, Body, Content, Docs, ErrorResponse, Method, Pagination, Paging, Parameter, Requirement, Response, Type,
};
use crate::rustdoc::code_span;

/// One operation of the interface.
pub(crate) struct Operation {
    /// The name of its method: the `operationId`, unless the document chooses another.
    pub(crate) id: String,
    /// The pointer of its name.
    pub(crate) id_at: String,
    pub(crate) method: Method,
    pub(crate) path: String,
    /// Pointer in the document.
    pub(crate) at: String,
    pub(crate) tag: String,
    pub(crate) docs: Docs,
    /// The variable of its server.
    pub(crate) server: String,
    pub(crate) parameters: Vec<Parameter>,
    /// Alternatives of credentials; those that only a setting of the service allows come last. Empty without
    /// credentials.
    pub(crate) security: Vec<Alternative>,
    pub(crate) requirements: Vec<Requirement>,
    /// The body of the request.
    pub(crate) request: Option<Body>,
    /// The successful response; of several, that of the lowest status.
    pub(crate) success: Response,
    /// Further successful responses.
    pub(crate) others: Vec<Response>,
    /// Errors with bodies of their own.
    pub(crate) errors: Vec<ErrorResponse>,
    /// The events that the client also reads, where a success is JSON or events.
    pub(crate) events: Option<Content>,
    /// The names of the headers of errors that the document declares. They have no types.
    pub(crate) error_headers: Vec<String>,
    pub(crate) pagination: Option<Pagination>,
    /// Pagination that the tolerant profile found, where the document declares none.
    pub(crate) paging: Option<Paging>,
    /// True if `If-None-Match` is evaluated, with a 304 for unchanged content.
    pub(crate) conditional: bool,
    /// False if the router has another operation for its URLs, so that the server omits it.
    pub(crate) is_routed: bool,
}

impl Operation {
    /// The scopes that it requires, as a sentence.
    pub(crate) fn scopes(&self) -> Option<String> {
        let all = self
            .security
            .iter()
            .flatten()
            .filter(|needed| !needed.scopes.is_empty());
        let mut names: Vec<_> = all
            .map(|needed| {
                let scopes: Vec<_> = needed.scopes.iter().map(|scope| code_span(scope)).collect();
                let noun = if scopes.len() == 1 { "scope" } else { "scopes" };
                format!("the {noun} {} of {}", scopes.join(" and "), code_span(&needed.scheme))
            })
            .collect();
        names.dedup();
        (!names.is_empty()).then(|| format!("Requires {}.", names.join(", or ")))
    }

    /// Method and path.
    pub(crate) fn endpoint(&self) -> String {
        format!("{} {}", self.method.name(), self.path)
    }

    /// Method and path, for documentation.
    pub(crate) fn endpoint_span(&self) -> String {
        code_span(&self.endpoint())
    }

    /// Returns whether the server's method has an input: parameters, or a body.
    pub(crate) fn has_input(&self) -> bool {
        !self.parameters.is_empty() || self.request.is_some()
    }

    /// Returns whether the server reads anything of a request: credentials, or an input.
    pub(crate) fn reads_request(&self) -> bool {
        !self.security.is_empty() || self.has_input()
    }

    /// Returns whether it has several successful responses.
    pub(crate) fn is_choice(&self) -> bool {
        !self.others.is_empty()
    }

    /// All successful responses.
    pub(crate) fn successes(&self) -> impl Iterator<Item = &Response> {
        std::iter::once(&self.success).chain(&self.others)
    }

    /// The types of the parameters and the body of a request.
    pub(crate) fn sent_types(&self) -> impl Iterator<Item = &Type> {
        let body = self.request.as_ref().and_then(|body| body.content.ty());
        self.parameters.iter().map(|parameter| &parameter.ty).chain(body)
    }

    /// The types of the bodies and headers of all responses but problems.
    pub(crate) fn received_types(&self) -> impl Iterator<Item = &Type> {
        let others = self.others.iter().filter_map(|response| response.body.as_ref()?.ty());
        let errors = self.errors.iter().map(|error| &error.ty);
        let headers = self
            .successes()
            .filter_map(|response| Some(&response.headers.as_ref()?.ty));
        let events = self.events.as_ref().and_then(Content::ty);
        let types = self.response_type().into_iter().chain(others).chain(errors);
        types.chain(headers).chain(events)
    }

    /// The content of the successful response, if it has a body.
    pub(crate) fn response(&self) -> Option<&Content> {
        self.success.body.as_ref()
    }

    /// The type of the values of the successful response, if it has any.
    pub(crate) fn response_type(&self) -> Option<&Type> {
        self.response().and_then(Content::ty)
    }

    /// The query parameter with the position of a page.
    pub(crate) fn position_parameter(&self) -> Option<&str> {
        let declared = self.pagination.as_ref().map(|pagination| pagination.style.position());
        declared.or_else(|| self.paging.as_ref().map(|paging| paging.parameter.as_str()))
    }
}
