//! Choices beside members of third-party documents: `oneOf` beside `properties`, or in a part of `allOf`. Each choice
//! becomes an object with all members.

use serde_json::{Map, Value, json};

use crate::source::{Part, Source, schema_name, walk_at};

/// Maximum number of choices inside each other.
const DEPTH: usize = 3;

/// Keywords of the members of an object.
const MEMBERS: [&str; 5] = ["type", "properties", "required", "additionalProperties", "allOf"];

/// Rewrites the schemas of a document.
pub(super) fn flatten(source: &mut Source<'_>) {
    let mut root = std::mem::take(&mut source.value);
    let schemas = root["components"]["schemas"].clone();
    walk_at(Part::Document, "", &mut root, &mut |part, at, schema| {
        if part != Part::Schema || at.matches("Of/").count() > DEPTH {
            return;
        }
        lift(schema, &schemas);
        let Some(key) = ["oneOf", "anyOf"]
            .into_iter()
            .find(|key| is_beside_members(schema, key))
        else {
            return;
        };
        let choices = schema.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let own = at
            .strip_prefix("/components/schemas/")
            .filter(|name| !name.contains('/'));
        let circular = choices
            .iter()
            .any(|choice| own.is_some_and(|own| extends(choice, own, &schemas, DEPTH)));
        // Others become an open object later, with a note.
        if circular || !choices.iter().all(|choice| is_object(choice, &schemas, DEPTH)) {
            return;
        }
        let mut members = Map::new();
        for name in MEMBERS {
            members.extend(schema.shift_remove_entry(name));
        }
        schema.shift_remove("discriminator");
        let mut shared = match members.shift_remove("allOf") {
            Some(Value::Array(parts)) => parts,
            _ => Vec::new(),
        };
        let nullable = members.get("type") == Some(&json!(["object", "null"]));
        if members.contains_key("type") {
            members.insert("type".to_owned(), json!("object"));
        }
        if members.keys().any(|key| key != "type") {
            shared.push(Value::Object(members));
        }
        let mut wholes: Vec<_> = choices.iter().map(|choice| whole(choice, &shared)).collect();
        if nullable {
            wholes.push(json!({ "type": "null" }));
        }
        schema.insert(key.to_owned(), Value::Array(wholes));
    });
    source.value = root;
}

/// A choice with the parts that all choices share, named after it.
fn whole(choice: &Value, shared: &[Value]) -> Value {
    let parts: Vec<_> = std::iter::once(choice).chain(shared).collect();
    match target(choice) {
        Some(name) => json!({ "title": name, "allOf": parts }),
        None => json!({ "allOf": parts }),
    }
}

/// Returns whether a schema has choices, and members of its own.
fn is_beside_members(schema: &Map<String, Value>, key: &str) -> bool {
    let choices = schema.get(key).and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    let parts = schema.get("allOf").and_then(Value::as_array);
    choices.is_some_and(|choices| !choices.is_empty())
        && (properties.is_some_and(|all| !all.is_empty()) || parts.is_some_and(|all| !all.is_empty()))
}

/// Moves the choices of one part of an `allOf` beside the other parts.
fn lift(schema: &mut Map<String, Value>, schemas: &Value) {
    if ["oneOf", "anyOf"].iter().any(|key| schema.contains_key(*key)) {
        return;
    }
    let Some(parts) = schema.get("allOf").and_then(Value::as_array).cloned() else {
        return;
    };
    let others = parts.len() > 1 || schema.contains_key("properties");
    let found = parts.iter().enumerate().find_map(|(index, part)| {
        let target = resolve(part, schemas, DEPTH)?;
        let key = ["oneOf", "anyOf"].into_iter().find(|key| target.contains_key(*key))?;
        let only = target
            .keys()
            .all(|name| name == key || name == "discriminator" || name == "description");
        only.then(|| (index, key, target[key].clone()))
    });
    if let Some((index, key, choices)) = found.filter(|_| others) {
        let rest: Vec<_> = parts.iter().enumerate().filter(|(other, _)| *other != index).collect();
        let rest: Vec<_> = rest.into_iter().map(|(_, part)| part.clone()).collect();
        match rest.is_empty() {
            true => drop(schema.shift_remove("allOf")),
            false => drop(schema.insert("allOf".to_owned(), json!(rest))),
        }
        schema.insert(key.to_owned(), choices);
    }
}

/// The schema that a reference leads to, or itself.
fn resolve<'v>(schema: &'v Value, schemas: &'v Value, depth: usize) -> Option<&'v Map<String, Value>> {
    match target(schema).and_then(|name| schemas.get(name)) {
        Some(next) if depth > 0 => resolve(next, schemas, depth - 1),
        _ => schema.as_object(),
    }
}

fn target(schema: &Value) -> Option<&str> {
    schema_name(schema["$ref"].as_str()?)
}

/// Returns whether all values of a schema are objects.
fn is_object(schema: &Value, schemas: &Value, depth: usize) -> bool {
    let Some(schema) = resolve(schema, schemas, depth) else {
        return false;
    };
    let each = |key: &str| {
        let parts = schema.get(key).and_then(Value::as_array);
        parts.is_some_and(|parts| depth > 0 && parts.iter().all(|part| is_object(part, schemas, depth - 1)))
    };
    schema.get("type") == Some(&json!("object")) || ["allOf", "oneOf", "anyOf"].into_iter().any(each)
}

/// Returns whether a schema contains the named one in its `allOf`.
fn extends(schema: &Value, name: &str, schemas: &Value, depth: usize) -> bool {
    if target(schema) == Some(name) {
        return true;
    }
    let parts = resolve(schema, schemas, DEPTH).and_then(|schema| schema.get("allOf")?.as_array());
    let mut parts = parts.into_iter().flatten();
    depth > 0 && parts.any(|part| extends(part, name, schemas, depth - 1))
}
