//! Members of third-party objects that several parts of an `allOf` declare: one schema of all its declarations.

use serde_json::{Map, Value, json};

use crate::source::{Part, join, key_of, schema_name, walk_at};

/// Nesting of `allOf` up to which members are looked for.
const DEPTH: usize = 8;

/// Nesting of members that are merged.
const NESTED: usize = 3;

/// Keywords that only document.
const WORDS: [&str; 5] = ["title", "description", "deprecated", "default", "x-tag"];

/// Members with their different declarations.
type Declared = Vec<(String, Vec<Value>)>;

/// Adds a part with these members in front of the others, which then say less.
pub(super) fn merge(root: &mut Value) {
    let schemas = root["components"]["schemas"].clone();
    walk_at(Part::Document, "", root, &mut |part, at, schema| {
        if part != Part::Schema || !schema.contains_key("allOf") || at.matches("/allOf/0/").count() > NESTED {
            return;
        }
        let mut declared = Declared::new();
        collect(&Value::Object(schema.clone()), &schemas, DEPTH, &mut declared);
        let members = declared
            .into_iter()
            .filter_map(|(name, all)| Some((name, whole(all, &schemas, DEPTH)?)));
        let members: Map<_, _> = members.collect();
        if let Some(parts) = schema.get_mut("allOf").and_then(Value::as_array_mut)
            && !members.is_empty()
        {
            parts.insert(0, json!({ "type": "object", "properties": members }));
        }
    });
}

/// Collects the members of a schema and of its parts.
fn collect(schema: &Value, schemas: &Value, depth: usize, declared: &mut Declared) {
    let Some(below) = depth.checked_sub(1) else { return };
    let schema = resolve(schema, schemas);
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect(part, schemas, below, declared);
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let mut member = member.clone();
        if let Some(member) = member.as_object_mut() {
            member.retain(|key, _| !WORDS.contains(&key.as_str()));
        }
        match declared.iter_mut().find(|(known, _)| known == name) {
            Some((_, all)) if all.contains(&member) => {}
            Some((_, all)) => all.push(member),
            None => declared.push((name.clone(), vec![member])),
        }
    }
}

/// One schema of several: of objects, or of lists of these. None for others, and where one of them says all.
fn whole(mut all: Vec<Value>, schemas: &Value, depth: usize) -> Option<Value> {
    let below = depth.checked_sub(1)?;
    let others = all.clone();
    all.retain(|schema| !others.iter().any(|other| extends(other, schema, schemas, DEPTH)));
    if all.len() < 2 {
        return None;
    }
    if all.iter().all(|schema| has_members(schema, schemas, DEPTH)) {
        return Some(json!({ "allOf": all }));
    }
    let mut distinct = Vec::new();
    for schema in &all {
        let items = resolve(schema, schemas).get("items")?;
        if !distinct.contains(items) {
            distinct.push(items.clone());
        }
    }
    Some(json!({ "type": "array", "items": whole(distinct, schemas, below)? }))
}

/// Returns whether a schema has another one as a part.
fn extends(schema: &Value, other: &Value, schemas: &Value, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else {
        return false;
    };
    let parts = resolve(schema, schemas)["allOf"].as_array();
    let mut parts = parts.into_iter().flatten();
    parts.any(|part| part == other || extends(part, other, schemas, below))
}

fn has_members(schema: &Value, schemas: &Value, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else {
        return false;
    };
    let schema = resolve(schema, schemas);
    let parts = schema["allOf"].as_array();
    schema["properties"].is_object()
        || parts.is_some_and(|parts| parts.iter().all(|part| has_members(part, schemas, below)))
}

fn resolve<'v>(schema: &'v Value, schemas: &'v Value) -> &'v Value {
    let name = schema["$ref"].as_str().and_then(schema_name);
    let target = name.and_then(|name| schemas.pointer(&join("", &key_of(name))));
    target.unwrap_or(schema)
}
