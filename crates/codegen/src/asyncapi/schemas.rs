//! The schemas of events, in AsyncAPI's own dialect: JSON Schema draft 7 with a `discriminator` that is a text.
//!
//! Parsers check schemas of that dialect without a plug-in, and those of OpenAPI 3.1 not at all.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::source::{Part, schema_name, walk};

/// The schemas that payloads refer to, directly or not, in the order of the document.
pub(super) fn reachable<'d>(payloads: impl Iterator<Item = &'d str>, schemas: &Value) -> Value {
    let (mut seen, mut next) = (BTreeSet::new(), Vec::new());
    next.extend(payloads.map(str::to_owned));
    while let Some(name) = next.pop() {
        let Some(mut schema) = schemas.get(&name).cloned() else {
            continue;
        };
        if seen.insert(name) {
            walk(Part::Schema, &mut schema, &mut |part, members| {
                let target = members.get("$ref").filter(|_| part == Part::Schema);
                let target = target.and_then(Value::as_str);
                next.extend(target.and_then(|target| Some(schema_name(target)?.to_owned())));
            });
        }
    }
    let reached = schemas.as_object().into_iter().flatten();
    let reached = reached.filter(|(name, _)| seen.contains(*name)).map(|(name, schema)| {
        let mut schema = schema.clone();
        walk(Part::Schema, &mut schema, &mut |part, members| {
            if part == Part::Schema {
                convert(members);
            }
        });
        (name.clone(), schema)
    });
    Value::Object(reached.collect())
}

/// One schema, without those in it.
fn convert(schema: &mut Map<String, Value>) {
    // The schemas that it refers to are not those of payloads.
    schema.shift_remove("x-value-attributes");
    discriminator(schema);
    beside_reference(schema);
}

/// Draft 7 ignores siblings of `$ref`: the reference becomes a part of `allOf`, unless only documentation stands there.
/// That may be ignored, and generators name no type after an `allOf`.
fn beside_reference(schema: &mut Map<String, Value>) {
    let is_documentation = |key: &String| ["$ref", "description"].contains(&key.as_str()) || key.starts_with("x-");
    if schema.keys().all(is_documentation) {
        return;
    }
    let Some(target) = schema.shift_remove("$ref") else {
        return;
    };
    let part = json!({ "$ref": target });
    match schema.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(parts) => parts.insert(0, part),
        None => {
            let others = std::mem::take(schema);
            schema.insert("allOf".to_owned(), json!([part]));
            schema.extend(others);
        }
    }
}

/// AsyncAPI has the name of the property alone, whose values are names of schemas. Where a `mapping` says otherwise, the union
/// alone decides, and the discriminator remains as an extension.
fn discriminator(schema: &mut Map<String, Value>) {
    let Some(Value::Object(discriminator)) = schema.get("discriminator") else {
        return;
    };
    if discriminator.contains_key("mapping") {
        let discriminator = schema.shift_remove("discriminator");
        schema.extend(discriminator.map(|value| ("x-discriminator".to_owned(), value)));
    } else {
        let name = discriminator.get("propertyName").cloned().unwrap_or_default();
        schema.insert("discriminator".to_owned(), name);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::reachable;

    #[test]
    fn what_stands_beside_a_reference_counts_and_data_is_left_alone() {
        let schemas = json!({
            "Unused": { "type": "string" },
            "Base": { "type": "object", "default": { "$ref": "#/components/schemas/Unused", "more": 1 } },
            "Event": {
                "properties": {
                    "$ref": { "type": "string" },
                    "base": { "$ref": "#/components/schemas/Base", "description": "The base.", "x-sensitive": true },
                    "old": { "$ref": "#/components/schemas/Base", "description": "The base.", "deprecated": true },
                    "both": { "$ref": "#/components/schemas/Base", "allOf": [{ "type": "object" }] },
                },
            },
        });
        let expected = json!({
            "Base": schemas["Base"],
            "Event": {
                "properties": {
                    "$ref": { "type": "string" },
                    "base": schemas["Event"]["properties"]["base"],
                    "old": {
                        "allOf": [{ "$ref": "#/components/schemas/Base" }],
                        "description": "The base.",
                        "deprecated": true,
                    },
                    "both": { "allOf": [{ "$ref": "#/components/schemas/Base" }, { "type": "object" }] },
                },
            },
        });
        assert_eq!(reachable(["Event"].into_iter(), &schemas), expected);
    }

    #[test]
    fn a_discriminator_is_the_name_of_its_property() {
        let schemas = json!({
            "Plain": { "oneOf": [{ "$ref": "#/components/schemas/Mapped" }], "discriminator": { "propertyName": "kind" } },
            "Mapped": { "oneOf": [], "discriminator": { "propertyName": "kind", "mapping": { "a": "Plain" } } },
        });
        let expected = json!({
            "Plain": { "oneOf": [{ "$ref": "#/components/schemas/Mapped" }], "discriminator": "kind" },
            "Mapped": { "oneOf": [], "x-discriminator": { "propertyName": "kind", "mapping": { "a": "Plain" } } },
        });
        assert_eq!(reachable(["Plain"].into_iter(), &schemas), expected);
    }
}
