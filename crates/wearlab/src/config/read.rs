//! Deserializes settings from a tree. Errors do not show the value, which may be a secret.

use std::fmt::{self, Display};

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::tree::{Node, Table, Value};

/// Error of an invalid value or name.
#[derive(Debug)]
pub(super) struct ValueError {
    pub(super) reason: String,
    pub(super) kind: Kind,
}

/// Kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The value of a setting.
    Value,
    /// A value where a section is expected.
    Section,
    /// The name of a setting.
    UnknownName,
    /// A setting that the section must have.
    Missing(&'static str),
}

impl ValueError {
    fn expected(what: impl Display) -> Self {
        de::Error::custom(format_args!("expected {what}"))
    }
}

impl Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for ValueError {}

impl de::Error for ValueError {
    fn custom<T: Display>(reason: T) -> Self {
        Self {
            reason: reason.to_string(),
            kind: Kind::Value,
        }
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(words(expected))
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(words(expected))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::expected(words(expected))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::expected(expected.join(" or "))
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self {
            reason: format!("unknown setting; expected one of {}", expected.join(", ")),
            kind: Kind::UnknownName,
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self {
            reason: format!("`{field}` is missing"),
            kind: Kind::Missing(field),
        }
    }
}

/// Describes the expected value in words, in place of Rust types.
fn words(expected: &dyn Expected) -> String {
    match expected.to_string().as_str() {
        "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more".to_owned(),
        "a nonzero u32" => "a whole number, 1 or more".to_owned(),
        other => other.to_owned(),
    }
}

/// Deserializer of a table.
pub(super) struct Section<'t>(pub(super) &'t Table);

impl<'de> Deserializer<'de> for Section<'_> {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_map(Members {
            left: self.0.iter(),
            value: None,
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Members<'t> {
    left: std::collections::btree_map::Iter<'t, String, Node>,
    value: Option<&'t Node>,
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = ValueError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ValueError> {
        let Some((name, node)) = self.left.next() else {
            return Ok(None);
        };
        self.value = Some(node);
        seed.deserialize(text(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ValueError> {
        match self.value.take() {
            Some(node) => seed.deserialize(&node.value),
            None => Err(ValueError::expected("a value")),
        }
    }
}

struct Items<'t>(std::slice::Iter<'t, Node>);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = ValueError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ValueError> {
        let next = self.0.next();
        next.map(|node| seed.deserialize(&node.value)).transpose()
    }
}

fn text(text: &str) -> StrDeserializer<'_, ValueError> {
    text.into_deserializer()
}

/// Numbers and booleans are parsed from text too: the environment and flags are always text.
macro_rules! numbers {
    ($($method:ident $visit:ident $number:ty,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
            let number = match self {
                Value::Text(text) => text.trim().parse::<$number>().ok(),
                Value::Integer(number) => <$number>::try_from(*number).ok(),
                _ => None,
            };
            match number {
                Some(number) => visitor.$visit(number),
                None => Err(ValueError::expected(words(&visitor))),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for &Value {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Value::Text(text) => visitor.visit_str(text),
            Value::Boolean(value) => visitor.visit_bool(*value),
            Value::Integer(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::List(items) => visitor.visit_seq(Items(items.iter())),
            Value::Table(table) => Section(table).deserialize_any(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        let value = match self {
            Value::Boolean(value) => Some(*value),
            Value::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" | "on" | "yes" => Some(true),
                "false" | "0" | "off" | "no" => Some(false),
                _ => None,
            },
            _ => None,
        };
        visitor.visit_bool(value.ok_or_else(|| ValueError::expected("true or false"))?)
    }

    numbers! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
    }

    /// Text stays text, even if it looks like a number or a boolean.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Value::Text(text) => visitor.visit_str(text),
            _ => Err(ValueError::expected("a string")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Value::Table(table) => Section(table).deserialize_any(visitor),
            _ => Err(ValueError {
                reason: "expected a section of settings".to_owned(),
                kind: Kind::Section,
            }),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        match self {
            Value::Text(value) => text(value).deserialize_enum(name, variants, visitor),
            _ => Err(ValueError::expected(variants.join(" or "))),
        }
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char bytes byte_buf unit unit_struct seq tuple tuple_struct identifier ignored_any
    }
}
