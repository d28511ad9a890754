//! Renames schemas to Rust types, to names that the document chooses or, in third-party documents, to derived ones; and
//! their references.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::names::{Taken, type_name};
use super::problems;
use crate::document::is_type_name;
use crate::source::{Part, Source, join, key_of, schema_name, walk};

/// Renames schemas that cannot be types.
pub(super) fn rename(source: &mut Source<'_>) {
    let mut taken = Taken::default();
    for name in problems::NAMES {
        taken.free(name);
    }
    let mut renamed = HashMap::new();
    let schemas = source.value.pointer("/components/schemas").and_then(Value::as_object);
    let Some(schemas) = schemas else { return };
    // Names that can stay have precedence.
    let (keep, change): (Vec<_>, Vec<_>) = schemas.keys().cloned().partition(|name| is_type_name(name));
    for name in keep.iter().chain(&change) {
        let new = type_name(name);
        let new = if is_type_name(&new) { new } else { format!("{new}Info") };
        let new = taken.free(&new);
        if new != *name {
            renamed.insert(name.clone(), new);
        }
    }
    apply(source, &renamed);
}

/// Renames schemas by the choice of the document, if the name is free. Other choices are rejected later.
pub(super) fn choose(source: &mut Source<'_>) {
    let schemas = source.value.pointer("/components/schemas").and_then(Value::as_object);
    let Some(schemas) = schemas else { return };
    let chosen = schemas
        .iter()
        .filter_map(|(name, schema)| Some((name, schema["x-rust-name"].as_str()?)));
    let mut renamed: HashMap<String, String> = HashMap::new();
    for (name, new) in chosen {
        let taken = schemas.contains_key(new) || renamed.values().any(|known| known == new);
        if is_type_name(new) && !taken {
            renamed.insert(name.clone(), new.to_owned());
        }
    }
    apply(source, &renamed);
}

/// Renames schemas and their references.
fn apply(source: &mut Source<'_>, renamed: &HashMap<String, String>) {
    let schemas = source
        .value
        .pointer_mut("/components/schemas")
        .and_then(Value::as_object_mut);
    let Some(schemas) = schemas.filter(|_| !renamed.is_empty()) else {
        return;
    };
    let mut moved = Vec::new();
    let mut all = Map::new();
    for (name, mut schema) in std::mem::take(schemas) {
        // A remaining one is rejected.
        if let Some(members) = schema.as_object_mut()
            && members.get("x-rust-name").and_then(Value::as_str) == renamed.get(&name).map(String::as_str)
        {
            members.shift_remove("x-rust-name");
        }
        match renamed.get(&name) {
            Some(new) => {
                moved.push((join("/components/schemas", new), join("/components/schemas", &name)));
                all.insert(new.clone(), schema);
            }
            None => drop(all.insert(name, schema)),
        }
    }
    *schemas = all;
    for (new, old) in moved {
        let origin = source.origin(&old);
        source.moved(new, origin);
    }
    let tagged = tagged(source, renamed);
    let targets = |target: &str| -> Option<String> {
        let name = schema_name(target)?;
        let name = key_of(&name.replace("%20", " "));
        Some(format!("#/components/schemas/{}", renamed.get(&name)?))
    };
    walk(Part::Document, &mut source.value, &mut |_, members| {
        if let Some(new) = members.get("$ref").and_then(Value::as_str).and_then(targets) {
            members.insert("$ref".to_owned(), new.into());
        }
        keep_tags(members, renamed, &tagged);
        let mapping = members.get_mut("discriminator").and_then(|it| it.get_mut("mapping"));
        for (_, target) in mapping.and_then(Value::as_object_mut).into_iter().flatten() {
            let text = target.as_str().unwrap_or_default();
            let name = renamed.get(text).map(|name| format!("#/components/schemas/{name}"));
            if let Some(new) = name.or_else(|| targets(text)) {
                *target = new.into();
            }
        }
    });
}

/// The renamed schemas, each with its properties whose values the schema itself declares.
fn tagged(source: &Source<'_>, renamed: &HashMap<String, String>) -> HashSet<(String, String)> {
    let mut tagged = HashSet::new();
    for (old, new) in renamed {
        let properties = source
            .value
            .pointer(&format!("{}/properties", join("/components/schemas", new)));
        for (name, property) in properties.and_then(Value::as_object).into_iter().flatten() {
            if ["const", "enum", "$ref"].iter().any(|key| property.get(*key).is_some()) {
                tagged.insert((old.clone(), name.clone()));
            }
        }
    }
    tagged
}

/// Keeps the name on the wire of a union's choice that is identified by its schema's name.
fn keep_tags(union: &mut Map<String, Value>, renamed: &HashMap<String, String>, tagged: &HashSet<(String, String)>) {
    let choices = ["oneOf", "anyOf"]
        .iter()
        .filter_map(|key| union.get(*key)?.as_array())
        .flatten();
    let choices: Vec<_> = choices
        .filter_map(|choice| choice["$ref"].as_str())
        .map(str::to_owned)
        .collect();
    let Some(discriminator) = union.get_mut("discriminator").and_then(Value::as_object_mut) else {
        return;
    };
    let property = discriminator.get("propertyName").and_then(Value::as_str);
    let property = property.unwrap_or_default().to_owned();
    for target in choices {
        let Some(name) = schema_name(&target).map(str::to_owned) else {
            continue;
        };
        if !renamed.contains_key(&name) || tagged.contains(&(name.clone(), property.clone())) {
            continue;
        }
        let mapping = discriminator
            .entry("mapping")
            .or_insert_with(|| Value::Object(Map::new()));
        let Some(mapping) = mapping.as_object_mut() else { return };
        if !mapping.values().any(|known| *known == *target || *known == *name) {
            mapping.insert(name, target.into());
        }
    }
}
