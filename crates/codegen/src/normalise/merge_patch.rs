//! Merge patches (RFC 7396) of third-party documents: null removes a member, and differs from its absence.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::document::essence;
use crate::source::{Part, schema_name, walk};

const MERGE_PATCH: &str = "application/merge-patch+json";

/// Marks the nullable members of merge patches.
pub(super) fn mark(root: &mut Value) {
    let mut patches = BTreeSet::new();
    walk(Part::Document, root, &mut |part, body| {
        if part != Part::RequestBody {
            return;
        }
        let contents = body
            .get_mut("content")
            .and_then(Value::as_object_mut)
            .into_iter()
            .flatten();
        for (_, media) in contents.filter(|(name, _)| essence(name) == MERGE_PATCH) {
            let target = media["schema"]["$ref"].as_str().unwrap_or_default();
            patches.extend(schema_name(target).map(str::to_owned));
            if let Some(schema) = media.get_mut("schema").and_then(Value::as_object_mut) {
                members(schema);
            }
        }
    });
    let schemas = root.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for (_, schema) in schemas
        .into_iter()
        .flatten()
        .filter(|(name, _)| patches.contains(*name))
    {
        if let Some(schema) = schema.as_object_mut() {
            members(schema);
        }
    }
}

fn members(schema: &mut Map<String, Value>) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let is_required = required
            .as_array()
            .is_some_and(|names| names.iter().any(|known| known == name));
        if let Some(property) = property.as_object_mut()
            && !is_required
            && !property.contains_key("default")
            && is_nullable(property)
        {
            property.insert("x-distinguish-null".to_owned(), json!(true));
        }
    }
}

/// Returns whether a normalised property allows null.
fn is_nullable(property: &Map<String, Value>) -> bool {
    let has = |key: &str, null: &dyn Fn(&Value) -> bool| {
        let all = property.get(key).and_then(Value::as_array);
        all.is_some_and(|all| all.iter().any(null))
    };
    let is_null = |choice: &Value| choice["type"] == "null";
    has("type", &|name| name == "null") || has("oneOf", &is_null) || has("anyOf", &is_null)
}
