//! JSON values whose numbers keep their text.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::number::canonical;

/// Maximum nesting of values, which readers support together with that of an event around them.
pub(super) const DEEPEST: usize = 124;

/// JSON value. Its `Debug` shows no content.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ExactValue {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Number.
    Number(ExactNumber),
    /// Text.
    String(String),
    /// List of values.
    Array(Vec<ExactValue>),
    /// Object with its members.
    Object(ExactObject),
}

/// JSON number, as its text. Two are equal if their texts are.
#[derive(Clone)]
pub struct ExactNumber(pub(super) Box<RawValue>);

/// JSON object, with its members in order. Of members with the same name, the last one counts.
#[derive(Clone, Default, PartialEq)]
pub struct ExactObject(pub(super) Vec<(String, ExactValue)>);

/// Error of reading a text. It does not quote the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExactError {
    #[error("not JSON")]
    Syntax,
    #[error("invalid escape in a string: half of a surrogate pair")]
    Escape,
    #[error("nesting is deeper than {DEEPEST} levels")]
    Deep,
    #[error("a number is beyond 1.7976931348623157e308: few readers take it")]
    Range,
}

impl ExactValue {
    /// Appends a text that two values share if they are the same: members in any order, and numbers of the same value.
    pub(crate) fn push_canonical(&self, text: &mut String) {
        match self {
            Self::Null => text.push_str("null"),
            Self::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => text.push_str(&canonical(number.as_str())),
            Self::String(value) => push_string(value, text),
            Self::Array(values) => push_list(values, text, Self::push_canonical),
            Self::Object(object) => object.push_canonical(text),
        }
    }

    /// Returns the bytes of its texts and numbers, and of the names in it.
    fn text_length(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) => 0,
            Self::Number(number) => number.as_str().len(),
            Self::String(text) => text.len(),
            Self::Array(values) => values.iter().map(Self::text_length).sum(),
            Self::Object(object) => object.text_length(),
        }
    }

    /// Removes members that are null, at any depth.
    fn remove_nulls(&mut self) {
        match self {
            Self::Object(object) => object.remove_nulls(),
            Self::Array(values) => values.iter_mut().for_each(Self::remove_nulls),
            _ => {}
        }
    }
}

impl ExactNumber {
    /// Returns its text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl ExactObject {
    /// Returns whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns its members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ExactValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns a member.
    pub fn get(&self, name: &str) -> Option<&ExactValue> {
        self.iter().find_map(|(known, value)| (known == name).then_some(value))
    }

    /// Returns a mutable member.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut ExactValue> {
        let mut members = self.0.iter_mut();
        members.find_map(|(known, value)| (known == name).then_some(value))
    }

    /// Inserts a member in place of one with this name, or after all others.
    pub fn insert(&mut self, name: &str, value: ExactValue) {
        match self.get_mut(name) {
            Some(known) => *known = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Appends a member, whose name no other one has.
    pub(crate) fn push(&mut self, name: String, value: ExactValue) {
        self.0.push((name, value));
    }

    /// Returns its members, in order and mutable.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut ExactValue)> {
        self.0.iter_mut().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the bytes of the names, texts and numbers in it.
    pub(crate) fn text_length(&self) -> usize {
        self.iter().map(|(name, value)| name.len() + value.text_length()).sum()
    }

    /// Converts it to its members, in order.
    pub(crate) fn into_members(self) -> impl Iterator<Item = (String, ExactValue)> {
        self.0.into_iter()
    }

    /// Removes a member, and returns it.
    pub fn remove(&mut self, name: &str) -> Option<ExactValue> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Removes members that are null, at any depth: they have the meaning of absent ones.
    pub(crate) fn remove_nulls(&mut self) {
        self.0.retain(|(_, value)| *value != ExactValue::Null);
        self.0.iter_mut().for_each(|(_, value)| value.remove_nulls());
    }

    /// See [`ExactValue::push_canonical`].
    pub(crate) fn push_canonical(&self, text: &mut String) {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        text.push('{');
        for (index, (name, value)) in members.into_iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            push_string(name, text);
            text.push(':');
            value.push_canonical(text);
        }
        text.push('}');
    }
}

/// Appends a list, each item by `push`.
pub(crate) fn push_list<T>(values: &[T], text: &mut String, push: impl Fn(&T, &mut String)) {
    text.push('[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        push(value, text);
    }
    text.push(']');
}

fn push_string(value: &str, text: &mut String) {
    if value.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        text.push_str(&serde_json::Value::from(value).to_string());
    } else {
        text.push('"');
        text.push_str(value);
        text.push('"');
    }
}

impl Serialize for ExactValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(ExactNumber(text)) => text.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(values) => serializer.collect_seq(values),
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for ExactObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl PartialEq for ExactNumber {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl fmt::Debug for ExactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExactValue")
    }
}

impl fmt::Debug for ExactNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExactNumber")
    }
}

impl fmt::Debug for ExactObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExactObject")
    }
}
