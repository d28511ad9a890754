//! Removes or alters every part of a document: each is rejected or reported, and a change that is only reported as
//! documentation gives the same Rust.

use serde_json::{Value, json};
use wearlab_codegen::{Impact, Kind, diff, parse};

use super::DOCUMENT;
use super::rust::code;

fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, member)| (key.replace('~', "~0").replace('/', "~1"), member))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(i, item)| (i.to_string(), item))
            .collect(),
        _ => Vec::new(),
    };
    for (key, member) in members {
        let here = format!("{at}/{key}");
        pointers(member, &here, found);
        found.push(here);
    }
}

/// The document without the part at a pointer, and with another value there.
fn mutants(document: &Value, pointer: &str) -> Vec<Value> {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let key = key.replace("~1", "/").replace("~0", "~");
    let mut without = document.clone();
    match without.pointer_mut(parent).expect("a parent") {
        Value::Object(members) => drop(members.shift_remove(&key)),
        Value::Array(items) => drop(items.remove(key.parse().expect("an index"))),
        _ => {}
    }
    let mut altered = vec![without];
    let mut replaced = document.clone();
    let part = replaced.pointer_mut(pointer).expect("a part");
    *part = match &*part {
        Value::String(text) => json!(format!("{text}z")),
        Value::Bool(value) => json!(!value),
        Value::Number(number) => json!(number.as_i64().unwrap_or_default() + 1),
        _ => return altered,
    };
    altered.push(replaced);
    altered
}

#[test]
fn whatever_is_altered_is_refused_or_reported() {
    // As JSON, which is YAML too.
    let document = parse("document.yaml", DOCUMENT).unwrap_or_else(|error| panic!("{error}"));
    let old = document.to_string();
    let before = code(&old).expect("code");
    let mut all = Vec::new();
    pointers(&document, "", &mut all);
    let (mut missed, mut supported) = (Vec::new(), 0);
    for pointer in &all {
        for mutant in mutants(&document, pointer) {
            let new = mutant.to_string();
            let Ok(changes) = diff(("old.yaml", &old), ("new.yaml", &new)) else {
                continue;
            };
            supported += 1;
            // Attributes and `Debug` may differ.
            let documentation = changes.iter().all(|change| {
                change.impact() == Impact::None
                    && !matches!(change.kind, Kind::FieldSensitive | Kind::DeprecationChanged)
            });
            if changes.is_empty() || documentation && code(&new).as_ref() != Some(&before) {
                missed.push(format!("{pointer}: {} change(s)", changes.len()));
            }
        }
    }
    assert!(supported > 100, "only {supported} alterations are supported");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
