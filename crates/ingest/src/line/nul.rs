//! Check for the character NUL in a text, which PostgreSQL does not store.

use serde_json::Value;

use super::position::Step;

/// Escape of NUL. A control character that is not escaped is not JSON.
const ESCAPE: &str = "\\u0000";

/// Returns the path of the first text or name with a NUL, in a line that is JSON.
pub(super) fn find(line: &str) -> Option<Vec<Step>> {
    if !line.contains(ESCAPE) {
        return None;
    }
    // The escape may itself be escaped.
    within(&serde_json::from_str(line).ok()?)
}

fn within(value: &Value) -> Option<Vec<Step>> {
    let (mut path, step) = match value {
        Value::String(text) => return text.contains('\0').then(Vec::new),
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| within(item).map(|path| (path, Step::Item(index))))
        }
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            let path = if name.contains('\0') {
                Some(Vec::new())
            } else {
                within(value)
            };
            path.map(|path| (path, Step::Member(name.clone())))
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }?;
    path.insert(0, step);
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::{Step, find};

    #[test]
    fn a_nul_is_found_in_texts_and_names() {
        let member = |name: &str| Step::Member(name.to_owned());
        for (line, path) in [
            (r#"{"a": "x\u0000y"}"#, Some(vec![member("a")])),
            (
                r#"{"a": ["", {"b": "\u0000"}]}"#,
                Some(vec![member("a"), Step::Item(1), member("b")]),
            ),
            (r#"{"a": {"b\u0000": 1}}"#, Some(vec![member("a"), member("b\0")])),
            (r#"{"a": "\\u0000"}"#, None),
            (r#"{"a": "\\\u0000"}"#, Some(vec![member("a")])),
            (r#"{"a": 0}"#, None),
        ] {
            assert_eq!(find(line), path, "{line}");
        }
    }
}
