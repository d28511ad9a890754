//! Values of one of several types: `oneOf` and `anyOf`. What fits none of them is kept.

#![allow(
    dead_code,
    unused_macros,
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::JsonValue;

/// A value that is of none of the types that the document names, kept as it came.
#[derive(Clone, PartialEq, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct UnknownValue(JsonValue);

impl UnknownValue {
    pub(crate) fn new(value: JsonValue) -> Self {
        Self(value)
    }

    /// The value as it came.
    pub fn json(&self) -> &JsonValue {
        &self.0
    }
}

/// Without the value, which may be sensitive.
impl fmt::Debug for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnknownValue(..)")
    }
}

/// What tells the values of one type from those of another, without decoding them.
pub(crate) enum Shape {
    Any,
    Text,
    Integer,
    Number,
    Boolean,
    /// A list of such items.
    List(&'static Shape),
    /// An object with such values.
    Map(&'static Shape),
    /// Any object.
    Object,
    /// One of these texts.
    Only(&'static [&'static str]),
    /// An object with these members: name, whether it must be there and not null, and the shape of its value.
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

    /// Whether it says something of every part of a value that fits.
    fn knows_all(&self, value: &JsonValue) -> bool {
        match (self, value) {
            (Self::Any | Self::Object, _) => false,
            (Self::Members(members), JsonValue::Object(found)) => {
                found.keys().all(|key| members.iter().any(|(name, ..)| name == key))
            }
            _ => true,
        }
    }
}

/// The first of the shapes that a value fits: of those that know all members of it, or else of all.
pub(crate) fn chosen(value: &JsonValue, shapes: &[Shape]) -> Option<usize> {
    let fits = || shapes.iter().enumerate().filter(|(_, shape)| shape.fits(value));
    let first = fits()
        .find(|(_, shape)| shape.knows_all(value))
        .or_else(|| fits().next());
    first.map(|(index, _)| index)
}

/// The one of the lists that holds the text of a member.
pub(crate) fn named(value: &JsonValue, property: &str, texts: &[&[&str]]) -> Option<usize> {
    let text = value.get(property)?.as_str()?;
    texts.iter().position(|texts| texts.contains(&text))
}

/// An enum of several types, and what tells them apart: the texts of the member `By`, or else their shapes.
macro_rules! union {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { By = $property:literal, $($variant:ident($ty:ty $(,)?) = [$($text:literal),* $(,)?]),* $(,)? }
    ) => {
        $crate::one_of::union! {
            @ $(#[$meta])* $name { $($variant($ty)),* }
            |value| $crate::one_of::named(value, $property, &[$(&[$($text),*]),*])
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($variant:ident($ty:ty $(,)?) = $shape:expr),* $(,)? }
    ) => {
        $crate::one_of::union! {
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
            /// A value of none of these types, kept as it came.
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
                        && let Ok(found) = <$ty as serde::Deserialize>::deserialize(&value)
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

pub(crate) use union;

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro makes public types")]
mod tests {
    use serde_json::json;

    use super::union;

    #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    pub struct Circle {
        kind: String,
        radius: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        inner: Option<Box<Figure>>,
    }

    #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
    pub struct Square {
        kind: String,
        side: i64,
    }

    union! {
        pub enum Figure { By = "kind", Circle(Circle) = ["circle", "ring"], Square(Square) = ["square"] }
    }

    union! {
        pub enum Loose {
            Text(String) = Text,
            Whole(i64) = Integer,
            Real(f64) = Number,
            List(Vec<i64>) = List(&Integer),
            Circle(Circle) = Members(&[("kind", true, Text), ("radius", true, Integer), ("inner", false, Object)]),
            Square(Square) = Members(&[("kind", true, Only(&["square"])), ("side", true, Integer)]),
        }
    }

    #[test]
    fn each_value_is_written_as_it_came() {
        let values = [
            json!({ "kind": "ring", "radius": 1, "inner": { "kind": "square", "side": 2 } }),
            json!({ "kind": "square", "side": 2 }),
            json!({ "kind": "star", "points": [1, null] }),
            json!({ "kind": "circle", "radius": "wide" }),
            json!("text"),
            json!(1),
            json!(1.5),
            json!([1, 2]),
            json!([1, "2"]),
            json!(null),
            json!({}),
        ];
        for value in values {
            let figure: Figure = serde_json::from_value(value.clone()).expect("any value is read");
            assert_eq!(serde_json::to_value(&figure).ok().as_ref(), Some(&value));
            let loose: Loose = serde_json::from_value(value.clone()).expect("any value is read");
            assert_eq!(serde_json::to_value(&loose).ok().as_ref(), Some(&value));
        }
    }

    #[test]
    fn variants_are_told_apart() {
        let read = |value| serde_json::from_value::<Figure>(value).expect("a figure");
        assert!(matches!(
            read(json!({ "kind": "ring", "radius": 1 })),
            Figure::Circle(_)
        ));
        assert!(matches!(
            read(json!({ "kind": "square", "side": 1 })),
            Figure::Square(_)
        ));
        assert!(matches!(read(json!({ "kind": "star" })), Figure::Other(_)));
        let read = |value| serde_json::from_value::<Loose>(value).expect("a value");
        assert!(matches!(read(json!("a")), Loose::Text(_)));
        assert!(matches!(read(json!(1)), Loose::Whole(1)));
        assert!(matches!(read(json!(1.5)), Loose::Real(_)));
        assert!(matches!(read(json!({ "kind": "square", "side": 1 })), Loose::Square(_)));
        // A member that a newer service added does not make it unknown.
        assert!(matches!(
            read(json!({ "kind": "square", "side": 1, "new": 2 })),
            Loose::Square(_)
        ));
        assert!(matches!(read(json!({ "kind": "round", "side": 1 })), Loose::Other(_)));
    }

    #[test]
    fn unknown_values_do_not_show() {
        let figure: Figure = serde_json::from_value(json!({ "kind": "x", "secret": "s3cret" })).expect("a figure");
        assert_eq!(format!("{figure:?}"), "Other(UnknownValue(..))");
    }
}
