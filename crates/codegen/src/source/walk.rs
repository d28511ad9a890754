//! Visits the objects of a document.

use serde_json::{Map, Value};

use super::Part;

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
