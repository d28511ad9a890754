//! Finds references to removed components.

use std::collections::HashMap;

use serde_json::Value;

use crate::diagnostic::Code;
use crate::source::{Part, join};

/// The pointers of references to removed components.
pub(super) fn collect(
    value: &Value,
    part: Part,
    at: &str,
    gone: &HashMap<String, Code>,
    found: &mut Vec<(String, Code)>,
) {
    match value {
        Value::Object(members) => {
            let target = members
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|target| target.strip_prefix('#'));
            if let Some(code) = target.and_then(|target| gone.get(target)) {
                found.push((at.to_owned(), *code));
                return;
            }
            for (key, member) in members {
                let part = part.member(key);
                if part != Part::Data {
                    collect(member, part, &join(at, key), gone, found);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, part.member(""), &format!("{at}/{index}"), gone, found);
            }
        }
        _ => {}
    }
}
