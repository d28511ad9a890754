//! Removes values that FHIR forbids everywhere: nulls, and empty strings, lists and objects.

use serde_json::Value;

/// Removes empty values at all levels, and control characters from strings.
pub(crate) fn prune(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(items) => items.into_iter().map(prune).filter(|item| !is_empty(item)).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, prune(value)));
            members.filter(|(_, value)| !is_empty(value)).collect()
        }
        other => other,
    }
}

/// Returns whether a bundle keeps nothing of a text.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_forbidden(c))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => is_blank(text),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn clean(text: String) -> String {
    let text = if text.contains(is_forbidden) {
        text.replace(is_forbidden, "")
    } else {
        text
    };
    if text.trim().len() == text.len() {
        text
    } else {
        text.trim().to_owned()
    }
}

/// Returns whether a character is a control character other than tab and line ends, which FHIR allows in strings.
fn is_forbidden(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_empty_is_left() {
        let value = json!({"a": null, "b": [null, {"c": " "}, [], "x"], "d": {"e": {}}, "f": false, "g": 0});
        assert_eq!(prune(value), json!({"b": ["x"], "f": false, "g": 0}));
    }

    #[test]
    fn strings_have_no_control_characters_and_no_space_around_them() {
        assert_eq!(prune(json!(" a\u{0}\tb\n")), json!("a\tb"));
        assert!(is_blank(" \u{7}\u{a0}"));
    }
}
