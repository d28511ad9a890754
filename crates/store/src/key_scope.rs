//! Scopes of API keys.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A permission of an API key. None implies another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum KeyScope {
    /// Read data of the owner.
    Read,
    /// Create and change data of the owner.
    Write,
    /// Ingest data of users.
    Ingest,
    /// Administer the owner: import its records.
    Admin,
}

impl KeyScope {
    /// All scopes, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Ingest, Self::Admin];

    /// Returns the name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Ingest => "ingest",
            Self::Admin => "admin",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for KeyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for KeyScope {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|scope| scope.as_str() == text)
            .ok_or("a scope is read, write, ingest or admin")
    }
}

/// The scopes of a key.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "Vec<KeyScope>", into = "Vec<KeyScope>")]
pub struct KeyScopes(u8);

impl KeyScopes {
    /// The scopes of a key for which none are given.
    pub const READ: Self = Self(1 << KeyScope::Read as u8);

    /// Returns whether the set contains a scope.
    pub fn contains(self, scope: KeyScope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the scopes.
    pub fn iter(self) -> impl Iterator<Item = KeyScope> {
        KeyScope::ALL.into_iter().filter(move |scope| self.contains(*scope))
    }
}

impl Default for KeyScopes {
    fn default() -> Self {
        Self::READ
    }
}

impl FromIterator<KeyScope> for KeyScopes {
    fn from_iter<I: IntoIterator<Item = KeyScope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |all, scope| all | scope.bit()))
    }
}

impl From<Vec<KeyScope>> for KeyScopes {
    fn from(scopes: Vec<KeyScope>) -> Self {
        scopes.into_iter().collect()
    }
}

impl From<KeyScopes> for Vec<KeyScope> {
    fn from(scopes: KeyScopes) -> Self {
        scopes.iter().collect()
    }
}

/// Formats the names, separated by spaces, as the store keeps them.
impl fmt::Display for KeyScopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(KeyScope::as_str).collect();
        f.pad(&names.join(" "))
    }
}

impl fmt::Debug for KeyScopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl FromStr for KeyScopes {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split_whitespace().map(str::parse::<KeyScope>).collect()
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for KeyScopes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "KeyScopes".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let scope = generator.subschema_for::<KeyScope>();
        schemars::json_schema!({ "type": "array", "items": scope, "minItems": 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyScope, KeyScopes};

    #[test]
    fn scopes_are_a_set_in_one_order() {
        let scopes: KeyScopes = serde_json::from_str(r#"["ingest", "read", "ingest"]"#).expect("scopes");
        assert_eq!(serde_json::to_string(&scopes).expect("JSON"), r#"["read","ingest"]"#);
        assert_eq!(scopes.to_string(), "read ingest");
        assert_eq!(scopes.to_string().parse(), Ok(scopes));
        assert!(scopes.contains(KeyScope::Ingest) && !scopes.contains(KeyScope::Admin));
        assert_eq!(KeyScopes::READ, KeyScopes::from_iter([KeyScope::Read]));
        for bad in ["all", "Read", "read,write"] {
            assert!(bad.parse::<KeyScopes>().is_err(), "{bad}");
        }
        assert!(serde_json::from_str::<KeyScopes>(r#"["root"]"#).is_err());
    }
}
