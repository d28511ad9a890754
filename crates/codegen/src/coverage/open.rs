//! Schemas that accept any value.

use serde_json::Value;

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

/// Maximum number of references that are followed.
const DEPTH: usize = 16;

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

/// The object itself, or the one that it refers to.
pub(super) fn target<'v>(root: &'v Value, value: &'v Value) -> &'v Value {
    let mut found = value;
    for _ in 0..DEPTH {
        let pointer = found["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
        match pointer.and_then(|pointer| root.pointer(pointer)) {
            Some(next) => found = next,
            None => break,
        }
    }
    found
}
