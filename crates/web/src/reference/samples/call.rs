//! Call of an operation, as a template of samples.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::super::document::{Content, Operation, Parameter};
use super::super::values::Values;

/// File with the lines of a request's body.
pub(super) const LINES_FILE: &str = "lines.ndjson";
/// Characters that are not percent-encoded in a path or a query.
pub(super) const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Call of an operation.
pub(in crate::reference) struct Call<'a> {
    pub(super) operation: &'a Operation<'a>,
    /// Path with its parameters.
    pub(super) path: String,
    /// Required parameters of the query.
    pub(super) query: Vec<(&'a str, String)>,
    /// Header of each credential, and its environment variable.
    pub(super) credentials: Vec<(&'a str, String)>,
    /// Required parameters that are arguments of a method: of path and query, in the order of the document.
    pub(super) arguments: Vec<(Parameter<'a>, String)>,
    pub(super) body: Option<Body<'a>>,
    pub(super) response: Kind,
}

/// Body of a request.
pub(super) enum Body<'a> {
    Json(&'a Value),
    /// Lines, from a file.
    Lines(&'a str),
}

/// Kind of a response's body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Nothing,
    Json,
    Lines,
    /// Any other type, which is saved to a file.
    File,
}

impl<'a> Call<'a> {
    pub(in crate::reference) fn new(operation: &'a Operation<'a>, values: &Values) -> Self {
        let required = operation
            .parameters()
            .into_iter()
            .filter(|parameter| parameter.required);
        let arguments: Vec<_> = required
            .map(|parameter| {
                let value = values.of(&parameter);
                (parameter, value)
            })
            .collect();
        let mut path = operation.path.to_owned();
        let mut query = Vec::new();
        for (parameter, value) in &arguments {
            match parameter.location {
                "path" => path = path.replace(&format!("{{{}}}", parameter.name), &encoded(value)),
                _ => query.push((parameter.name, value.clone())),
            }
        }
        let alternatives = operation.credentials();
        let credentials = alternatives.first().into_iter().flatten();
        Self {
            operation,
            path,
            query,
            credentials: credentials.map(|one| (one.header, one.variable())).collect(),
            arguments,
            body: operation.body().map(|(content, _)| Body::of(content)),
            response: response(operation),
        }
    }

    pub(super) fn method(&self) -> String {
        self.operation.method.to_ascii_uppercase()
    }

    /// Returns the environment variable with the URL of the service.
    pub(super) fn url_variable(&self) -> &'static str {
        match self.operation.is_management() {
            true => "WEARLAB_MANAGEMENT_URL",
            false => "WEARLAB_BASE_URL",
        }
    }

    /// Returns path and query.
    pub(super) fn target(&self) -> String {
        let query: Vec<_> = self
            .query
            .iter()
            .map(|(name, value)| format!("{name}={}", encoded(value)))
            .collect();
        match query.is_empty() {
            true => self.path.clone(),
            false => format!("{}?{}", self.path, query.join("&")),
        }
    }

    /// Returns the file for a response other than JSON.
    pub(super) fn file(&self) -> &'static str {
        "requisition.pdf"
    }
}

impl<'a> Body<'a> {
    pub(super) fn of(content: Content<'a>) -> Self {
        match content
            .example
            .filter(|_| content.media_type.ends_with("json") && !content.media_type.ends_with("ndjson"))
        {
            Some(example) => Self::Json(example),
            None => Self::Lines(content.media_type),
        }
    }
}

pub(super) fn response(operation: &Operation<'_>) -> Kind {
    let success = operation.successes().next().map(|(_, response)| response);
    let content = success.and_then(|response| operation.document.contents(response).next());
    match content.map(|content| content.media_type) {
        None => Kind::Nothing,
        Some("application/x-ndjson") => Kind::Lines,
        Some(kind) if kind.ends_with("json") => Kind::Json,
        Some(_) => Kind::File,
    }
}

pub(super) fn encoded(value: &str) -> String {
    utf8_percent_encode(value, PLAIN).to_string()
}

/// Formats JSON in lines, indented further.
pub(super) fn pretty(value: &Value, indent: usize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{}", " ".repeat(indent)))
}
