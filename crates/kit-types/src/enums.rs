//! Enums of strings: open ones keep unknown values, closed ones reject them.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;

/// Value of the open enum `E` that the document does not list.
///
/// It cannot be constructed directly: `E::from("phone")` returns the listed variant if there is one, so that equal values
/// are equal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unknown<E> {
    text: Box<str>,
    of: PhantomData<fn() -> E>,
}

impl<E> Unknown<E> {
    /// Wraps a value that is not listed.
    #[doc(hidden)]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.into(),
            of: PhantomData,
        }
    }

    /// Returns the value as received.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<E> fmt::Debug for Unknown<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

/// Error for a text that is not a value of a closed enum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}", known.join(", "))]
pub struct ParseEnumError {
    known: &'static [&'static str],
}

impl ParseEnumError {
    /// Creates an error that lists the values of the enum.
    #[doc(hidden)]
    pub fn new(known: &'static [&'static str]) -> Self {
        Self { known }
    }
}

/// Deserializes an enum from a string, borrowed if possible.
pub fn read_text<'de, D, T>(deserializer: D, make: impl FnOnce(&str) -> T) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
{
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);
    Text::deserialize(deserializer).map(|text| make(&text.0))
}

/// Defines an enum that keeps values which the document does not list, in the variant `Other`.
#[doc(hidden)]
#[macro_export]
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($variant:ident = $value:literal),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $value, "`")] $variant,)*
            /// A value that the document does not list, as received.
            Other($crate::Unknown<$name>),
        }

        impl $name {
            /// Values that the document lists, in its order.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the value as it is in JSON.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $value,)*
                    Self::Other(unknown) => unknown.as_str(),
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($value => Self::$variant,)*
                    unknown => Self::Other($crate::Unknown::new(unknown)),
                }
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::from(text.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;
            fn from_str(text: &str) -> Result<Self, std::convert::Infallible> {
                Ok(Self::from(text))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::enums::read_text(deserializer, |text| Self::from(text))
            }
        }

        $crate::text_impls!($name, [$($value),*], "x-extensible-enum");
    };
}

/// Defines an enum that rejects values which the document does not list.
#[doc(hidden)]
#[macro_export]
macro_rules! closed_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($variant:ident = $value:literal),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $value, "`")] $variant,)*
        }

        impl $name {
            /// All values, in the order of the document.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the value as it is in JSON.
            pub fn as_str(&self) -> &'static str {
                match self {
                    $(Self::$variant => $value,)*
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::ParseEnumError;
            fn from_str(text: &str) -> Result<Self, $crate::ParseEnumError> {
                match text {
                    $($value => Ok(Self::$variant),)*
                    _ => Err($crate::ParseEnumError::new(&[$($value),*])),
                }
            }
        }

        impl TryFrom<&str> for $name {
            type Error = $crate::ParseEnumError;
            fn try_from(text: &str) -> Result<Self, $crate::ParseEnumError> {
                text.parse()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::enums::read_text(deserializer, str::parse)?.map_err(serde::de::Error::custom)
            }
        }

        $crate::text_impls!($name, [$($value),*], "enum");
    };
}

/// Items of both kinds of enums.
#[doc(hidden)]
#[macro_export]
macro_rules! text_impls {
    ($name:ident, [$($value:literal),*], $keyword:literal) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        #[cfg(feature = "schemars")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", $keyword: [$($value),*] })
            }
        }
    };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macros make public types")]
mod tests {
    use std::collections::BTreeMap;

    open_enum! {
        pub enum Kind { Phone = "phone", SmartRing = "smart_ring", Unknown = "unknown" }
    }

    closed_enum! {
        pub enum Environment { Production = "production", Sandbox = "sandbox" }
    }

    #[test]
    fn unknown_values_round_trip() {
        for text in [
            r#""phone""#,
            r#""unknown""#,
            r#""other""#,
            r#""Phone""#,
            r#""smart mirror \u00e9""#,
            r#""""#,
        ] {
            let kind: Kind = serde_json::from_str(text).expect("an open enum reads any string");
            let plain: String = serde_json::from_str(text).expect("a string");
            assert_eq!(kind.as_str(), plain);
            assert_eq!(serde_json::to_string(&kind).ok(), serde_json::to_string(&plain).ok());
        }
        assert_eq!(Kind::from("phone"), Kind::Phone);
        assert_eq!(format!("{:?}", Kind::from("mirror")), r#"Other("mirror")"#);
        assert_eq!(Kind::from("unknown"), Kind::Unknown);
        assert_eq!(Kind::KNOWN, [Kind::Phone, Kind::SmartRing, Kind::Unknown]);
    }

    #[test]
    fn enums_are_keys_of_maps() {
        let map = BTreeMap::from([(Kind::SmartRing, 1), (Kind::from("new"), 2)]);
        let text = serde_json::to_string(&map).expect("a map");
        assert_eq!(text, r#"{"smart_ring":1,"new":2}"#);
        assert_eq!(serde_json::from_str::<BTreeMap<_, _>>(&text).ok(), Some(map));
    }

    #[test]
    fn closed_enums_refuse_without_repeating_the_value() {
        let error = "staging".parse::<Environment>().expect_err("closed");
        assert_eq!(error.to_string(), "expected one of production, sandbox");
        assert!(serde_json::from_str::<Environment>(r#""staging""#).is_err());
        assert_eq!(Environment::ALL, [Environment::Production, Environment::Sandbox]);
    }
}
