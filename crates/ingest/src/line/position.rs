//! Position of a value in a line.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Step from a value to one within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Member of an object.
    Member(String),
    /// Item of a list.
    Item(usize),
}

/// Returns the column, from 1, at which the value at a path begins; none if there is no such value.
pub(super) fn column(line: &str, path: &[Step]) -> Option<usize> {
    let mut value = line;
    for step in path {
        value = match step {
            Step::Member(name) => {
                let members: BTreeMap<String, &RawValue> = serde_json::from_str(value).ok()?;
                members.get(name)?.get()
            }
            Step::Item(index) => {
                let items: Vec<&RawValue> = serde_json::from_str(value).ok()?;
                items.get(*index)?.get()
            }
        };
    }
    // A raw value borrows from the text that it was read from.
    Some(value.as_ptr() as usize - line.as_ptr() as usize + 1)
}

/// Returns `line` with a further field at the end of the object that is its only member.
pub fn with_field(line: &str, kind: &str, field: &str, value: &str) -> Option<String> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(line).ok()?;
    let object = members.get(kind)?.get();
    let end = object.as_ptr() as usize - line.as_ptr() as usize + object.len() - 1;
    (object.ends_with('}') && object.len() > 2).then(|| format!("{},\"{field}\":{value}{}", &line[..end], &line[end..]))
}

#[cfg(test)]
mod tests {
    use super::{Step, column, with_field};

    #[test]
    fn values_are_found_by_their_paths() {
        let line = r#"{"user": {"a": [1, {"b": "c"}]}}"#;
        let member = |name: &str| Step::Member(name.to_owned());
        let path = [member("user"), member("a"), Step::Item(1), member("b")];
        for (length, found) in [(0, Some(1)), (1, Some(10)), (2, Some(16)), (3, Some(20)), (4, Some(26))] {
            assert_eq!(column(line, &path[..length]), found);
        }
        assert_eq!(column(line, &[member("team")]), None);
        let more = r#"{"user": {"a": [1, {"b": "c"}],"d":[]}}"#;
        assert_eq!(with_field(line, "user", "d", "[]").as_deref(), Some(more));
        assert_eq!(with_field(line, "team", "d", "[]"), None);
    }
}
