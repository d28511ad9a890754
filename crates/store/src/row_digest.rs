//! Digests of rows.

use sha2::{Digest, Sha256};

use crate::sql::value::Value;

/// SHA-256 of values, each prefixed with its length.
pub(crate) struct RowDigest(Sha256);

impl RowDigest {
    pub(crate) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(crate) fn value(&mut self, value: Value<'_>) {
        match value {
            Value::Null => self.part(b'n', b""),
            Value::Integer(value) => self.part(b'i', &value.to_be_bytes()),
            Value::Text(value) => self.part(b's', value.as_bytes()),
            Value::Bytes(value) => self.part(b'b', value),
        }
    }

    pub(crate) fn part(&mut self, kind: u8, value: &[u8]) {
        self.0.update([kind]);
        self.0
            .update(u64::try_from(value.len()).unwrap_or(u64::MAX).to_be_bytes());
        self.0.update(value);
    }

    /// Returns the digest as hexadecimal digits.
    pub(crate) fn finish(self) -> String {
        data_encoding::HEXLOWER.encode(&self.0.finalize())
    }
}
