//! JSON Schemas of arguments, from the schemas of the document.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::plain::plain;

/// The place of schemas in the document.
const COMPONENT: &str = "#/components/schemas/";
/// The place of schemas in those of a tool.
const DEFINITION: &str = "#/$defs/";

/// Keywords that are kept as they are.
const KEPT: [&str; 22] = [
    "type",
    "format",
    "enum",
    "const",
    "default",
    "required",
    "deprecated",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "contentMediaType",
    "contentEncoding",
];

/// The schema of a parameter or of a body, without what has no meaning in JSON Schema.
pub(super) fn of_argument(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        // No schema, or `true` and `false`.
        return match schema {
            Value::Bool(accepts) => Value::Bool(*accepts),
            _ => json!({}),
        };
    };
    let mut kept = Map::new();
    for (key, value) in members {
        let value = match key.as_str() {
            "$ref" => match value.as_str().and_then(|target| target.strip_prefix(COMPONENT)) {
                Some(name) => json!(format!("{DEFINITION}{name}")),
                None => continue,
            },
            "title" | "description" => json!(plain(value.as_str().unwrap_or_default())),
            "properties" | "patternProperties" => of_each(value),
            "items" | "additionalProperties" | "propertyNames" | "not" => of_argument(value),
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                let schemas = value.as_array().into_iter().flatten();
                Value::Array(schemas.map(of_argument).collect())
            }
            key if KEPT.contains(&key) => value.clone(),
            _ => continue,
        };
        kept.insert(key.clone(), value);
    }
    Value::Object(kept)
}

/// The schema of a text.
pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

/// The schemas of the document that arguments refer to, directly or by others.
pub(super) fn named(bundle: &Value, arguments: impl Iterator<Item = Value>) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let mut names = Vec::new();
    arguments.for_each(|schema| references(&schema, &mut names));
    while let Some(name) = names.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let schema = of_argument(&bundle["components"]["schemas"][&name]);
        references(&schema, &mut names);
        found.insert(name, schema);
    }
    found
}

/// The schema of each member.
fn of_each(schemas: &Value) -> Value {
    let members = schemas.as_object().into_iter().flatten();
    members
        .map(|(name, schema)| (name.clone(), of_argument(schema)))
        .collect()
}

/// Adds the names of the schemas that a schema refers to.
fn references(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value.as_str().and_then(|text| text.strip_prefix(DEFINITION)) {
                    Some(name) if key == "$ref" => names.push(name.to_owned()),
                    _ => references(value, names),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{named, of_argument};

    #[test]
    fn properties_are_not_keywords() {
        let schema = json!({
            "type": "object",
            "x-tag": "users",
            "examples": [{}],
            "properties": { "examples": { "type": "array", "items": { "$ref": "#/components/schemas/Example" } } },
            "description": "An *object*.\nOf two lines.",
        });
        let expected = json!({
            "type": "object",
            "properties": { "examples": { "type": "array", "items": { "$ref": "#/$defs/Example" } } },
            "description": "An object. Of two lines.",
        });
        assert_eq!(of_argument(&schema), expected);
    }

    #[test]
    fn named_schemas_are_those_that_are_needed() {
        let bundle = json!({ "components": { "schemas": {
            "A": { "anyOf": [{ "$ref": "#/components/schemas/B" }, { "$ref": "#/components/schemas/A" }] },
            "B": { "type": "string" },
            "C": { "type": "string" },
        } } });
        let argument = of_argument(&json!({ "items": { "$ref": "#/components/schemas/A" } }));
        let names: Vec<_> = named(&bundle, [argument].into_iter()).into_keys().collect();
        assert_eq!(names, ["A", "B"]);
    }
}
