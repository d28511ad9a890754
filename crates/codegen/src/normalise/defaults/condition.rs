//! Condition of a rule.

use std::collections::BTreeSet;

use serde_json::Value;

use super::log::Log;
use super::parts::Parts;
use crate::source::join;

/// A condition, with the operations seen so far.
pub(super) struct Condition<'d> {
    keys: Vec<Key<'d>>,
}

/// A key of a condition.
struct Key<'d> {
    name: &'d str,
    values: Vec<Expected>,
    /// Values that operations have for a key that lists values.
    known: BTreeSet<String>,
}

/// A value of a key.
struct Expected {
    pointer: String,
    text: String,
    /// True once it has held for an operation.
    holds: bool,
}

impl<'d> Condition<'d> {
    /// Reads a condition at a pointer.
    pub(super) fn new(condition: &'d Value, at: &str) -> Self {
        let expected = |pointer, text| Expected {
            pointer,
            text,
            holds: false,
        };
        let keys = condition.as_object().into_iter().flatten().filter_map(|(name, value)| {
            let at = join(at, name);
            let values = match (name.as_str(), value) {
                ("methods" | "parameters" | "in" | "request" | "response", Value::Array(items)) => {
                    let texts = items.iter().map(Value::as_str).enumerate();
                    let texts = texts.filter_map(|(index, text)| Some((format!("{at}/{index}"), text?.to_owned())));
                    texts.map(|(pointer, text)| expected(pointer, text)).collect()
                }
                ("deprecated", Value::Bool(value)) => vec![expected(at, value.to_string())],
                // The check rejects other keys and values.
                _ => return None,
            };
            Some(Key {
                name,
                values,
                known: BTreeSet::new(),
            })
        });
        Self { keys: keys.collect() }
    }

    /// Returns whether it holds: all of its keys, of which a list holds if one of its values does.
    pub(super) fn holds(&mut self, parts: &Parts<'_>) -> bool {
        let mut all = true;
        for key in &mut self.keys {
            // Each key sees each operation, for the report.
            all &= key.holds(parts);
        }
        all
    }

    /// Reports values that hold for no operation.
    pub(super) fn report(&self, of: &str, log: &mut Log) {
        for key in &self.keys {
            for value in key.values.iter().filter(|value| !value.holds) {
                log.unmatched(
                    &value.pointer,
                    (key.name, &value.text),
                    &key.candidates(&value.text),
                    of,
                );
            }
        }
    }
}

impl Key<'_> {
    fn holds(&mut self, parts: &Parts<'_>) -> bool {
        let own = parts.values(self.name);
        let mut any = false;
        for value in &mut self.values {
            let is_header = || self.name == "parameters" && parts.has_header(&value.text);
            let holds = own.contains(&value.text.as_str()) || is_header();
            value.holds |= holds;
            any |= holds;
        }
        if self.name != "deprecated" {
            self.known.extend(own.into_iter().map(str::to_owned));
        }
        any
    }

    /// The values to suggest instead of one that holds for no operation.
    fn candidates(&self, value: &str) -> Vec<&str> {
        let allowed: &[&str] = match self.name {
            "methods" => &["get", "put", "post", "patch", "delete", "head", "options"],
            "in" => &["path", "query", "header", "cookie"],
            _ => &[],
        };
        if allowed.is_empty() || allowed.contains(&value) {
            return self.known.iter().map(String::as_str).collect();
        }
        allowed.to_vec()
    }
}
