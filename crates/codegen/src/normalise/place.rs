//! Location of an inline schema, from which its name is derived.

use heck::ToUpperCamelCase;
use serde_json::Value;

use super::names::type_name;

/// The part of a name that a step of a schema adds.
pub(super) fn step(keyword: &str, key: Option<&str>, schema: &Value) -> String {
    match (keyword, key) {
        ("properties" | "patternProperties" | "$defs" | "definitions", Some(name)) => type_name(name),
        ("items" | "contains" | "prefixItems" | "unevaluatedItems", _) => "Item".to_owned(),
        ("additionalProperties" | "unevaluatedProperties", _) => "Value".to_owned(),
        ("oneOf" | "anyOf" | "allOf", Some(index)) => match short_title(schema) {
            Some(title) => title,
            None => format!("Variant{}", index.parse::<usize>().map_or(1, |index| index + 1)),
        },
        (keyword, _) => type_name(keyword),
    }
}

/// A title that can be a part of a name.
fn short_title(schema: &Value) -> Option<String> {
    let title = schema["title"].as_str()?;
    let usable = title.len() <= 40 && title.starts_with(|c: char| c.is_ascii_alphabetic());
    usable.then(|| type_name(title))
}

/// The name of the body of a response: `200` and its like add nothing but `Response`.
pub(super) fn response(status: &str) -> String {
    match status.as_bytes() {
        [b'2', ..] => "Response".to_owned(),
        _ => format!("Response{}", status.to_upper_camel_case()),
    }
}
