//! Idempotency keys: hashes of requests, and stored responses that only the same request can decrypt.

use std::fmt;

use aes_gcm_siv::aead::{Aead, KeyInit, Payload};
use aes_gcm_siv::{Aes256GcmSiv, Nonce};
use sha2::{Digest, Sha256};

use crate::StoreError;

/// Domain separation of the hashes.
const ID: &[u8] = b"wearlab repeatable request id 1";
const CONTENT: &[u8] = b"wearlab repeatable request content 1";
const CIPHER: &[u8] = b"wearlab repeatable request cipher 1";

const UNREADABLE: StoreError = StoreError::Document { what: "response" };

/// A request with an `Idempotency-Key`, which may be sent again.
///
/// The store keeps only hashes of it. Its response is encrypted with a key derived from the API key and the
/// `Idempotency-Key`: an attacker with the store's files has neither.
pub struct IdempotentRequest {
    id: [u8; 32],
    content: [u8; 32],
    cipher: Aes256GcmSiv,
}

impl IdempotentRequest {
    /// Creates a request from a `credential` (the API key as it was sent) and a `key` (the `Idempotency-Key`). The
    /// request is described by the `operation`, an operation id with its path parameters, and the `body`.
    pub fn new(credential: &str, key: &str, operation: &str, body: &[u8]) -> Self {
        let of_sender = [credential.as_bytes(), key.as_bytes()];
        Self {
            id: hash(ID, of_sender),
            content: hash(CONTENT, [operation.as_bytes(), body]),
            cipher: Aes256GcmSiv::new(&hash(CIPHER, of_sender).into()),
        }
    }

    pub(crate) fn id(&self) -> &[u8; 32] {
        &self.id
    }

    pub(crate) fn content(&self) -> &[u8; 32] {
        &self.content
    }

    /// Encrypts the response, bound to this request.
    ///
    /// The cipher is nonce-misuse resistant: with a fixed nonce it reveals only that a response was the same again.
    pub(crate) fn close(&self, response: &str) -> Result<Vec<u8>, StoreError> {
        let payload = Payload {
            msg: response.as_bytes(),
            aad: &self.owner(),
        };
        let sealed = self.cipher.encrypt(&Nonce::default(), payload);
        sealed.map_err(|_| UNREADABLE)
    }

    /// Decrypts the stored response.
    pub(crate) fn open(&self, sealed: &[u8]) -> Result<String, StoreError> {
        let payload = Payload {
            msg: sealed,
            aad: &self.owner(),
        };
        let opened = self.cipher.decrypt(&Nonce::default(), payload);
        String::from_utf8(opened.map_err(|_| UNREADABLE)?).map_err(|_| UNREADABLE)
    }

    fn owner(&self) -> Vec<u8> {
        [self.id, self.content].concat()
    }
}

impl fmt::Debug for IdempotentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdempotentRequest(..)")
    }
}

/// Hashes texts, each prefixed with its length.
fn hash(label: &[u8], texts: [&[u8]; 2]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for text in [label].into_iter().chain(texts) {
        hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}

/// Outcome of the lookup of an idempotency key.
#[derive(Clone, PartialEq, Eq)]
pub enum IdempotencyOutcome {
    /// The key was not used, or too long ago.
    First,
    /// The request is a repeat. This is its stored response.
    Again(String),
    /// The key was used for a different request.
    Other,
    /// The request is a repeat, but its response was deleted with its user.
    Deleted,
}

/// Omits the response, which may hold a secret.
impl fmt::Debug for IdempotencyOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "First",
            Self::Again(_) => "Again(..)",
            Self::Other => "Other",
            Self::Deleted => "Deleted",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::IdempotentRequest;

    const RESPONSE: &str = r#"{"key":"wl_team_hush"}"#;

    fn request(credential: &str, key: &str) -> IdempotentRequest {
        IdempotentRequest::new(credential, key, "create_key", b"{}")
    }

    #[test]
    fn a_response_opens_for_its_request_alone() {
        let first = request("a credential", "a key");
        let sealed = first.close(RESPONSE).expect("encrypts");
        let shown = |part: &[u8]| sealed.windows(part.len()).any(|window| window == part);
        assert!(
            !shown(b"hush") && !shown(b"key") && !shown(first.id()),
            "it shows nothing"
        );
        assert_eq!(request("a credential", "a key").open(&sealed).expect("opens"), RESPONSE);
        for other in [
            request("another one", "a key"),
            request("a credential", "another key"),
            IdempotentRequest::new("a credential", "a key", "create_key", b"[]"),
            IdempotentRequest::new("a credential", "a key", "create_user", b"{}"),
        ] {
            assert!(other.open(&sealed).is_err());
        }
        let mut flipped = sealed.clone();
        flipped[3] ^= 1;
        assert!(first.open(&flipped).is_err());
    }

    #[test]
    fn hashes_keep_their_texts_apart() {
        let ids = [("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc")].map(|(one, other)| *request(one, other).id());
        let contents = [("ab", &b"c"[..]), ("a", b"bc"), ("abc", b""), ("", b"abc")]
            .map(|(operation, body)| *IdempotentRequest::new("", "", operation, body).content());
        for hashes in [ids, contents] {
            let different: std::collections::BTreeSet<_> = hashes.iter().collect();
            assert_eq!(different.len(), hashes.len());
        }
        assert_ne!(ids[0], contents[0]);
    }

    #[test]
    fn nothing_is_shown_of_a_request() {
        assert_eq!(
            format!("{:?}", request("a credential", "a key")),
            "IdempotentRequest(..)"
        );
        assert_eq!(
            format!("{:?}", super::IdempotencyOutcome::Again(RESPONSE.to_owned())),
            "Again(..)"
        );
    }
}
