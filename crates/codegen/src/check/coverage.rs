//! Tests that every supported key has a fixture in `tests/features`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::grammar::DOCUMENT;
use super::schema_grammar::PART;
use super::shape::{Node, Shape};
use crate::source::Source;

/// A kind of object and one of its keys, with `$ref` before a key that is a sibling of one.
type Key = (&'static str, String);

/// All keys that the grammar lists, starting at one kind of object.
fn listed(node: &'static Node, keys: &mut BTreeSet<Key>) {
    if keys.contains(&(node.name, node.keys[0].0.to_owned())) {
        return;
    }
    keys.extend(node.keys.iter().map(|(key, _)| (node.name, (*key).to_owned())));
    if let Some((_, siblings)) = node.reference {
        keys.insert((node.name, "$ref".to_owned()));
        keys.extend(siblings.iter().map(|key| (node.name, format!("$ref, {key}"))));
    }
    for (_, shape) in node.keys {
        if let Some(node) = node_of(*shape) {
            listed(node, keys);
        }
    }
}

fn node_of(shape: Shape) -> Option<&'static Node> {
    match shape {
        Shape::Node(node) => Some(node),
        Shape::Map(inner) | Shape::List(inner) => node_of(*inner),
        Shape::BoolOrSchema | Shape::Attribute => Some(&PART),
        _ => None,
    }
}

/// The keys that a document has.
fn used(node: &'static Node, value: &Value, keys: &mut BTreeSet<Key>) {
    let referring = node.reference.is_some() && value.get("$ref").is_some();
    for (key, member) in value.as_object().into_iter().flatten() {
        if referring && key != "$ref" {
            keys.insert((node.name, format!("$ref, {key}")));
        } else {
            keys.insert((node.name, key.clone()));
        }
        if let Some((_, shape)) = node.keys.iter().find(|(known, _)| known == key) {
            below(*shape, member, keys);
        }
    }
}

fn below(shape: Shape, value: &Value, keys: &mut BTreeSet<Key>) {
    match shape {
        Shape::Node(node) => used(node, value, keys),
        Shape::BoolOrSchema | Shape::Attribute => used(&PART, value, keys),
        Shape::Map(inner) => {
            for member in value.as_object().into_iter().flat_map(|object| object.values()) {
                below(*inner, member, keys);
            }
        }
        Shape::List(inner) => {
            for item in value.as_array().into_iter().flatten() {
                below(*inner, item, keys);
            }
        }
        _ => {}
    }
}

#[test]
fn every_key_has_a_fixture() {
    let (mut wanted, mut shown) = (BTreeSet::new(), BTreeSet::new());
    listed(&DOCUMENT, &mut wanted);
    // The grammar has it so that it is rejected as an alias rather than as an unknown key.
    wanted.remove(&("a named schema", "$ref".to_owned()));
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/features");
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let text = fs::read_to_string(&path).expect("a document");
            let source =
                Source::parse(&(path.to_string_lossy().as_ref(), text.as_str()).into()).map(|source| source.value);
            used(&DOCUMENT, &source.expect("YAML"), &mut shown);
        }
    }
    let missing: Vec<_> = wanted
        .difference(&shown)
        .map(|(node, key)| format!("{node}: {key}"))
        .collect();
    assert!(missing.is_empty(), "no fixture uses\n{}", missing.join("\n"));
}
