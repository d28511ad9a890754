//! Required names of third-party documents that a schema does not declare itself: those of a base, whose children do.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::diagnostic::Code;
use crate::source::{Part, Source, join, schema_name, walk_at};

/// Maximum depth of `allOf` that is followed.
const DEPTH: usize = 16;

/// Requires a name where it is declared, and ignores it elsewhere.
pub(super) fn resolve(source: &mut Source<'_>) {
    let mut root = std::mem::take(&mut source.value);
    let schemas = root["components"]["schemas"].clone();
    let bases = bases(&mut root);
    let mut notes = Vec::new();
    walk_at(Part::Document, "", &mut root, &mut |part, at, schema| {
        if part != Part::Schema || !schema.contains_key("required") && !schema.contains_key("allOf") {
            return;
        }
        // Nothing else declares a name that an object by itself requires: it becomes a property of any value later.
        let is_base = component(at).is_some_and(|name| bases.contains(name));
        if !is_composed(at) && !schema.contains_key("allOf") && !is_base {
            return;
        }
        let known = names(schema, &schemas, DEPTH, &declared);
        let wanted = names(schema, &schemas, DEPTH, &required);
        let own = required(schema);
        let settled = match is_composed(at) {
            true => own.is_subset(&known),
            false => is_settled(schema, &schemas, DEPTH),
        };
        if settled {
            return;
        }
        // A part of an `allOf` requires what the whole declares.
        if !is_composed(at) {
            let lost = own.difference(&known).cloned();
            notes.extend(lost.map(|name| (join(at, "required"), name)));
        }
        let kept: Vec<_> = match is_composed(at) {
            true => own.intersection(&known).collect(),
            false => wanted.intersection(&known).collect(),
        };
        match kept.is_empty() {
            true => drop(schema.shift_remove("required")),
            false => drop(schema.insert("required".to_owned(), json!(kept))),
        }
    });
    source.value = root;
    for (at, name) in notes {
        let message = format!("`{name}` is required but is not a property");
        let consequence = "it is required in the schemas that declare it, and else ignored";
        source.note(Code::RequiredUnknown, &at, message, consequence);
    }
}

/// The names of schemas that are parts of an `allOf`.
fn bases(root: &mut Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    walk_at(Part::Document, "", root, &mut |part, at, schema| {
        if part == Part::Schema && is_composed(at) {
            let target = schema.get("$ref").and_then(Value::as_str);
            let target = target.and_then(schema_name);
            found.extend(target.map(str::to_owned));
        }
    });
    found
}

/// The name of a schema at a pointer.
fn component(pointer: &str) -> Option<&str> {
    let name = pointer.strip_prefix("/components/schemas/")?;
    (!name.contains('/')).then_some(name)
}

/// Returns whether a schema, and each part of its `allOf`, declares what it requires.
fn is_settled(schema: &Map<String, Value>, schemas: &Value, depth: usize) -> bool {
    let known = names(schema, schemas, depth, &declared);
    required(schema).is_subset(&known)
        && (depth == 0 || parts(schema, schemas).all(|part| is_settled(part, schemas, depth - 1)))
}

/// The parts of an `allOf`, and the target of a reference.
fn parts<'s>(schema: &'s Map<String, Value>, schemas: &'s Value) -> impl Iterator<Item = &'s Map<String, Value>> {
    let target = schema.get("$ref").and_then(Value::as_str);
    let target = target.and_then(schema_name).and_then(|name| schemas.get(name));
    let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    parts.chain(target).filter_map(Value::as_object)
}

/// Returns whether a schema is a part of an `allOf`.
fn is_composed(at: &str) -> bool {
    at.rsplit_once('/')
        .is_some_and(|(around, _)| around.ends_with("/allOf"))
}

/// The names of a schema and of the parts of its `allOf`.
fn names(
    schema: &Map<String, Value>,
    schemas: &Value,
    depth: usize,
    own: &dyn Fn(&Map<String, Value>) -> BTreeSet<String>,
) -> BTreeSet<String> {
    let mut found = own(schema);
    if depth > 0 {
        for part in parts(schema, schemas) {
            found.extend(names(part, schemas, depth - 1, own));
        }
    }
    found
}

fn declared(schema: &Map<String, Value>) -> BTreeSet<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(|all| all.keys()).cloned().collect()
}

fn required(schema: &Map<String, Value>) -> BTreeSet<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}
