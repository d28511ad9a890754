//! Rewrites a list of several types as one `oneOf`: each type with its keywords.

use serde_json::{Map, Value, json};

use crate::source::{Part, walk};

/// Keywords of one type.
const KEYWORDS: [(&str, &[&str]); 5] = [
    ("string", &["format", "minLength", "maxLength", "pattern"]),
    ("integer", NUMBERS),
    ("number", NUMBERS),
    ("array", &["items", "minItems", "maxItems", "uniqueItems"]),
    (
        "object",
        &[
            "properties",
            "required",
            "additionalProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
        ],
    ),
];
const NUMBERS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "format",
];

/// Rewrites all such schemas.
pub(super) fn split(root: &mut Value) {
    walk(Part::Document, root, &mut |part, members| {
        if part == Part::Schema {
            schema(members);
        }
    });
}

fn schema(schema: &mut Map<String, Value>) {
    let Some(types) = schema.get("type").and_then(Value::as_array) else {
        return;
    };
    let known = ["string", "integer", "number", "boolean", "array", "object", "null"];
    let mut names: Vec<String> = types.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let valid = names.len() == types.len() && names.iter().all(|name| known.contains(&name.as_str()));
    let composed = ["$ref", "oneOf", "anyOf", "allOf", "enum", "x-extensible-enum", "const"];
    if !valid || composed.iter().any(|key| schema.contains_key(*key)) {
        return;
    }
    // A whole number is a number.
    if names.iter().any(|name| name == "number") {
        names.retain(|name| name != "integer");
    }
    if names.iter().filter(|name| *name != "null").count() < 2 {
        let types = if let [one] = names.as_slice() {
            json!(one)
        } else {
            json!(names)
        };
        schema.insert("type".to_owned(), types);
        return;
    }
    // The first type that a keyword applies to gets it.
    let mut choices = Vec::new();
    for name in &names {
        let mut choice = Map::from_iter([("type".to_owned(), json!(name))]);
        let own = KEYWORDS.iter().find(|(known, _)| known == name);
        for key in own.into_iter().flat_map(|(_, keys)| *keys) {
            choice.extend(schema.shift_remove_entry(*key));
        }
        choices.push(Value::Object(choice));
    }
    schema.shift_remove("type");
    schema.insert("oneOf".to_owned(), Value::Array(choices));
}
