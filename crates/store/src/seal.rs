//! Encryption of secrets and patient data in the store.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use aes_gcm_siv::aead::{Aead, KeyInit, Payload};
use aes_gcm_siv::{Aes256GcmSiv, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hkdf::Hkdf;
use sha2::{Digest, Sha256};

use crate::StoreError;

/// A 32-byte key that encrypts secrets and patient data.
#[derive(Clone)]
pub struct SecretKey([u8; 32]);

impl SecretKey {
    /// Reads a key from its base64 text.
    ///
    /// # Errors
    ///
    /// The reason why the text is invalid, without the text.
    pub fn from_base64(text: &str) -> Result<Self, &'static str> {
        let bytes = STANDARD
            .decode(text.trim())
            .map_err(|_| "a secret key is base64 text")?;
        let bytes = bytes.try_into().map_err(|_| "a secret key is 32 bytes in base64")?;
        Ok(Self(bytes))
    }

    /// Returns the beginning of a hash of the key, which distinguishes keys.
    fn name(&self) -> String {
        let hash = Sha256::new_with_prefix("wearlab key name")
            .chain_update(self.0)
            .finalize();
        data_encoding::HEXLOWER.encode(&hash[..8])
    }

    /// Derives a key for one purpose (HKDF with SHA-256, RFC 5869). It reveals neither this key nor the keys of other
    /// purposes.
    fn derive(&self, purpose: &str) -> [u8; 32] {
        let mut derived = [0; 32];
        if Hkdf::<Sha256>::new(Some(DERIVATION), &self.0)
            .expand(purpose.as_bytes(), &mut derived)
            .is_err()
        {
            unreachable!("HKDF makes keys of 32 bytes")
        }
        derived
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

/// The salt of derived keys.
const DERIVATION: &[u8] = b"wearlab derived keys 1";

/// Prefix of an encrypted text. No JSON text begins like this.
const MARK: &str = "sealed:1:";

const UNREADABLE: StoreError = StoreError::Sealed;

/// Encrypts with the first of its keys, decrypts with any. Without keys, texts stay plain.
pub(crate) struct Seal {
    ciphers: Vec<Aes256GcmSiv>,
    keys: Vec<SecretKey>,
    /// True if [`Seal::close_required`] fails without a key.
    refuses_plaintext: AtomicBool,
    /// Name of the first key.
    key_name: String,
}

impl Seal {
    pub(crate) fn new(keys: &[SecretKey]) -> Self {
        Self {
            keys: keys.to_vec(),
            refuses_plaintext: AtomicBool::new(false),
            ciphers: keys.iter().map(|key| Aes256GcmSiv::new(&key.0.into())).collect(),
            key_name: keys.first().map_or_else(String::new, SecretKey::name),
        }
    }

    /// Keys for one purpose, derived from each secret key, in the same order.
    pub(crate) fn derived_keys(&self, purpose: &str) -> Vec<[u8; 32]> {
        self.keys.iter().map(|key| key.derive(purpose)).collect()
    }

    /// Returns whether there is a key.
    pub(crate) fn has_key(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Makes later calls fail that would store a required secret in plain text.
    pub(crate) fn refuse_plaintext(&self) {
        self.refuses_plaintext.store(true, Ordering::Relaxed);
    }

    /// Fails if `what` would be stored in plain text, and that is refused.
    pub(crate) fn require_key(&self, what: &'static str) -> Result<(), StoreError> {
        match self.ciphers.is_empty() && self.refuses_plaintext.load(Ordering::Relaxed) {
            true => Err(StoreError::NoSecretKey { what }),
            false => Ok(()),
        }
    }

    /// Encrypts a text like [`Seal::close`]. Fails without a key if plain text is refused. `what` names the kind of
    /// text in the error.
    pub(crate) fn close_required(
        &self,
        what: &'static str,
        owner: &[u8; 16],
        text: String,
    ) -> Result<String, StoreError> {
        self.require_key(what)?;
        self.close(owner, text)
    }

    /// Returns the name of the encrypting key, which reveals nothing of it. Empty without keys.
    pub(crate) fn key_name(&self) -> &str {
        &self.key_name
    }

    /// Encrypts a text, bound to `owner`: it cannot be decrypted for another one.
    ///
    /// The same text gives the same bytes, so that writing it again changes nothing. The cipher is nonce-misuse
    /// resistant: with a fixed nonce it reveals only that two texts of one owner are equal.
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

    /// Decrypts a text.
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
    use crate::StoreError;

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
    fn derived_keys_differ_by_purpose_and_key() {
        let seal = Seal::new(&[[1; 32].into(), [2; 32].into()]);
        let (cursors, urls) = (seal.derived_keys("cursors"), seal.derived_keys("urls"));
        let all: std::collections::BTreeSet<_> = cursors.iter().chain(&urls).chain([&[1; 32], &[2; 32]]).collect();
        assert_eq!(all.len(), 6);
        assert_eq!(Seal::new(&[[1; 32].into()]).derived_keys("cursors"), cursors[..1]);
        assert!(Seal::new(&[]).derived_keys("cursors").is_empty());
        // The result of `openssl kdf`, which must never change.
        let hex: String = cursors[0].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "fa562fd0d2eb95999b5ebf4807b756b3d89f721f6157a1c96fbd006f2d2edcbc");
    }

    #[test]
    fn plain_text_is_refused_where_it_is_asked_for() {
        let (open, sealed) = (Seal::new(&[]), Seal::new(&[[1; 32].into()]));
        let close = |seal: &Seal| seal.close_required("orders", &[7; 16], TEXT.to_owned());
        assert_eq!(close(&open).expect("is allowed"), TEXT);
        open.refuse_plaintext();
        sealed.refuse_plaintext();
        assert!(matches!(close(&open), Err(StoreError::NoSecretKey { what: "orders" })));
        assert!(!close(&sealed).expect("seals").contains("amqp"));
        assert_eq!(open.close(&[7; 16], TEXT.to_owned()).expect("is not required"), TEXT);
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
