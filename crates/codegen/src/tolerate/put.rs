//! Changes of a document by pointer.

use serde_json::{Value, json};

use crate::source::key_of;

/// Replaces or adds the value at a pointer; returns whether it was another.
pub(super) fn put(root: &mut Value, pointer: &str, value: Value) -> bool {
    let Some((parent, step)) = pointer.rsplit_once('/') else {
        return false;
    };
    if root.pointer(pointer).is_some() {
        return set(root, pointer, value);
    }
    let key = key_of(step);
    let members = root.pointer_mut(parent).and_then(Value::as_object_mut);
    members.is_some_and(|members| members.insert(key, value).is_none())
}

/// Replaces the value at a pointer; returns whether it was another.
fn set(root: &mut Value, pointer: &str, value: Value) -> bool {
    match root.pointer_mut(pointer) {
        Some(place) if *place != value => {
            *place = value;
            true
        }
        _ => false,
    }
}

/// Replaces a schema by one of any value.
pub(super) fn set_any(root: &mut Value, at: &str) -> bool {
    let Some(schema) = root.pointer(at).filter(|schema| schema.is_object()) else {
        return false;
    };
    let mut any = json!({});
    for key in ["x-tag", "description"] {
        let named = at.starts_with("/components/schemas/") || key == "description" && at.contains("/properties/");
        if let Some(text) = schema.get(key).filter(|_| named) {
            any[key] = text.clone();
        }
    }
    set(root, at, any)
}
