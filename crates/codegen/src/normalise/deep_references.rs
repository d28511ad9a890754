//! References of third-party documents into the parts of a schema: the part becomes a named schema.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use super::names::{Taken, type_name};
use crate::source::{Part, Source, join, walk};

/// Steps of a pointer that name no part.
const KEYWORDS: [&str; 12] = [
    "components",
    "schemas",
    "properties",
    "items",
    "$defs",
    "definitions",
    "paths",
    "content",
    "schema",
    "responses",
    "allOf",
    "parameters",
];

/// Names the parts that references lead to.
pub(super) fn name(source: &mut Source<'_>) {
    let mut root = std::mem::take(&mut source.value);
    let mut found = BTreeSet::new();
    walk(Part::Document, &mut root, &mut |part, members| {
        let target = members.get("$ref").and_then(Value::as_str);
        if part == Part::Schema
            && let Some(pointer) = target.and_then(|target| target.strip_prefix('#'))
            && pointer.starts_with('/')
            && !is_component(pointer)
        {
            found.insert(pointer.to_owned());
        }
    });
    let mut taken = Taken::default();
    let schemas = root.pointer("/components/schemas").and_then(Value::as_object);
    for name in schemas.into_iter().flat_map(|all| all.keys()) {
        taken.free(&type_name(name));
    }
    // Inner parts precede those around them.
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|pointer| Reverse(pointer.matches('/').count()));
    let mut names = HashMap::new();
    for written in found {
        let pointer = decoded(&written);
        let Some(part) = root.pointer_mut(&pointer).filter(|part| part.is_object()) else {
            continue;
        };
        let name = taken.free(&name_of(&pointer));
        let reference = json!({ "$ref": join("#/components/schemas", &name) });
        let schema = std::mem::replace(part, reference);
        let origin = source.origin(&pointer);
        source.moved(join("/components/schemas", &name), origin);
        root["components"]["schemas"][name.as_str()] = schema;
        names.insert(written, name);
    }
    walk(Part::Document, &mut root, &mut |part, members| {
        if part != Part::Schema {
            return;
        }
        let target = members.get("$ref").and_then(Value::as_str);
        if let Some(name) = target.and_then(|target| names.get(target.strip_prefix('#')?)) {
            members.insert("$ref".to_owned(), json!(join("#/components/schemas", name)));
        }
        // The rest is of no use.
        for key in ["$defs", "definitions"] {
            members.shift_remove(key);
        }
    });
    if let Some(document) = root.as_object_mut() {
        document.shift_remove("$defs");
        document.shift_remove("definitions");
    }
    source.value = root;
}

/// Returns whether a pointer is that of a component.
fn is_component(pointer: &str) -> bool {
    pointer.starts_with("/components/") && pointer.matches('/').count() == 3
}

/// A pointer of a URL, without its escapes.
fn decoded(pointer: &str) -> String {
    let escapes = [
        ("%7B", "{"),
        ("%7D", "}"),
        ("%7b", "{"),
        ("%7d", "}"),
        ("%24", "$"),
        ("%20", " "),
    ];
    escapes
        .iter()
        .fold(pointer.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// A name of the steps of a pointer.
fn name_of(pointer: &str) -> String {
    let steps = pointer
        .split('/')
        .filter(|step| !KEYWORDS.contains(step) && !step.contains("~1"));
    type_name(&steps.collect::<Vec<_>>().join(" "))
}
