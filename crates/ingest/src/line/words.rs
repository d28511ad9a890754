//! Words of schemas, and expected types of fields, by the messages of readers.
//!
//! Messages of readers quote the rejected text, which may be anything: a name, an address, a health value. Only parts
//! that cannot come from the line are kept: words of the schemas, and descriptions of types.

use std::collections::BTreeSet;

use serde_json::Value;
use wearlab_models::ResourceName;

/// Names of fields and kinds, and values of enums, of all lines of a format: messages show only these.
pub struct Words(BTreeSet<String>);

/// Starts of the crate's own messages, which quote no part of the line.
const OWN: [&str; 3] = [
    "a number is beyond ",
    "invalid escape in a string",
    "nesting is deeper than ",
];

fn collect(schema: &Value, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                words.extend(properties.keys().cloned());
            }
            if let Some(Value::Array(values)) = members.get("enum") {
                words.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            members.values().for_each(|member| collect(member, words));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
        _ => {}
    }
}

impl Words {
    /// Collects the words of schemas, and the names of resources.
    pub fn of(schemas: impl IntoIterator<Item = schemars::Schema>) -> Self {
        let mut words = ResourceName::KNOWN.iter().map(ToString::to_string).collect();
        for schema in schemas {
            collect(schema.as_value(), &mut words);
        }
        Self(words)
    }

    /// Returns all words of the schemas.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns whether a name is one of a schema, so that it may be shown.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Returns the expected type, without any part of the found value; none if it is unknown.
    pub(super) fn expectation(&self, message: &str) -> Option<String> {
        let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
        for start in ["missing field `", "duplicate field `"] {
            if let Some(field) = message.strip_prefix(start).and_then(|rest| rest.strip_suffix('`')) {
                return self.contains(field).then(|| message.to_owned());
            }
        }
        // The value comes first. The description of the type follows the last comma.
        let structural = ["invalid type: ", "invalid value: ", "invalid length "];
        if structural.iter().any(|start| message.starts_with(start)) {
            let (_, expected) = message.rsplit_once(", expected ")?;
            return Some(format!("expected {}", json_words(expected)));
        }
        if message.starts_with("unknown variant ") || message.starts_with("expected one of ") {
            let listed = self.listed(message);
            return (!listed.is_empty()).then(|| format!("expected one of {}", listed.join(", ")));
        }
        if message.starts_with("UUID parsing failed") {
            return Some("expected a UUID".to_owned());
        }
        // The message of the date parser is unspecific.
        Some(match message {
            "input is out of range" => "there is no such date or time".to_owned(),
            "input contains invalid characters"
            | "premature end of input"
            | "trailing input"
            | "input is not enough" => {
                "expected a date or time of ISO 8601, such as 2026-01-31 or 2026-01-31T10:00:00Z".to_owned()
            }
            "a hash is 64 hexadecimal digits" => "expected 64 hexadecimal digits".to_owned(),
            // Messages of values that keep their digits.
            own if OWN.iter().any(|start| own.starts_with(start)) => own.to_owned(),
            _ => return None,
        })
    }

    /// Returns the words that a message expects, if all of them are of the schemas.
    pub(super) fn listed(&self, message: &str) -> Vec<String> {
        let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
        let list = match message.strip_prefix("expected one of ") {
            Some(list) => list,
            None => message.rsplit_once(", expected ").map_or("", |(_, list)| list),
        };
        let list = list.strip_prefix("one of ").unwrap_or(list).replace(" or ", ", ");
        let words: Vec<_> = list.split(", ").map(|word| word.trim_matches('`').to_owned()).collect();
        match words.iter().all(|word| self.contains(word)) {
            true => words,
            false => Vec::new(),
        }
    }
}

/// Returns the description of a type, in words of JSON.
fn json_words(expected: &str) -> &str {
    match expected {
        "i64" | "i32" => "a whole number",
        "u64" | "u32" | "usize" => "a whole number, 0 or more",
        "f64" => "a number",
        "a map" => "an object",
        "a sequence" => "a list",
        expected if expected.starts_with("struct ") => "an object",
        expected => expected,
    }
}
