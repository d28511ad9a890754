//! API keys in the store: their hashes, and the information that an operator sees.

use std::fmt;
use std::str::FromStr;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;
use wearlab_models::{DateTime, Secret};

use crate::{KeyScopes, has_control_characters};

/// The SHA-256 of a key or token, as 64 hexadecimal digits.
///
/// A random key has enough entropy to need neither a salt nor a slow hash. The time of a lookup by hash reveals
/// nothing. The hash alone gives no access to the service.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Hashes a key.
    pub fn of(key: &str) -> Self {
        Self(Sha256::digest(key.as_bytes()).into())
    }

    /// Returns the id of the key, as in [`KeyInfo::id`]: the first 16 digits of its hash.
    pub fn id(&self) -> String {
        let mut digits = String::from(*self);
        digits.truncate(16);
        digits
    }

    /// Returns the first and the last hash with an [id](Self::id).
    pub(crate) fn range_of(id: &str) -> Option<([u8; 32], [u8; 32])> {
        let of = |digit: char| {
            let rest = digit.to_string().repeat(48);
            format!("{id}{rest}").parse::<Self>().ok().map(|hash| hash.0)
        };
        Some((of('0')?, of('f')?))
    }

    pub(crate) fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for KeyHash {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "a hash is 64 hexadecimal digits";
        let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map_err(|_| WRONG)?;
        let bytes = bytes.try_into().map_err(|_| WRONG)?;
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for KeyHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<KeyHash> for String {
    fn from(hash: KeyHash) -> Self {
        HEXLOWER.encode(&hash.0)
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(..)")
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for KeyHash {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "KeyHash".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-fA-F]{64}$" })
    }
}

/// A key of a team or of an organisation. It has one of the two ids, and the key or its hash.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KeyRecord {
    /// The team, of a team key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<Uuid>,
    /// The organisation, of a management key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org_id: Option<String>,
    /// Display name of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Scopes of the key. Defaults to `read`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<KeyScopes>,
    /// Time of creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_on: Option<DateTime>,
    /// Time of revocation, which is final.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_on: Option<DateTime>,
    /// The key itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Secret>,
    /// The hash of the key, if the key itself is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<KeyHash>,
}

/// Minimum length of a key in characters: a shorter one could be guessed.
const MIN_KEY_LENGTH: usize = 16;

impl KeyRecord {
    /// Checks the fields that people choose: the key, unless it is given by its hash, the name and the scopes.
    ///
    /// # Errors
    ///
    /// The invalid field, and the reason without its value.
    pub fn check(&self) -> Result<(), (&'static str, &'static str)> {
        if self.name.as_deref().is_some_and(has_control_characters) {
            return Err(("name", "must not have control characters or invisible ones"));
        }
        if self.scopes.is_some_and(KeyScopes::is_empty) {
            return Err(("scopes", "must have one of read, write, ingest and admin"));
        }
        let Some(key) = self.key.as_ref().map(Secret::expose) else {
            return Ok(());
        };
        // The key is sent in a header.
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(("key", "must have letters, digits and signs of ASCII alone"));
        }
        match key.len() < MIN_KEY_LENGTH {
            true => Err(("key", "must have 16 characters or more, best made at random")),
            false => Ok(()),
        }
    }

    /// Creates a key of a team.
    pub fn of_team(team_id: Uuid, key: impl Into<String>) -> Self {
        Self {
            team_id: Some(team_id),
            org_id: None,
            ..Self::new(key)
        }
    }

    /// Creates a management key of an organisation.
    pub fn of_organisation(org_id: impl Into<String>, key: impl Into<String>) -> Self {
        Self {
            org_id: Some(org_id.into()),
            ..Self::new(key)
        }
    }

    fn new(key: impl Into<String>) -> Self {
        Self {
            team_id: None,
            org_id: None,
            name: None,
            scopes: None,
            created_on: None,
            revoked_on: None,
            key: Some(Secret::new(key)),
            hash: None,
        }
    }
}

/// The owner of a key, with the key's scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyOwner<T> {
    /// The team or organisation of the key.
    pub owner: T,
    /// Scopes of the key.
    pub scopes: KeyScopes,
}

/// A key as an operator sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyInfo {
    /// The id of the key: the first 16 digits of its hash.
    pub id: String,
    /// The key, with its hash in place of the key itself.
    pub record: KeyRecord,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::KeyRecord;

    #[test]
    fn keys_are_long_and_names_are_one_line() {
        let key = |key: &str| KeyRecord::of_team(Uuid::nil(), key);
        for good in ["wl_team_0123456789", "0123456789abcdef", "!#$%&'*+-.^_`|~(){}"] {
            assert_eq!(key(good).check(), Ok(()), "{good}");
        }
        for bad in [
            "",
            "k",
            "0123456789abcde",
            "0123456789 abcdef",
            "0123456789\nabcdef",
            "0123456789abcd\u{e9}f",
        ] {
            assert_eq!(key(bad).check().map_err(|(field, _)| field), Err("key"), "{bad:?}");
        }
        for (name, good) in [
            ("a name", true),
            ("", true),
            ("a\nb", false),
            ("\u{1b}[2J", false),
            ("\u{7f}", false),
        ] {
            let record = KeyRecord {
                name: Some(name.to_owned()),
                ..key("0123456789abcdef")
            };
            assert_eq!(record.check().is_ok(), good, "{name:?}");
        }
    }
}
