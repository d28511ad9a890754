//! Schemas that accept any value.

use serde_json::Value;

use crate::source::target;

/// Keywords that accept any value.
const SAYING: [&str; 12] = [
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "nullable",
    "readOnly",
    "writeOnly",
    "externalDocs",
    "xml",
    "$comment",
];

/// Returns whether a schema, or the one that it refers to, accepts any value.
pub(super) fn is_open(root: &Value, schema: &Value) -> bool {
    match target(root, schema) {
        Value::Object(members) => members
            .keys()
            .all(|key| SAYING.contains(&key.as_str()) || key.starts_with("x-")),
        Value::Bool(any) => *any,
        _ => true,
    }
}
