//! JSON Schema of the arguments of a tool.

use serde_json::{Map, Value, json};
use wearlab_kit_cli::{BODY, Commands};
use wearlab_kit_types::JsonObject;

use crate::tools::Tool;

/// The reference to a schema of the document, in front of its name.
const REFERENCE: &str = "#/$defs/";

/// The schema of an object with a member for each parameter, and one for the body.
pub(crate) fn arguments<C: Commands>(tool: &Tool<C>, schemas: &[(&str, &str)]) -> JsonObject {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    let mut add = |name: String, schema: &str, help: &str, is_required: bool| {
        if is_required {
            required.push(Value::from(name.clone()));
        }
        properties.insert(name, described(schema, help));
    };
    for (parameter, schema) in tool.operation.parameters.iter().zip(tool.parameters) {
        add(parameter.name(), schema, parameter.help, parameter.required);
    }
    if let (Some(body), Some(schema)) = (&tool.operation.body, tool.body) {
        add(BODY.to_owned(), schema, body.help, body.required);
    }
    let definitions = definitions(&properties, schemas);
    let mut whole = Map::new();
    whole.insert("type".to_owned(), json!("object"));
    whole.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        whole.insert("required".to_owned(), required.into());
    }
    whole.insert("additionalProperties".to_owned(), json!(false));
    if !definitions.is_empty() {
        whole.insert("$defs".to_owned(), definitions.into());
    }
    whole
}

/// A schema with a description.
fn described(schema: &str, help: &str) -> Value {
    let mut schema = parse(schema);
    if let Some(members) = schema.as_object_mut().filter(|_| !help.is_empty()) {
        members.insert("description".to_owned(), json!(help));
    }
    schema
}

/// The schemas that are referred to, directly or by others.
fn definitions(properties: &JsonObject, schemas: &[(&str, &str)]) -> JsonObject {
    let mut found = Map::new();
    let mut names = Vec::new();
    properties.values().for_each(|schema| references(schema, &mut names));
    while let Some(name) = names.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let text = schemas.iter().find(|(known, _)| *known == name);
        let schema = text.map_or(Value::Bool(true), |(_, text)| parse(text));
        references(&schema, &mut names);
        found.insert(name, schema);
    }
    found.sort_keys();
    found
}

/// Adds the names of the schemas that a schema refers to.
fn references(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value.as_str().and_then(|text| text.strip_prefix(REFERENCE)) {
                    Some(name) if key == "$ref" => names.push(name.to_owned()),
                    _ => references(value, names),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        _ => {}
    }
}

/// The schema of a text of generated code, which is JSON. Any other one accepts every value.
fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::{definitions, described};

    #[test]
    fn definitions_are_those_that_are_needed() {
        let mut properties = Map::new();
        properties.insert("body".to_owned(), json!({ "items": { "$ref": "#/$defs/Tree" } }));
        let schemas = [
            ("Other", "{}"),
            ("Leaf", r#"{"type":"string"}"#),
            (
                "Tree",
                r##"{"anyOf":[{"$ref":"#/$defs/Leaf"},{"type":"array","items":{"$ref":"#/$defs/Tree"}}]}"##,
            ),
        ];
        let found = definitions(&properties, &schemas);
        let names: Vec<_> = found.keys().map(String::as_str).collect();
        assert_eq!(names, ["Leaf", "Tree"]);
        assert_eq!(found["Leaf"], json!({ "type": "string" }));
    }

    #[test]
    fn a_description_is_added() {
        let schema = described(r#"{"type":"integer"}"#, "The size.");
        assert_eq!(schema, json!({ "type": "integer", "description": "The size." }));
        assert_eq!(described("{}", ""), json!({}));
    }
}
