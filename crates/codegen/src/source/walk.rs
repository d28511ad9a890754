//! Visits the objects of a document.

use serde_json::{Map, Value};

use super::{Part, join};

/// Calls `visit` with every object of a document, outer ones first.
pub(crate) fn walk(part: Part, value: &mut Value, visit: &mut impl FnMut(Part, &mut Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            if !matches!(part, Part::Each(_)) {
                visit(part, members);
            }
            for (key, member) in members {
                let part = part.member(key);
                if part != Part::Data {
                    walk(part, member, visit);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                walk(part.member(""), item, visit);
            }
        }
        _ => {}
    }
}

/// As `walk`, with the pointer of each object.
pub(crate) fn walk_at(
    part: Part,
    at: &str,
    value: &mut Value,
    visit: &mut impl FnMut(Part, &str, &mut Map<String, Value>),
) {
    match value {
        Value::Object(members) => {
            if !matches!(part, Part::Each(_)) {
                visit(part, at, members);
            }
            for (key, member) in members {
                let part = part.member(key);
                if part != Part::Data {
                    walk_at(part, &join(at, key), member, visit);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                walk_at(part.member(""), &format!("{at}/{index}"), item, visit);
            }
        }
        _ => {}
    }
}
