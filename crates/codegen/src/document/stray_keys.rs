//! Keywords without an effect.

use serde_json::Value;

use crate::Code;
use crate::source::{Report, join};

/// Keywords of any schema, without conditions on the value.
pub(super) const SAYING: [&str; 15] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "x-deprecation",
    "x-sensitive",
    "x-optional-for-readers",
    "x-distinguish-null",
    "x-aliases",
    "x-transitions",
    "x-assumption",
    "x-tag",
    "x-rust-name",
    "example",
];

/// Keywords of numbers.
const NUMBER: [&str; 7] = [
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "const",
];
/// Keywords of integers.
const INTEGER: [&str; 8] = [
    NUMBER[0],
    NUMBER[1],
    NUMBER[2],
    NUMBER[3],
    NUMBER[4],
    NUMBER[5],
    NUMBER[6],
    "x-rounded",
];

/// Rejects keywords that have no effect for a type: their author expected one.
pub(super) fn stray_keys(value: &Value, name: &str, at: &str, report: &mut Report<'_>) {
    let own: &[&str] = match name {
        "string" => &[
            "format",
            "contentMediaType",
            "contentEncoding",
            "minLength",
            "maxLength",
            "pattern",
            "const",
        ],
        "number" => &NUMBER,
        "integer" => &INTEGER,
        "array" => &["items", "minItems", "maxItems", "uniqueItems", "x-rounded"],
        "object" => &[
            "additionalProperties",
            "propertyNames",
            "properties",
            "required",
            "minProperties",
            "maxProperties",
        ],
        "oneOf" => &["oneOf"],
        "anyOf" => &["anyOf"],
        "boolean" => &["const"],
        // Not a type, which is rejected elsewhere.
        _ => return,
    };
    for key in value.as_object().into_iter().flat_map(|object| object.keys()) {
        let composed = matches!(name, "oneOf" | "anyOf");
        let typed = !composed && key == "type";
        if typed || SAYING.contains(&key.as_str()) || own.contains(&key.as_str()) {
            continue;
        }
        let at = join(at, key);
        match (name, key.as_str()) {
            ("oneOf" | "anyOf", _) => report.error(
                Code::StrayKeyword,
                &at,
                format!("`{key}` has no effect beside `{name}`"),
                "remove it",
            ),
            _ => report.error(
                Code::StrayKeyword,
                &at,
                format!("`{key}` has no effect on a schema of type {name}"),
                match own {
                    [] => format!("remove it, or correct the `type`: {name} has no keywords of its own"),
                    _ => format!("remove it, or correct the `type`: {name} has {}", own.join(", ")),
                },
            ),
        }
    }
}
