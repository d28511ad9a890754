//! Encrypts what the store must not show to whoever gets hold of its files.

use std::fmt;

use aes_gcm_siv::aead::{Aead, KeyInit, Payload};
use aes_gcm_siv::{Aes256GcmSiv, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::StoreError;

/// A key of 32 bytes that pipelines and endpoints of webhooks are encrypted with.
#[derive(Clone)]
pub struct SecretKey([u8; 32]);

impl SecretKey {
    /// Reads a key from its base64 text.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, without the text.
    pub fn from_base64(text: &str) -> Result<Self, &'static str> {
        let bytes = STANDARD
            .decode(text.trim())
            .map_err(|_| "a secret key is base64 text")?;
        let bytes = bytes.try_into().map_err(|_| "a secret key is 32 bytes in base64")?;
        Ok(Self(bytes))
    }

    /// The beginning of a hash of the key: enough to tell keys apart.
    fn name(&self) -> String {
        let hash = Sha256::new_with_prefix("wearlab key name")
            .chain_update(self.0)
            .finalize();
        hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl From<[u8; 32]> for SecretKey {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// Comes before a sealed text. No JSON text begins like this.
const MARK: &str = "sealed:1:";

const UNREADABLE: StoreError = StoreError::Sealed;

/// Seals with the first of its keys, opens with any; without keys it leaves texts as they are.
pub(crate) struct Seal {
    ciphers: Vec<Aes256GcmSiv>,
    /// Tells the first key from others.
    key_name: String,
}

impl Seal {
    pub(crate) fn new(keys: &[SecretKey]) -> Self {
        Self {
            ciphers: keys.iter().map(|key| Aes256GcmSiv::new(&key.0.into())).collect(),
            key_name: keys.first().map_or_else(String::new, SecretKey::name),
        }
    }

    /// Names the key that it seals with, without telling anything of it; empty without keys.
    pub(crate) fn key_name(&self) -> &str {
        &self.key_name
    }

    /// Seals a text that belongs to `owner`: it cannot be opened as somebody else's.
    ///
    /// The same text gives the same bytes, so that writing it again changes nothing: this cipher stays safe without a
    /// fresh nonce, and tells nothing but that two texts of one owner are equal.
    pub(crate) fn close(&self, owner: &[u8; 16], text: String) -> Result<String, StoreError> {
        let Some(cipher) = self.ciphers.first() else {
            return Ok(text);
        };
        let payload = Payload {
            msg: text.as_bytes(),
            aad: owner,
        };
        let sealed = cipher.encrypt(&Nonce::default(), payload).map_err(|_| UNREADABLE)?;
        Ok(format!("{MARK}{}", STANDARD.encode(sealed)))
    }

    /// The text that was sealed.
    pub(crate) fn open(&self, owner: &[u8; 16], text: String) -> Result<String, StoreError> {
        let Some(sealed) = text.strip_prefix(MARK) else {
            return Ok(text);
        };
        let sealed = STANDARD.decode(sealed).map_err(|_| UNREADABLE)?;
        let opened = self.ciphers.iter().find_map(|cipher| {
            let payload = Payload {
                msg: &sealed,
                aad: owner,
            };
            cipher.decrypt(&Nonce::default(), payload).ok()
        });
        String::from_utf8(opened.ok_or(UNREADABLE)?).map_err(|_| UNREADABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::{Seal, SecretKey};

    const TEXT: &str = r#"{"uri":"amqp://me:pass@mq.example"}"#;

    #[test]
    fn what_is_sealed_shows_nothing_and_opens_with_its_key_for_its_owner() {
        let seal = Seal::new(&[[1; 32].into()]);
        let sealed = seal.close(&[7; 16], TEXT.to_owned()).expect("seals");
        assert!(!sealed.contains("amqp") && !sealed.contains('{'));
        assert_eq!(seal.close(&[7; 16], TEXT.to_owned()).expect("seals"), sealed, "twice");
        assert_eq!(seal.open(&[7; 16], sealed.clone()).expect("opens"), TEXT);
        assert!(seal.open(&[8; 16], sealed.clone()).is_err(), "of somebody else");
        assert!(Seal::new(&[]).open(&[7; 16], sealed.clone()).is_err(), "without a key");
        assert!(
            Seal::new(&[[2; 32].into()]).open(&[7; 16], sealed.clone()).is_err(),
            "another key"
        );
        let rotated = Seal::new(&[[2; 32].into(), [1; 32].into()]);
        assert_eq!(rotated.open(&[7; 16], sealed).expect("an older key"), TEXT);
        assert_eq!(rotated.open(&[7; 16], TEXT.to_owned()).expect("older text"), TEXT);
    }

    #[test]
    fn a_key_is_32_bytes_of_base64() {
        assert!(SecretKey::from_base64("AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n").is_ok());
        for wrong in ["", "?", "AQEB", "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"] {
            let error = SecretKey::from_base64(wrong).expect_err("is refused");
            assert!(wrong.is_empty() || !error.contains(wrong));
        }
    }
}
