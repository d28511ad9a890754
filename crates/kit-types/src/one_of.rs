//! Values of one of several types: `oneOf` and `anyOf`. Values of other types are kept.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{JsonValue, form};

/// Value of none of the types that the document lists, as received.
#[derive(Clone, PartialEq, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct UnknownValue(JsonValue);

impl UnknownValue {
    /// Wraps a value of another type.
    #[doc(hidden)]
    pub fn new(value: JsonValue) -> Self {
        Self(value)
    }

    /// Returns the value as received.
    pub fn json(&self) -> &JsonValue {
        &self.0
    }
}

/// Omits the value, which may be sensitive.
impl fmt::Debug for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnknownValue(..)")
    }
}

/// Shape of the values of a type, which distinguishes them from those of another without decoding them.
pub enum Shape {
    Any,
    Text,
    Integer,
    Number,
    Boolean,
    /// List of items of a shape.
    List(&'static Shape),
    /// Object with values of a shape.
    Map(&'static Shape),
    /// Any object.
    Object,
    /// One of several texts.
    Only(&'static [&'static str]),
    /// Object with members: name, whether it is required and not null, and the shape of the value.
    Members(&'static [(&'static str, bool, Shape)]),
}

impl Shape {
    fn fits(&self, value: &JsonValue) -> bool {
        match self {
            Self::Any => true,
            Self::Text => value.is_string(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::List(items) => value
                .as_array()
                .is_some_and(|all| all.iter().all(|item| items.fits(item))),
            Self::Map(values) => value
                .as_object()
                .is_some_and(|all| all.values().all(|value| values.fits(value))),
            Self::Object => value.is_object(),
            Self::Only(texts) => value.as_str().is_some_and(|text| texts.contains(&text)),
            Self::Members(members) => {
                value.is_object()
                    && members.iter().all(|(name, needed, shape)| match value.get(name) {
                        None | Some(JsonValue::Null) => !needed,
                        Some(member) => shape.fits(member),
                    })
            }
        }
    }

    /// Returns whether a value of a form matches. Its scalars are texts.
    fn fits_texts(&self, value: &JsonValue) -> bool {
        match (self, value) {
            (Self::Integer | Self::Number | Self::Boolean, JsonValue::String(text)) => {
                form::scalar(text).is_some_and(|value| self.fits(&value))
            }
            (Self::List(items), JsonValue::Array(all)) => all.iter().all(|item| items.fits_texts(item)),
            (Self::List(items), JsonValue::String(_)) => items.fits_texts(value),
            (Self::Map(values), JsonValue::Object(all)) => all.values().all(|value| values.fits_texts(value)),
            (Self::Members(members), JsonValue::Object(all)) => {
                members.iter().all(|(name, needed, shape)| match all.get(*name) {
                    None => !needed,
                    Some(member) => shape.fits_texts(member),
                })
            }
            _ => self.fits(value),
        }
    }

    /// Returns whether it covers every part of a matching value.
    fn covers(&self, value: &JsonValue) -> bool {
        match (self, value) {
            (Self::Any | Self::Object, _) => false,
            (Self::Members(members), JsonValue::Object(found)) => {
                found.keys().all(|key| members.iter().any(|(name, ..)| name == key))
            }
            _ => true,
        }
    }
}

/// Returns the first shape that matches a value: of those that cover all of its members, or else of all. In a form, a text
/// that matches none may be a number or a boolean.
pub fn chosen(value: &JsonValue, shapes: &[Shape]) -> Option<usize> {
    let fits = || shapes.iter().enumerate().filter(|(_, shape)| shape.fits(value));
    let first = fits().find(|(_, shape)| shape.covers(value)).or_else(|| fits().next());
    let texts = || {
        let fits = |shape: &Shape| form::is_read() && shape.fits_texts(value);
        shapes.iter().position(fits)
    };
    first.map(|(index, _)| index).or_else(texts)
}

/// Deserializes a value as a type, which decides the meaning of texts in a form.
pub fn decoded<T: DeserializeOwned>(value: &JsonValue) -> Option<T> {
    if form::is_read() {
        form::of(value)
    } else {
        T::deserialize(value).ok()
    }
}

/// Returns the index of the list that contains the text of a member.
pub fn named(value: &JsonValue, property: &str, texts: &[&[&str]]) -> Option<usize> {
    let text = value.get(property)?.as_str()?;
    texts.iter().position(|texts| texts.contains(&text))
}

/// Defines an enum of several types, distinguished by the texts of the member `By`, or else by their shapes.
#[doc(hidden)]
#[macro_export]
macro_rules! union {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { By = $property:literal, $($variant:ident($ty:ty $(,)?) = [$($text:literal),* $(,)?]),* $(,)? }
    ) => {
        $crate::union! {
            @ $(#[$meta])* $name { $($variant($ty)),* }
            |value| $crate::one_of::named(value, $property, &[$(&[$($text),*]),*])
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($variant:ident($ty:ty $(,)?) = $shape:expr),* $(,)? }
    ) => {
        $crate::union! {
            @ $(#[$meta])* $name { $($variant($ty)),* }
            |value| $crate::one_of::chosen(value, &{ use $crate::one_of::Shape::*; [$($shape),*] })
        }
    };
    (
        @ $(#[$meta:meta])* $name:ident { $($variant:ident($ty:ty)),* }
        $choose:expr
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[serde(untagged)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", stringify!($variant), "`")] $variant($ty),)*
            /// A value of none of these types, as received.
            Other($crate::UnknownValue),
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = <$crate::JsonValue as serde::Deserialize>::deserialize(deserializer)?;
                let choose: fn(&$crate::JsonValue) -> Option<usize> = $choose;
                let chosen = choose(&value);
                let mut index = 0;
                $(
                    if chosen == Some(index)
                        && let Some(found) = $crate::one_of::decoded::<$ty>(&value)
                    {
                        return Ok(Self::$variant(found));
                    }
                    index += 1;
                )*
                let _ = index;
                Ok(Self::Other($crate::UnknownValue::new(value)))
            }
        }

        #[cfg(feature = "schemars")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "anyOf": [$(generator.subschema_for::<$ty>()),*] })
            }
        }
    };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro makes public types")]
mod tests;
