//! Signed tokens. They carry their grant, so that they stay valid when the simulation starts again.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use uuid::Uuid;

use super::grant::Grant;

/// Use of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Access,
    Refresh,
}

/// Content of a token.
#[derive(Deserialize, Serialize)]
pub(super) struct Token {
    pub(super) id: Uuid,
    kind: Kind,
    pub(super) grant: Grant,
    pub(super) issued: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<DateTime<Utc>>,
}

impl Token {
    /// Creates a token that ends after a time, if at all.
    pub(super) fn new(kind: Kind, grant: &Grant, lifetime: Option<TimeDelta>) -> Self {
        let issued = Utc::now();
        Self {
            id: Uuid::new_v4(),
            kind,
            grant: grant.clone(),
            issued,
            ends: lifetime.map(|lifetime| issued + lifetime),
        }
    }
}

/// Keys of signatures. The first one signs, each verifies.
pub(super) struct TokenKeys(Vec<[u8; 32]>);

impl TokenKeys {
    pub(super) fn new(keys: Vec<[u8; 32]>) -> Self {
        Self(keys)
    }

    /// Creates a key of this run.
    pub(super) fn random() -> Self {
        let mut key = [0; 32];
        key[..16].copy_from_slice(Uuid::new_v4().as_bytes());
        key[16..].copy_from_slice(Uuid::new_v4().as_bytes());
        Self(vec![key])
    }

    /// Returns the text of a token: its content, and the signature.
    pub(super) fn sign(&self, token: Token) -> String {
        let content = serde_json::to_vec(&token).unwrap_or_default();
        let content = BASE64_URL_SAFE_NO_PAD.encode(content);
        let signature = self.0.first().map(|key| mac(key, &content).finalize().into_bytes());
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature.unwrap_or_default());
        format!("{content}.{signature}")
    }

    /// Returns the content of a token, if it was signed here, is for this use, and has not ended.
    pub(super) fn verify(&self, token: &str, kind: Kind) -> Option<Token> {
        let (content, signature) = token.split_once('.')?;
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
        let mut keys = self.0.iter();
        keys.find(|key| mac(key, content).verify_slice(&signature).is_ok())?;
        let content = BASE64_URL_SAFE_NO_PAD.decode(content).ok()?;
        let token: Token = serde_json::from_slice(&content).ok()?;
        let is_valid = token.kind == kind && token.ends.is_none_or(|ends| ends > Utc::now());
        is_valid.then_some(token)
    }
}

fn mac(key: &[u8; 32], content: &str) -> Hmac<Sha256> {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        unreachable!("HMAC takes keys of any length")
    };
    mac.update(content.as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::{Kind, Token, TokenKeys};
    use crate::simulated::oauth::grant::Grant;

    #[test]
    fn tokens_are_valid_for_their_use_until_they_end() {
        let keys = TokenKeys::new(vec![[7; 32], [8; 32]]);
        let grant = Grant::new(["sleep".to_owned()].into());
        let hour = Some(TimeDelta::hours(1));
        let access = keys.sign(Token::new(Kind::Access, &grant, hour));
        let verified = keys.verify(&access, Kind::Access).expect("it is valid");
        assert_eq!(verified.grant, grant);
        assert!(keys.verify(&access, Kind::Refresh).is_none(), "another use");
        let ended = keys.sign(Token::new(Kind::Access, &grant, Some(TimeDelta::zero())));
        assert!(keys.verify(&ended, Kind::Access).is_none());

        let rotated = TokenKeys::new(vec![[9; 32], [7; 32]]);
        assert!(rotated.verify(&access, Kind::Access).is_some(), "an earlier key");
        let other = TokenKeys::new(vec![[8; 32]]);
        assert!(other.verify(&access, Kind::Access).is_none(), "another store");
        let (content, signature) = access.split_once('.').expect("two parts");
        for forged in [
            "",
            ".",
            "a.",
            "a.b",
            content,
            &format!("{content}."),
            &format!("x{content}.{signature}"),
        ] {
            assert!(keys.verify(forged, Kind::Access).is_none(), "{forged}");
        }
    }
}
