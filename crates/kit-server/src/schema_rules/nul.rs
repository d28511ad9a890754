//! Rejects the character NUL in texts of requests, which not every database stores.

use serde_json::Value;

use super::check::{MAX_VIOLATIONS, Path, Violated};
use super::limits::Wrong;

/// Fails for a text with a NUL.
pub(crate) fn check(text: &str) -> Result<(), Wrong> {
    match text.contains('\0') {
        true => Err(("malformed", "must not contain the character NUL".to_owned())),
        false => Ok(()),
    }
}

/// The texts and the names within a value that have a NUL, up to a limit.
pub(crate) fn violations(value: &Value) -> Vec<Violated> {
    let mut found = Vec::new();
    within(value, &Path::Whole, &mut found);
    found
}

fn within(value: &Value, path: &Path<'_>, found: &mut Vec<Violated>) {
    match value {
        Value::String(text) => note(text, path, found),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                within(item, &Path::Item(path, index), found);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                // At the object: a pointer with a NUL is unreadable.
                match check(name) {
                    Ok(()) => within(value, &Path::Member(path, name), found),
                    Err(_) => note(name, path, found),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn note(text: &str, path: &Path<'_>, found: &mut Vec<Violated>) {
    if let Err((code, message)) = check(text)
        && found.len() < MAX_VIOLATIONS
    {
        let pointer = path.pointer();
        found.push(Violated { pointer, code, message });
    }
}
