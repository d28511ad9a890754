//! Objects with keywords beside their properties that have no form in Rust: their further members are any JSON.

use serde_json::{Map, Value, json};

use super::path::Step;
use super::remedy::Remedy;
use crate::source::Part;

/// Keywords that add members to an object.
const ADDING: [&str; 3] = ["oneOf", "anyOf", "patternProperties"];

/// Maximum number of references and parts that are followed.
const DEPTH: usize = 16;

/// The object without the keyword, whose further members are kept as any JSON.
pub(super) fn remedy(root: &Value, steps: &[Step<'_>]) -> Option<Remedy> {
    let [.., holder, keyword] = steps else { return None };
    if holder.part != Part::Schema || !ADDING.contains(&keyword.key.as_str()) {
        return None;
    }
    // Of a part of `allOf`, the whole is the object.
    let whole = match steps {
        [.., schema, list, _, _] if list.key == "allOf" => schema,
        _ => holder,
    };
    let mut schema = whole.value.as_object()?.clone();
    if !removed(root, &mut schema, &keyword.key, 0) || !is_object(root, &Value::Object(schema.clone()), 0) {
        return None;
    }
    schema.insert("type".to_owned(), json!("object"));
    let others = schema.entry("additionalProperties").or_insert(json!(true));
    if *others == false {
        *others = json!(true);
    }
    let consequence = "its other members are kept as any JSON";
    Some(Remedy::Set(whole.at.clone(), Value::Object(schema), consequence))
}

/// Removes a keyword from a schema and the parts of its `allOf`, and the parts that refer to a schema with it; returns
/// whether there was one.
fn removed(root: &Value, schema: &mut Map<String, Value>, keyword: &str, depth: usize) -> bool {
    let mut found = schema.shift_remove(keyword).is_some();
    let Some(parts) = schema.get_mut("allOf").and_then(Value::as_array_mut) else {
        return found;
    };
    let before = parts.len();
    parts.retain(|part| part.get("$ref").is_none() || !has(root, part, keyword, 0));
    found |= parts.len() < before;
    for part in parts.iter_mut().filter_map(Value::as_object_mut) {
        found |= depth < DEPTH && removed(root, part, keyword, depth + 1);
    }
    parts.retain(|part| part.as_object().is_none_or(|part| !part.is_empty()));
    if parts.is_empty() {
        schema.shift_remove("allOf");
    }
    found
}

/// Returns whether a schema, or one that it refers to or is composed of, has a keyword.
fn has(root: &Value, schema: &Value, keyword: &str, depth: usize) -> bool {
    let target = schema["$ref"]
        .as_str()
        .and_then(|target| root.pointer(target.strip_prefix('#')?));
    let schema = target.unwrap_or(schema);
    let mut parts = schema["allOf"].as_array().into_iter().flatten();
    schema.get(keyword).is_some() || depth < DEPTH && parts.any(|part| has(root, part, keyword, depth + 1))
}

/// Returns whether a schema has properties.
fn is_object(root: &Value, schema: &Value, depth: usize) -> bool {
    let target = schema["$ref"]
        .as_str()
        .and_then(|target| root.pointer(target.strip_prefix('#')?));
    let schema = target.unwrap_or(schema);
    let mut parts = schema["allOf"].as_array().into_iter().flatten();
    schema["type"] == "object"
        || schema["properties"].is_object()
        || depth < DEPTH && parts.any(|part| is_object(root, part, depth + 1))
}
