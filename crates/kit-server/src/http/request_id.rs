//! Request ids: on every response, in every problem document, and in the log.

use std::fmt;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde::{Serialize, Serializer};
use wearlab_kit_types::Uuid;

use super::value::header_value;

/// The header that carries it, both ways.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is accepted from a caller.
const MAX_LENGTH: usize = 64;

/// Prefix of new ids.
const MADE: &[u8; 4] = b"req_";

/// The id of a request, which [`RequestId::current`] is while the request is handled.
// Without memory of its own: each request has one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RequestId {
    bytes: [u8; MAX_LENGTH],
    length: u8,
}

impl RequestId {
    /// Returns the caller's id if it can be logged and searched for, or a new one. New ids sort by the time they
    /// were made.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut given = headers.get_all(HEADER).iter();
        match (given.next().and_then(|value| value.to_str().ok()), given.next()) {
            (Some(id), None) if sane(id) => Self::new(&[id.as_bytes()]),
            _ => {
                let mut digits = [0; uuid::fmt::Simple::LENGTH];
                let digits = Uuid::now_v7().simple().encode_lower(&mut digits);
                Self::new(&[MADE, digits.as_bytes()])
            }
        }
    }

    /// Makes an id of plain bytes, of which there are no more than [`MAX_LENGTH`].
    fn new(parts: &[&[u8]]) -> Self {
        let (mut bytes, mut length) = ([0; MAX_LENGTH], 0);
        for byte in parts.iter().copied().flatten().take(MAX_LENGTH) {
            bytes[length] = *byte;
            length += 1;
        }
        Self {
            bytes,
            length: length as u8,
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        header_value(self.as_str().as_bytes())
    }
}

fn sane(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    (1..=MAX_LENGTH).contains(&id.len()) && id.bytes().all(plain)
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RequestId").field(&self.as_str()).finish()
    }
}
