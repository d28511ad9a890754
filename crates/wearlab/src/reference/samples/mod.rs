//! Code samples: one call of an operation in each language, with what it requires and nothing else.
//!
//! URL and keys come from the variables that the client and the command line read, so that no sample has a key in it.

mod curl;
mod python;
mod rust;
#[cfg(test)]
mod tests;
mod typescript;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::document::{Content, Operation, Parameter};
use super::values::Values;

/// A language, with what makes its sample.
pub(super) struct Language {
    /// What it is called.
    pub(super) name: &'static str,
    /// What it is called in identifiers.
    pub(super) id: &'static str,
    pub(super) write: fn(&Call<'_>) -> String,
}

/// All languages.
pub(super) const LANGUAGES: [Language; 4] = [
    Language {
        name: "curl",
        id: "curl",
        write: curl::write,
    },
    Language {
        name: "Rust",
        id: "rust",
        write: rust::write,
    },
    Language {
        name: "Python",
        id: "python",
        write: python::write,
    },
    Language {
        name: "TypeScript",
        id: "typescript",
        write: typescript::write,
    },
];

/// The file that a body of lines is read from.
const LINES_FILE: &str = "lines.ndjson";
/// What stays as it is in a path or a query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A call of an operation.
pub(super) struct Call<'a> {
    operation: &'a Operation<'a>,
    /// The path with its parameters.
    path: String,
    /// What is required in the query.
    query: Vec<(&'a str, String)>,
    /// Each header of a credential, and the variable that has it.
    credentials: Vec<(&'a str, String)>,
    /// The required parameters that are arguments of a method: of path and query, in the order of the document.
    arguments: Vec<(Parameter<'a>, String)>,
    body: Option<Body<'a>>,
    response: Kind,
}

/// What a call sends.
enum Body<'a> {
    Json(&'a Value),
    /// Lines, from a file.
    Lines(&'a str),
}

/// How a response is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Json,
    Lines,
    /// Anything else, which goes into a file.
    File,
}

impl<'a> Call<'a> {
    pub(super) fn new(operation: &'a Operation<'a>, values: &Values) -> Self {
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

    fn method(&self) -> String {
        self.operation.method.to_ascii_uppercase()
    }

    /// The variable with the URL of the service.
    fn url_variable(&self) -> &'static str {
        match self.operation.is_management() {
            true => "WEARLAB_MANAGEMENT_URL",
            false => "WEARLAB_BASE_URL",
        }
    }

    /// Path and query.
    fn target(&self) -> String {
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

    /// The file that a response which is no JSON goes into.
    fn file(&self) -> &'static str {
        "requisition.pdf"
    }
}

impl<'a> Body<'a> {
    fn of(content: Content<'a>) -> Self {
        match content
            .example
            .filter(|_| content.media_type.ends_with("json") && !content.media_type.ends_with("ndjson"))
        {
            Some(example) => Self::Json(example),
            None => Self::Lines(content.media_type),
        }
    }
}

fn response(operation: &Operation<'_>) -> Kind {
    let success = operation.successes().next().map(|(_, response)| response);
    let content = success.and_then(|response| operation.document.contents(response).next());
    match content.map(|content| content.media_type) {
        None => Kind::Nothing,
        Some("application/x-ndjson") => Kind::Lines,
        Some(kind) if kind.ends_with("json") => Kind::Json,
        Some(_) => Kind::File,
    }
}

fn encoded(value: &str) -> String {
    utf8_percent_encode(value, PLAIN).to_string()
}

/// JSON in lines, indented further.
fn pretty(value: &Value, indent: usize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{}", " ".repeat(indent)))
}
