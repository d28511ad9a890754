//! Schemas of documents of others get names of Rust types, and each reference the new name.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::names::{Taken, type_name};
use super::problems;
use crate::document::is_type_name;
use crate::source::{Part, Source, join};

/// Renames schemas that cannot be types.
pub(super) fn rename(source: &mut Source<'_>) {
    let mut taken = Taken::default();
    for name in problems::NAMES {
        taken.free(name);
    }
    let mut renamed = HashMap::new();
    let mut moved = Vec::new();
    let schemas = source
        .value
        .pointer_mut("/components/schemas")
        .and_then(Value::as_object_mut);
    let Some(schemas) = schemas else { return };
    // Names that can stay are taken first.
    let (keep, change): (Vec<_>, Vec<_>) = schemas.keys().cloned().partition(|name| is_type_name(name));
    for name in keep.iter().chain(&change) {
        let new = type_name(name);
        let new = if is_type_name(&new) { new } else { format!("{new}Info") };
        let new = taken.free(&new);
        if new != *name {
            renamed.insert(name.clone(), new);
        }
    }
    if renamed.is_empty() {
        return;
    }
    let mut all = Map::new();
    for (name, schema) in std::mem::take(schemas) {
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
    let targets = |target: &str| -> Option<String> {
        let name = target.strip_prefix("#/components/schemas/")?;
        let name = name.replace("%20", " ").replace("~1", "/").replace("~0", "~");
        Some(format!("#/components/schemas/{}", renamed.get(&name)?))
    };
    super::walk(Part::Document, &mut source.value, &mut |_, members| {
        if let Some(new) = members.get("$ref").and_then(Value::as_str).and_then(targets) {
            members.insert("$ref".to_owned(), new.into());
        }
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
