//! JSON whose numbers keep the text that they were written with.
//!
//! What a provider sends is passed on as it came, and compared with what came before. As binary floating point,
//! 18446744073709551617 and 18446744073709551618 would be the same number. `serde_json` keeps the text with its feature
//! `arbitrary_precision`, which turns it on for every crate of whoever builds with this one, and then no longer reads numbers
//! in flattened and untagged types. So values are read here from raw text.

mod number;

use std::fmt;

use serde::de::{Error as _, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use self::number::canonical;

/// How deep values may be nested: what an event has around them, readers take as well.
const DEEPEST: usize = 124;

/// A value of JSON. Its `Debug` shows nothing of it.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ExactValue {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(ExactNumber),
    /// A text.
    String(String),
    /// A list.
    Array(Vec<ExactValue>),
    /// An object.
    Object(ExactObject),
}

/// A number of JSON, as its text. Two are equal if their texts are.
#[derive(Clone)]
pub struct ExactNumber(Box<RawValue>);

/// An object of JSON, its members in their order. Of members with the same name, the last one counts.
#[derive(Clone, Default, PartialEq)]
pub struct ExactObject(Vec<(String, ExactValue)>);

/// Why a text cannot be read. It does not quote the text.
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
    /// Reads a value that no other one is around.
    pub(crate) fn read(json: &str) -> Result<Self, ExactError> {
        read(json, DEEPEST)
    }

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
}

impl ExactNumber {
    /// Its text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl ExactObject {
    /// Reads what an event of the log is, which has more around values than an arrival.
    ///
    /// # Errors
    ///
    /// Where it is no event.
    pub fn of_event(json: &[u8]) -> serde_json::Result<Self> {
        let text = std::str::from_utf8(json).map_err(serde_json::Error::custom)?;
        match read(text, DEEPEST + 4).map_err(serde_json::Error::custom)? {
            ExactValue::Object(event) => Ok(event),
            _ => Err(serde_json::Error::custom("an event is an object")),
        }
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its members, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ExactValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// A member.
    pub fn get(&self, name: &str) -> Option<&ExactValue> {
        self.iter().find_map(|(known, value)| (known == name).then_some(value))
    }

    /// A member, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut ExactValue> {
        let mut members = self.0.iter_mut();
        members.find_map(|(known, value)| (known == name).then_some(value))
    }

    /// Puts a member in place of one of this name, or behind all others.
    pub fn insert(&mut self, name: &str, value: ExactValue) {
        match self.get_mut(name) {
            Some(known) => *known = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Takes a member out.
    pub fn remove(&mut self, name: &str) -> Option<ExactValue> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
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

/// Appends a list of what `push` appends of each.
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
    text.push_str(&serde_json::Value::from(value).to_string());
}

fn read(json: &str, levels: usize) -> Result<ExactValue, ExactError> {
    let syntax = |_| ExactError::Syntax;
    Ok(match json.as_bytes().first() {
        Some(b'{' | b'[') if levels == 0 => return Err(ExactError::Deep),
        Some(b'{') => {
            let Members(members) = serde_json::from_str(json).map_err(syntax)?;
            let values = members.into_iter();
            let values = values.map(|(name, value)| Ok((name, read(value.get(), levels - 1)?)));
            ExactValue::Object(ExactObject(last_of_each(values.collect::<Result<_, _>>()?)))
        }
        Some(b'[') => {
            let values: Vec<&RawValue> = serde_json::from_str(json).map_err(syntax)?;
            let values = values.into_iter().map(|value| read(value.get(), levels - 1));
            ExactValue::Array(values.collect::<Result<_, _>>()?)
        }
        // All else in a string was looked at when the raw text was read.
        Some(b'"') => ExactValue::String(serde_json::from_str(json).map_err(|_| ExactError::Escape)?),
        Some(b'n') => ExactValue::Null,
        Some(b't' | b'f') => ExactValue::Bool(json == "true"),
        _ => {
            // What it says as binary floating point does not matter, but that it is one.
            serde_json::from_str::<serde_json::Number>(json).map_err(|_| ExactError::Range)?;
            let number: &RawValue = serde_json::from_str(json).map_err(syntax)?;
            ExactValue::Number(ExactNumber(number.to_owned()))
        }
    })
}

/// Of members with the same name, the last one, at the place of the first.
fn last_of_each(members: Vec<(String, ExactValue)>) -> Vec<(String, ExactValue)> {
    let mut order: Vec<_> = (0..members.len()).collect();
    order.sort_by_key(|at| &members[*at].0);
    if !order.windows(2).any(|pair| members[pair[0]].0 == members[pair[1]].0) {
        return members;
    }
    let mut object = serde_json::Map::new();
    for (at, (name, _)) in members.iter().enumerate() {
        object.insert(name.clone(), at.into());
    }
    let mut members: Vec<_> = members.into_iter().map(Some).collect();
    let last = object
        .into_iter()
        .filter_map(|(_, at)| usize::try_from(at.as_u64()?).ok());
    last.filter_map(|at| members[at].take()).collect()
}

/// The members of an object, each as its text.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

impl<'de> Deserialize<'de> for ExactValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        Self::read(json.get()).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for ExactObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match ExactValue::deserialize(deserializer)? {
            ExactValue::Object(object) => Ok(object),
            _ => Err(D::Error::invalid_type(Unexpected::Other("another value"), &"a map")),
        }
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{DEEPEST, ExactError, ExactObject, ExactValue};

    fn canonical(json: &str) -> String {
        let mut text = String::new();
        ExactValue::read(json).expect("JSON").push_canonical(&mut text);
        text
    }

    #[test]
    fn values_are_written_as_they_were_read() {
        for json in [
            r#"{"z":18446744073709551617,"a":[1e-400,1.10,-0,0.0,1E5,123456789012345678901234567890.5],"é":"\n\"😀"}"#,
            r#"[null,true,false,{},[],""]"#,
        ] {
            let value: ExactValue = serde_json::from_str(json).expect("JSON");
            assert_eq!(serde_json::to_string(&value).expect("JSON"), json);
            assert_eq!(format!("{value:?}"), "ExactValue");
        }
        let object: ExactObject = serde_json::from_str(r#"{"a":1,"b":2,"\u0061":3,"c":4,"b":5}"#).expect("JSON");
        assert_eq!(serde_json::to_string(&object).expect("JSON"), r#"{"a":3,"b":5,"c":4}"#);
        // What serde_json makes of it, where that is exact.
        let plain = serde_json::to_value(&object).expect("JSON");
        assert_eq!(plain, serde_json::json!({"a": 3, "b": 5, "c": 4}));
    }

    #[test]
    fn what_no_reader_takes_is_refused() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(ExactValue::read(&deep(DEEPEST)).is_ok());
        assert_eq!(ExactValue::read(&deep(DEEPEST + 1)), Err(ExactError::Deep));
        assert_eq!(ExactValue::read(&deep(1_000_000)), Err(ExactError::Deep));
        assert_eq!(ExactValue::read(r#"{"a":[1e400]}"#), Err(ExactError::Range));
        assert!(serde_json::from_str::<ExactObject>("[1]").is_err());
        assert!(serde_json::from_str::<ExactObject>(r#"{"a":01}"#).is_err());
    }

    /// Hashes of such texts are in stores that older versions wrote.
    #[test]
    fn plain_values_have_the_text_that_they_always_had() {
        for json in [
            r#"{"b":[1,2.5,-3,1e3,1.0,0.1,1e-7,"x\u00e9\n"],"a":{"d":null,"c":true},"":18446744073709551615}"#,
            r#"[1.10,-0.0,-0,100000000000000000000,5e-324,1.7976931348623157e308,123456.789]"#,
        ] {
            let mut plain: Value = serde_json::from_str(json).expect("JSON");
            plain.sort_all_objects();
            assert_eq!(canonical(json), plain.to_string());
        }
    }

    #[test]
    fn other_numbers_have_other_texts() {
        let same = [["1.10", "1.1"], ["1e2", "100.0"], ["1e-400", "10e-401"]];
        for [one, other] in same {
            assert_eq!(canonical(one), canonical(other));
        }
        let numbers = [
            "18446744073709551617",
            "18446744073709551618",
            "18446744073709551700",
            "1e-400",
            "1e-401",
            "0",
            "0.1",
            "0.1000000000000000055511151231257827",
            "-18446744073709551617",
        ];
        let texts: std::collections::BTreeSet<_> = numbers.map(canonical).into_iter().collect();
        assert_eq!(texts.len(), numbers.len());
    }
}
