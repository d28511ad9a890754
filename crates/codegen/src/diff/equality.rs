//! Equality of schemas, except for their documentation.

use serde_json::Value;

/// Keys that do not distinguish two schemas.
const SAYING: [&str; 12] = [
    "deprecated",
    "description",
    "examples",
    "title",
    "x-tag",
    "x-assumption",
    "x-columns",
    "x-deprecation",
    "x-masked",
    "x-optional-for-readers",
    "x-sensitive",
    "x-value-attributes",
];

/// A schema without the keys that do not distinguish it from another.
pub(super) fn without(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else {
        return schema.clone();
    };
    let kept = members.iter().filter(|(key, _)| !SAYING.contains(&key.as_str()));
    kept.map(|(key, value)| {
        let value = match value {
            Value::Object(named) if key == "properties" => named
                .iter()
                .map(|(name, property)| (name.clone(), without(property)))
                .collect(),
            other => without(other),
        };
        (key.clone(), value)
    })
    .collect()
}
