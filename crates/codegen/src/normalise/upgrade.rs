//! Converts OpenAPI 3.0 to 3.1, and equivalent spellings to one; drops members that only document.

use serde_json::{Map, Value, json};

use super::{bodies, servers};
use crate::source::{Part, walk};

/// Members that only document, of any object.
const DOCUMENTATION: [&str; 7] = [
    "externalDocs",
    "xml",
    "example",
    "examples",
    "links",
    "callbacks",
    "contact",
];

/// Keys that a schema within another one may not have, as only a property or a named schema is documented.
const ANNOTATIONS: [&str; 9] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "x-deprecation",
    "readOnly",
    "writeOnly",
    "$comment",
];

/// Extensions that the document, or an overlay of it, chooses.
const CHOSEN: [&str; 8] = [
    "x-rust-name",
    "x-rust-names",
    "x-short-name",
    "x-tag",
    "x-extensible-enum",
    "x-pagination",
    "x-rounded",
    "x-sensitive",
];

/// Rewrites the whole document.
pub(super) fn upgrade(root: &mut Value) {
    let old = root["openapi"]
        .as_str()
        .is_some_and(|version| version.starts_with("3.0"));
    if old {
        root["openapi"] = json!("3.1.1");
    }
    if let Some(components) = root.get_mut("components").and_then(Value::as_object_mut) {
        for section in ["examples", "links", "callbacks"] {
            components.shift_remove(section);
        }
    }
    if root.get("components").is_none() {
        root["components"] = json!({});
    }
    servers::normalise(root);
    info(root);
    walk(Part::Document, root, &mut |part, members| {
        members.retain(|key, _| {
            let ours = CHOSEN.contains(&key.as_str());
            !(key.starts_with("x-") && !ours || part != Part::Components && DOCUMENTATION.contains(&key.as_str()))
        });
        match part {
            Part::Schema => schema(members),
            Part::Operation => bodies::responses(members),
            Part::Response if !members.contains_key("$ref") => {
                members.entry("description").or_insert_with(|| json!(""));
                bodies::content(part, members);
            }
            Part::RequestBody => bodies::content(part, members),
            Part::Parameter | Part::Header => {
                members.shift_remove("allowEmptyValue");
            }
            _ => {}
        }
        if part != Part::Schema && part.section().is_some() && members.contains_key("$ref") && part != Part::PathItem {
            members.retain(|key, _| key == "$ref");
        }
    });
}

/// Drops annotations that the grammar does not have, once inline schemas have names.
pub(super) fn annotations(root: &mut Value) {
    walk(Part::Document, root, &mut |part, members| {
        if members.get("deprecated") == Some(&json!(true)) && !members.contains_key("x-deprecation") {
            members.insert(
                "x-deprecation".to_owned(),
                json!({ "advice": "see the documentation of the service" }),
            );
        }
        if members.get("deprecated") == Some(&json!(false)) {
            members.shift_remove("deprecated");
        }
        for (key, member) in members.iter_mut() {
            let Some(member) = member.as_object_mut().filter(|_| part.member(key) == Part::Schema) else {
                continue;
            };
            match part {
                Part::Parameter => member.retain(|key, _| key == "default" || !ANNOTATIONS.contains(&key.as_str())),
                _ => member.retain(|key, _| !ANNOTATIONS.contains(&key.as_str())),
            }
        }
        for key in ["oneOf", "anyOf", "allOf"] {
            for choice in members.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(choice) = choice.as_object_mut() {
                    choice.retain(|key, _| !ANNOTATIONS.contains(&key.as_str()));
                }
            }
        }
    });
}

/// Keeps title, version, and the other members of the grammar.
fn info(root: &mut Value) {
    if !root["info"].is_object() {
        root["info"] = json!({});
    }
    if let Some(info) = root["info"].as_object_mut() {
        info.retain(|key, value| {
            ["title", "version", "summary", "description"].contains(&key.as_str()) && value.is_string()
        });
        info.entry("title").or_insert_with(|| json!("The service"));
        info.entry("version").or_insert_with(|| json!("0"));
    }
}

fn schema(schema: &mut Map<String, Value>) {
    null_choices(schema);
    let nullable = schema.shift_remove("nullable") == Some(json!(true));
    if schema.contains_key("$ref") {
        schema.retain(|key, _| ["$ref", "description", "deprecated"].contains(&key.as_str()));
    }
    if schema.get("required").is_some_and(|required| !required.is_array()) {
        // The `required` of a property itself, of JSON Schema draft 3.
        schema.shift_remove("required");
    }
    for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        match schema.get(exclusive) {
            Some(Value::Bool(true)) => match schema.shift_remove(bound) {
                Some(value) => drop(schema.insert(exclusive.to_owned(), value)),
                None => drop(schema.shift_remove(exclusive)),
            },
            Some(Value::Bool(false)) => drop(schema.shift_remove(exclusive)),
            _ => {}
        }
    }
    types(schema);
    if schema.get("default").is_some_and(Value::is_null) {
        schema.shift_remove("default");
    }
    if nullable {
        make_nullable(schema);
    }
}

/// Writes a choice that only says `nullable: true`, or lists null alone, as null.
fn null_choices(schema: &mut Map<String, Value>) {
    for key in ["oneOf", "anyOf"] {
        for choice in schema.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            let said = choice.as_object().into_iter().flatten();
            let said: Vec<_> = said.filter(|(key, _)| !ANNOTATIONS.contains(&key.as_str())).collect();
            let only_null = match said.as_slice() {
                [(key, value)] if *key == "nullable" => **value == true,
                _ => choice["enum"].as_array().is_some_and(|values| *values == [Value::Null]),
            };
            if only_null {
                *choice = json!({ "type": "null" });
            }
        }
    }
}

/// Sets one type, or one and `"null"`, in this order; a missing one is derived from other keywords.
fn types(schema: &mut Map<String, Value>) {
    if let Some(list) = schema.get("type").and_then(Value::as_array) {
        let (null, types): (Vec<_>, Vec<_>) = list.iter().cloned().partition(|name| name == "null");
        let types = match (types.as_slice(), null.as_slice()) {
            ([one], []) => Some(one.clone()),
            ([one], _) => Some(json!([one, "null"])),
            ([], _) => Some(json!("null")),
            // Several types in one: its values decide, or it is split later.
            _ if schema.contains_key("enum") || schema.contains_key("const") => None,
            _ => return,
        };
        match types {
            Some(types) => drop(schema.insert("type".to_owned(), types)),
            None => drop(schema.shift_remove("type")),
        }
        return;
    }
    if schema.contains_key("type")
        || ["$ref", "oneOf", "anyOf", "allOf"]
            .iter()
            .any(|key| schema.contains_key(*key))
    {
        return;
    }
    let known = if schema.contains_key("properties") || schema.contains_key("additionalProperties") {
        "object"
    } else if schema.contains_key("items") {
        "array"
    } else if let Some(values) = schema.get("enum").and_then(Value::as_array)
        && values.iter().all(|value| value.is_string() || value.is_null())
    {
        "string"
    } else {
        return;
    };
    schema.insert("type".to_owned(), json!(known));
}

/// `nullable: true` of OpenAPI 3.0.
fn make_nullable(schema: &mut Map<String, Value>) {
    if let Some(Value::String(name)) = schema.get("type") {
        let types = json!([name, "null"]);
        schema.insert("type".to_owned(), types);
        return;
    }
    let single = schema
        .get("allOf")
        .and_then(Value::as_array)
        .filter(|all| all.len() == 1);
    let target = match (schema.get("$ref"), single) {
        (Some(target), _) => json!({ "$ref": target }),
        (None, Some(all)) => all[0].clone(),
        _ => {
            for key in ["oneOf", "anyOf"] {
                if let Some(choices) = schema.get_mut(key).and_then(Value::as_array_mut)
                    && !choices.iter().any(|choice| choice["type"] == "null")
                {
                    choices.push(json!({ "type": "null" }));
                }
            }
            return;
        }
    };
    schema.shift_remove("$ref");
    schema.shift_remove("allOf");
    schema.insert("oneOf".to_owned(), json!([target, { "type": "null" }]));
}
