//! Enums of whole numbers, which keep the values that the document does not name.

/// An enum of numbers, which keeps other numbers in the variant `Other`.
#[doc(hidden)]
#[macro_export]
macro_rules! integer_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($variant:ident = $value:literal),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $value, "`")] $variant,)*
            /// A number that the document does not name. Made by `from`, it is never one that it names.
            Other(i64),
        }

        impl $name {
            /// The values that the document names, in its order.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant),*];

            /// The number as it is written in JSON.
            pub fn value(self) -> i64 {
                match self {
                    $(Self::$variant => $value,)*
                    Self::Other(value) => value,
                }
            }
        }

        impl From<i64> for $name {
            fn from(value: i64) -> Self {
                match value {
                    $($value => Self::$variant,)*
                    other => Self::Other(other),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.value(), f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(text: &str) -> Result<Self, std::num::ParseIntError> {
                text.parse::<i64>().map(Self::from)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_i64(self.value())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <i64 as serde::Deserialize>::deserialize(deserializer).map(Self::from)
            }
        }

        #[cfg(feature = "schemars")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "integer", "x-extensible-enum": [$($value),*] })
            }
        }
    };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro makes public types")]
mod tests {
    integer_enum! {
        pub enum Level { Value1 = 1, Minus2 = -2 }
    }

    #[test]
    fn unknown_numbers_round_trip() {
        for (text, level) in [("1", Level::Value1), ("-2", Level::Minus2), ("7", Level::Other(7))] {
            assert_eq!(serde_json::from_str::<Level>(text).ok(), Some(level));
            assert_eq!(serde_json::to_string(&level).ok().as_deref(), Some(text));
            assert_eq!(text.parse::<Level>().ok(), Some(level));
        }
        assert!(serde_json::from_str::<Level>("\"1\"").is_err());
        assert_eq!(Level::KNOWN, [Level::Value1, Level::Minus2]);
    }
}
