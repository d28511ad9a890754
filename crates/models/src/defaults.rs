//! Fields that are never without a value: null and absence are both the document's default.

#![allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]

use serde::{Deserialize, Deserializer};

use crate::JsonObject;

/// Reads a value; null is the default.
pub(crate) fn null_as<'de, D, T>(reader: D, default: fn() -> T) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::deserialize(reader)?.unwrap_or_else(default))
}

/// The object of a JSON text that the generator wrote.
pub(crate) fn object_of(text: &str) -> JsonObject {
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::{OAuthProvider, ProviderAuthType, ProviderSourceType};

    #[test]
    fn null_and_absent_are_the_default() {
        for rest in ["", r#","auth_type":null,"source_type":null,"is_active":null"#] {
            let text = format!(r#"{{"name":"N","slug":"n","description":"","id":1{rest}}}"#);
            let provider: OAuthProvider = serde_json::from_str(&text).expect("a provider");
            assert_eq!(provider.auth_type, ProviderAuthType::Oauth);
            assert_eq!(provider.source_type, ProviderSourceType::Device);
            assert!(provider.is_active);
        }
    }
}
