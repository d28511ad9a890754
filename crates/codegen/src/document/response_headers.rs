//! Typed headers of successful responses.

use serde_json::Value;

use super::inline::read_type;
use super::json::resolve;
use super::names::header_name;
use super::{Docs, Method, Property, Schema, Type};
use crate::Code;
use crate::source::{Report, join};

/// The headers that every server's middleware sends with a success or a 304. They have no types.
const CONTENT: [&str; 5] = ["ETag", "Cache-Control", "x-request-id", "Deprecation", "Sunset"];

/// The headers that it sends with an error.
const PROBLEM: [&str; 4] = ["Allow", "Retry-After", "WWW-Authenticate", "x-request-id"];

/// The headers of [`CONTENT`] that it sends with a response to HEAD: it has no content to make the others of.
const OF_HEAD: [&str; 3] = ["x-request-id", "Deprecation", "Sunset"];

/// The headers that follow from the body and from the connection.
const FRAMING: [&str; 5] = [
    "Connection",
    "Content-Encoding",
    "Content-Length",
    "Content-Type",
    "Transfer-Encoding",
];

/// The headers of [`FRAMING`] that follow from the connection alone.
const CONNECTION: [&str; 2] = ["Connection", "Transfer-Encoding"];

/// Returns whether a header of a response follows from its body or the connection. Those of a response to HEAD are the ones of
/// the content that GET would send.
pub(crate) fn is_framing(name: &str, is_head: bool) -> bool {
    let framing: &[&str] = if is_head { &CONNECTION } else { &FRAMING };
    framing.iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// The type of the headers of a response.
pub(crate) struct HeaderType {
    pub(crate) ty: Type,
    /// The names of the headers.
    pub(crate) names: Vec<String>,
}

/// A declared header, and its schema in the document.
pub(super) struct Header {
    pub(super) property: Property,
    pub(super) schema: Value,
}

/// Checks the headers of errors and of a 304: middleware sends them. Returns the names of others, which the tolerant
/// profile accepts: they have no types.
pub(super) fn check(root: &Value, response: &Value, status: &str, at: &str, report: &mut Report<'_>) -> Vec<String> {
    let known: &[&str] = if status == "304" { &CONTENT } else { &PROBLEM };
    let all = response["headers"].as_object().into_iter().flatten();
    if report.is_tolerant() {
        return all
            .map(|(name, _)| name.clone())
            .filter(|name| !is_framing(name, false))
            .collect();
    }
    for (name, value) in all {
        let at = join(&format!("{at}/headers"), name);
        if !known.contains(&name.as_str()) && !is_of_middleware(root, value, &at) {
            report.error(
                Code::ResponseHeader,
                &at,
                format!("the header `{name}` of the response {status} is not supported"),
                format!(
                    "remove it, or mark it with `x-middleware: true`; supported here: {}",
                    known.join(", ")
                ),
            );
        }
    }
    Vec::new()
}

/// True if the document says that middleware sends a header.
fn is_of_middleware(root: &Value, header: &Value, at: &str) -> bool {
    resolve(root, header, "headers", at).0["x-middleware"] == true
}

/// The headers of a success that the implementer provides.
pub(super) fn read(
    root: &Value,
    response: &Value,
    method: Method,
    at: &str,
    schemas: &[Schema],
    report: &mut Report<'_>,
) -> Vec<Header> {
    let is_head = method == Method::Head;
    let sent: &[&str] = if is_head { &OF_HEAD } else { &CONTENT };
    let all = response["headers"].as_object().into_iter().flatten();
    all.filter(|(name, _)| !sent.iter().any(|own| name.eq_ignore_ascii_case(own)))
        .filter_map(|(name, value)| {
            let at = join(&format!("{at}/headers"), name);
            if is_of_middleware(root, value, &at) {
                return None;
            }
            header_name(name, &at, report);
            if is_framing(name, is_head) {
                let message = format!("the header `{name}` follows from the body");
                let help = "remove it: the server sends it, and `content` says the media type";
                report.error(Code::ResponseHeader, &at, message, help);
                return None;
            }
            let (value, at) = resolve(root, value, "headers", &at);
            read_one(name, value, &at, schemas, report)
        })
        .collect()
}

fn read_one(name: &str, value: &Value, at: &str, schemas: &[Schema], report: &mut Report<'_>) -> Option<Header> {
    let schema_at = join(at, "schema");
    let ty = read_type(&value["schema"], &schema_at, report);
    if ty.is_broken(schemas) {
        return None;
    }
    if !ty.is_scalar(schemas) {
        let message = format!("the header `{name}` is {}", ty.noun());
        let help = "describe it as a string, a number, a boolean or an enum";
        report.error(Code::ResponseHeader, &schema_at, message, help);
        return None;
    }
    let required = value["required"] == true;
    let property = Property {
        name: name.to_owned(),
        rust_name: None,
        required,
        sent: required,
        docs: Docs::read(value, at, report),
        ty,
        default: None,
        constant: None,
        sends_empty: false,
        sensitive: value["x-sensitive"] == true,
        distinguish_null: false,
        rounded: false,
        aliases: Vec::new(),
        boxed: false,
    };
    let mut schema = value["schema"].clone();
    if let (Some(schema), Some(description)) = (schema.as_object_mut(), value.get("description")) {
        schema.insert("description".to_owned(), description.clone());
    }
    Some(Header { property, schema })
}
