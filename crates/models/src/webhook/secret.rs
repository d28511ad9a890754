//! The secret shared by sender and receiver of webhooks, and its signatures.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use thiserror::Error;

const PREFIX: &str = "whsec_";
const VERSION: &str = "v1";

/// Writes padding, and reads base64 with and without it: other libraries do both.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The secret of one endpoint: `whsec_` and 24 to 64 bytes in base64. `Debug` does not show it.
#[derive(Clone)]
pub struct SigningSecret(Vec<u8>);

/// Error of an invalid secret. Shows nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The prefix `whsec_` is missing.
    #[error("a signing secret begins with whsec_")]
    Prefix,
    /// The text behind `whsec_` is not base64.
    #[error("a signing secret is base64 after whsec_")]
    Base64,
    /// Too short to be safe, or too long for others to read.
    #[error("a signing secret has 24 to 64 bytes, and this one {0}")]
    Length(usize),
}

impl SigningSecret {
    /// A secret of random bytes.
    ///
    /// # Errors
    ///
    /// If there are fewer than 24 or more than 64.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SecretError> {
        match bytes.len() {
            24..=64 => Ok(Self(bytes.to_owned())),
            other => Err(SecretError::Length(other)),
        }
    }

    /// The secret itself, as the receiver gets it. Keep it out of logs and error texts.
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}", BASE64.encode(&self.0))
    }

    /// The signature of an event that is sent at a time, in seconds since 1970: `v1,` and base64.
    ///
    /// `id` must not contain a full stop, which separates it from the time in the signed text.
    pub fn sign(&self, id: &str, timestamp: u64, body: &[u8]) -> String {
        let signature = self.mac(id, &timestamp.to_string(), body).finalize();
        format!("{VERSION},{}", BASE64.encode(signature.into_bytes()))
    }

    /// Returns whether one of the signatures in a header is by this secret, in constant time.
    pub(super) fn made_any_of(&self, signatures: &str, id: &str, timestamp: &str, body: &[u8]) -> bool {
        let mac = self.mac(id, timestamp, body);
        signatures
            .split(' ')
            .filter_map(|signature| signature.strip_prefix(VERSION)?.strip_prefix(','))
            .filter_map(|signature| BASE64.decode(signature).ok())
            .any(|signature| mac.clone().verify_slice(&signature).is_ok())
    }

    fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("any length is a key");
        mac.chain_update(id)
            .chain_update(".")
            .chain_update(timestamp)
            .chain_update(".")
            .chain_update(body)
    }
}

impl FromStr for SigningSecret {
    type Err = SecretError;

    fn from_str(text: &str) -> Result<Self, SecretError> {
        let encoded = text.strip_prefix(PREFIX).ok_or(SecretError::Prefix)?;
        let bytes = BASE64.decode(encoded).map_err(|_| SecretError::Base64)?;
        Self::from_bytes(&bytes)
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::{SecretError, SigningSecret};

    #[test]
    fn secrets_are_read_as_they_are_written() {
        for length in 24..=64 {
            let secret = SigningSecret::from_bytes(&vec![7; length]).expect("a secret");
            let text = secret.expose();
            let again: SigningSecret = text.parse().expect("a secret");
            assert_eq!(again.expose(), text);
            let unpadded: SigningSecret = text.trim_end_matches('=').parse().expect("a secret");
            assert_eq!(unpadded.expose(), text);
            assert_eq!(format!("{secret:?}"), "SigningSecret(..)");
        }
    }

    #[test]
    fn it_signs_as_other_libraries_do() {
        // Output of PyPI `standardwebhooks` 1.1.0 for the same input.
        let secret: SigningSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
            .parse()
            .expect("a secret");
        assert_eq!(
            secret.sign("evt_1", 1_700_000_000, br#"{"event_type":"lab.order.created"}"#),
            "v1,5qjUakn4GzV2+vBFMhwCCSdoPGCDmfjZSZbJ7z8t/X8="
        );
    }

    #[test]
    fn what_is_no_secret_is_refused() {
        let of = |bytes: usize| SigningSecret::from_bytes(&vec![7; bytes]).map(|_| ());
        assert_eq!(of(23), Err(SecretError::Length(23)));
        assert_eq!(of(65), Err(SecretError::Length(65)));
        let read = |text: &str| text.parse::<SigningSecret>().map(|_| ());
        assert_eq!(read("MDEyMzQ1Njc4OWFiY2RlZg=="), Err(SecretError::Prefix));
        assert_eq!(read("whsec_***"), Err(SecretError::Base64));
        assert_eq!(read("whsec_"), Err(SecretError::Length(0)));
        assert_eq!(read("whsec_MDEyMzQ1Njc4OWFiY2RlZg=="), Err(SecretError::Length(16)));
    }
}
