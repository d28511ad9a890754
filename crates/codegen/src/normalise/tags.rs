//! Tags of third-party documents: one for each operation and schema, each of them a module.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::names::snake_name;
use super::operations::each;
use crate::document::{is_module, trait_of};

/// The tag of schemas that several tags use.
const SHARED: &str = "shared_types";

/// Gives each operation and schema one tag, and declares the tags.
pub(super) fn complete(root: &mut Value) {
    let mut described: HashMap<String, String> = HashMap::new();
    for tag in root["tags"].as_array().into_iter().flatten() {
        if let (Some(name), Some(text)) = (tag["name"].as_str(), tag["description"].as_str()) {
            described.insert(module(name), text.to_owned());
        }
    }
    let mut tags: Vec<String> = Vec::new();
    // References by tag: the schemas that operations use.
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |operation: &mut Value, derived: &str| {
        let own = operation["tags"][0].as_str().map(module);
        let tag = alike(&tags, own.unwrap_or_else(|| module(derived)));
        operation["tags"] = json!([tag]);
        references(operation, &mut |target| {
            users.entry(target.to_owned()).or_default().push(tag.clone());
        });
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    };
    each(root, |path, _, operation| {
        let steps = path
            .split('/')
            .filter(|step| !step.is_empty() && !step.starts_with('{'));
        // Versions of a whole interface do not describe a path.
        let step = steps.clone().find(|step| !is_version(step)).unwrap_or("other");
        add(operation, step);
    });
    for (_, item) in root
        .get_mut("webhooks")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
    {
        if let Some(post) = item.get_mut("post").filter(|post| post.is_object()) {
            add(post, "events");
        }
    }
    spread(root, &mut users);
    let mut shared = false;
    let fallback = tags.first().cloned().unwrap_or_else(|| SHARED.to_owned());
    let schemas = root.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for (name, schema) in schemas.into_iter().flatten() {
        let Some(schema) = schema.as_object_mut() else { continue };
        let chosen = schema.get("x-tag").and_then(Value::as_str);
        let chosen = chosen.map(|name| alike(&tags, module(name)));
        let found = users.get(&format!("#/components/schemas/{name}"));
        let tag = chosen.unwrap_or_else(|| match found.map(Vec::as_slice) {
            Some([one]) => one.clone(),
            None | Some([]) => fallback.clone(),
            Some(_) => SHARED.to_owned(),
        });
        shared |= tag == SHARED;
        if tag != SHARED && !tags.contains(&tag) {
            tags.push(tag.clone());
        }
        schema.insert("x-tag".to_owned(), json!(tag));
    }
    if (shared || tags.is_empty()) && !tags.iter().any(|tag| tag == SHARED) {
        tags.push(SHARED.to_owned());
    }
    let tags = tags.iter().map(|tag| {
        let text = described.get(tag).filter(|text| !text.trim().is_empty());
        json!({ "name": tag, "description": text.map_or_else(|| format!("`{tag}`"), Clone::clone) })
    });
    root["tags"] = tags.collect();
}

/// Returns the tag whose trait would have the same name, such as `level1` of `level_1`, or else `tag` itself.
fn alike(tags: &[String], tag: String) -> String {
    let alike = tags.iter().find(|other| trait_of(other) == trait_of(&tag));
    alike.cloned().unwrap_or(tag)
}

fn module(name: &str) -> String {
    let name = snake_name(name);
    if is_module(&name) { name } else { format!("{name}_api") }
}

fn is_version(step: &str) -> bool {
    let digits = step.strip_prefix('v').unwrap_or(step);
    step == "api" || digits.starts_with(|c: char| c.is_ascii_digit()) && digits.len() < 4
}

/// Calls `found` with each target of a `$ref` in a value.
fn references(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::Object(members) => {
            if let Some(target) = members.get("$ref").and_then(Value::as_str) {
                found(target);
            }
            for member in members.values() {
                references(member, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// Uses of a component extend to its references.
fn spread(root: &Value, users: &mut BTreeMap<String, Vec<String>>) {
    let mut queue: Vec<String> = users.keys().cloned().collect();
    for tags in users.values_mut() {
        tags.sort();
        tags.dedup();
    }
    while let Some(component) = queue.pop() {
        let Some(value) = component.strip_prefix('#').and_then(|at| root.pointer(at)) else {
            continue;
        };
        let tags = users.get(&component).cloned().unwrap_or_default();
        let mut targets = Vec::new();
        references(value, &mut |target| targets.push(target.to_owned()));
        for target in targets {
            let known = users.entry(target.clone()).or_default();
            let before = known.len();
            for tag in &tags {
                if !known.contains(tag) {
                    known.push(tag.clone());
                }
            }
            // Beyond two, it is shared anyway.
            known.truncate(2);
            if known.len() > before {
                queue.push(target);
            }
        }
    }
}
