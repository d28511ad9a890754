//! Meaning of null and absence of fields. Where a field has a default, both are that; where it has `x-distinguish-null`, they
//! differ.

use serde::{Deserialize, Deserializer};

use crate::JsonObject;

/// Reads a value; null is the default.
pub fn null_as<'de, D, T>(reader: D, default: fn() -> T) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::deserialize(reader)?.unwrap_or_else(default))
}

/// Reads a value that is present, null being `Some(None)`. An absent field is not read: it is `None` by
/// `#[serde(default)]`.
pub fn present<'de, D, T>(reader: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(reader).map(Some)
}

/// The object of a JSON text that the generator wrote.
pub fn object_of(text: &str) -> JsonObject {
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Deserializer, Serialize};

    /// A struct as the generator writes it.
    #[derive(Debug, PartialEq, Deserialize, Serialize)]
    #[cfg_attr(feature = "builder", derive(bon::Builder), builder(on(String, into)))]
    struct Change {
        #[serde(
            default,
            deserialize_with = "super::present",
            skip_serializing_if = "Option::is_none"
        )]
        name: Option<Option<String>>,
    }

    #[test]
    fn null_and_absent_differ_where_the_document_says_so() {
        for (text, name) in [
            ("{}", None),
            (r#"{"name":null}"#, Some(None)),
            (r#"{"name":"N"}"#, Some(Some("N".to_owned()))),
        ] {
            let change = Change { name };
            assert_eq!(serde_json::from_str::<Change>(text).expect("a change"), change);
            assert_eq!(serde_json::to_string(&change).expect("JSON"), text);
        }
        assert!(serde_json::from_str::<Change>(r#"{"name":1}"#).is_err());
    }

    #[cfg(feature = "builder")]
    #[test]
    fn builders_take_null_as_none() {
        let named = Change::builder().name(Some("N".to_owned())).build();
        assert_eq!(named.name, Some(Some("N".to_owned())));
        assert_eq!(Change::builder().name(None).build().name, Some(None));
        assert_eq!(Change::builder().build().name, None);
    }

    #[test]
    fn null_and_absent_are_the_default() {
        #[derive(Deserialize)]
        struct Provider {
            #[serde(default = "active", deserialize_with = "read_active")]
            is_active: bool,
        }

        fn active() -> bool {
            true
        }

        fn read_active<'de, D: Deserializer<'de>>(reader: D) -> Result<bool, D::Error> {
            super::null_as(reader, active)
        }

        for (text, is_active) in [
            ("{}", true),
            (r#"{"is_active":null}"#, true),
            (r#"{"is_active":false}"#, false),
        ] {
            let provider: Provider = serde_json::from_str(text).expect("a provider");
            assert_eq!(provider.is_active, is_active, "{text}");
        }
    }
}
