//! Bodies of responses, read up to a limit.

use std::fmt;
use std::ops::Deref;

use bytes::Bytes;
#[cfg(not(target_family = "wasm"))]
use bytes::BytesMut;

/// The body of a response, as received. `Debug` shows its length, not its content: it may hold personal data.
#[derive(Clone, PartialEq, Eq)]
pub struct Body(Bytes);

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self(bytes)
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl Body {
    /// The bytes, which are shared and not copied.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }
}

impl Deref for Body {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Body({} bytes)", self.0.len())
    }
}

/// Reason for a missing body.
pub(crate) enum Unread {
    /// The connection broke, or the time was over.
    Broken(reqwest::Error),
    /// The body exceeds the limit.
    TooLong,
}

/// Reads a body, up to a limit in bytes.
#[cfg(not(target_family = "wasm"))]
pub(crate) async fn read(mut response: reqwest::Response, most: u64) -> Result<Bytes, Unread> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let announced = announced(&response, most)?;
    let Some(first) = next(&mut response, most).await? else {
        return Ok(Bytes::new());
    };
    let Some(second) = next(&mut response, most - first.len()).await? else {
        return Ok(first);
    };
    let mut body = BytesMut::with_capacity(announced.max(first.len() + second.len()));
    body.extend_from_slice(&first);
    body.extend_from_slice(&second);
    while let Some(chunk) = next(&mut response, most - body.len()).await? {
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// The host reads it whole.
#[cfg(target_family = "wasm")]
pub(crate) async fn read(response: reqwest::Response, most: u64) -> Result<Bytes, Unread> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    announced(&response, most)?;
    let body = response.bytes().await.map_err(Unread::Broken)?;
    if body.len() > most {
        Err(Unread::TooLong)
    } else {
        Ok(body)
    }
}

/// Length of the body, in bytes; 0 if it is unknown.
fn announced(response: &reqwest::Response, most: usize) -> Result<usize, Unread> {
    let announced = usize::try_from(response.content_length().unwrap_or(0)).unwrap_or(usize::MAX);
    if announced > most {
        Err(Unread::TooLong)
    } else {
        Ok(announced)
    }
}

#[cfg(not(target_family = "wasm"))]
async fn next(response: &mut reqwest::Response, most: usize) -> Result<Option<Bytes>, Unread> {
    let chunk = response.chunk().await.map_err(Unread::Broken)?;
    match chunk {
        Some(chunk) if chunk.len() > most => Err(Unread::TooLong),
        chunk => Ok(chunk),
    }
}
