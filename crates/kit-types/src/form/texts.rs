//! Deserializer of the values of a form: the target type decides the meaning of each text.

use std::fmt;

use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

/// Deserializer of the values of a form.
#[derive(Clone, Copy)]
pub struct Texts<'v>(pub(super) &'v Value);

impl fmt::Debug for Texts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Texts(..)")
    }
}

impl<'v> Texts<'v> {
    /// The text as a scalar. The error does not repeat it.
    fn parsed<T: std::str::FromStr>(self, expected: &'static str) -> Result<T, Error> {
        let parsed = self.0.as_str().and_then(|text| text.parse().ok());
        parsed.ok_or_else(|| Error::invalid_value(Unexpected::Other("value"), &expected))
    }
}

impl<'v> IntoDeserializer<'v, Error> for Texts<'v> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! parsed {
    ($($method:ident $visit:ident $expected:literal,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.parsed($expected)?)
        })*
    };
}

impl<'de> Deserializer<'de> for Texts<'de> {
    type Error = Error;

    parsed! {
        deserialize_bool visit_bool "true or false",
        deserialize_i8 visit_i8 "a whole number",
        deserialize_i16 visit_i16 "a whole number",
        deserialize_i32 visit_i32 "a whole number",
        deserialize_i64 visit_i64 "a whole number",
        deserialize_u8 visit_u8 "a whole number",
        deserialize_u16 visit_u16 "a whole number",
        deserialize_u32 visit_u32 "a whole number",
        deserialize_u64 visit_u64 "a whole number",
        deserialize_f32 visit_f32 "a number",
        deserialize_f64 visit_f64 "a number",
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(members) if members.is_empty() || items(members).is_none() => self.deserialize_map(visitor),
            Value::Object(_) | Value::Array(_) => self.deserialize_seq(visitor),
            value => visitor.visit_borrowed_str(value.as_str().unwrap_or_default()),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let items = match self.0 {
            Value::Array(items) => items.iter().collect(),
            Value::Object(members) => items(members)
                .ok_or_else(|| Error::invalid_type(Unexpected::Map, &"a list, whose items have numbers"))?,
            one => vec![one],
        };
        visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Texts)))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| (name.as_str(), Texts(value)));
                visitor.visit_map(MapDeserializer::new(members))
            }
            _ => Err(Error::invalid_type(Unexpected::Other("text"), &"an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.0.as_str().unwrap_or_default().into_deserializer())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

/// The items of a list: texts, or members that have numbers for names, in their order.
pub(super) fn items(members: &Map<String, Value>) -> Option<Vec<&Value>> {
    let mut items: Vec<(usize, &Value)> = members
        .iter()
        .map(|(name, value)| Some((name.parse().ok()?, value)))
        .collect::<Option<_>>()?;
    items.sort_by_key(|(index, _)| *index);
    Some(items.into_iter().map(|(_, value)| value).collect())
}
