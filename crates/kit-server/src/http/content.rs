//! A body with its type and its strong entity tag.

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::response::Response;
use twox_hash::XxHash3_128;

use super::conditional;
use super::value::header_value;
use crate::ApiError;

/// The usual number of headers of a response.
const HEADERS: usize = 10;

/// A response whose entity tag is a hash of its content, so that the same content has the same tag in every process.
pub fn content(kind: &'static str, bytes: impl Into<Bytes>) -> Response {
    let bytes = bytes.into();
    let tag = entity_tag(&bytes);
    tagged(kind, bytes, tag)
}

/// A response like [`content`], whose entity tag covers a version of hidden content, too.
pub(crate) fn versioned(kind: &'static str, bytes: impl Into<Bytes>, version: &[u8; 16]) -> Response {
    let bytes = bytes.into();
    let tag = versioned_tag(&bytes, version);
    tagged(kind, bytes, tag)
}

fn tagged(kind: &'static str, bytes: Bytes, tag: Option<HeaderValue>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    // With capacity for the headers of outer layers.
    headers.reserve(HEADERS);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.extend(tag.map(|tag| (ETAG, tag)));
    response
}

/// Fails with 412 unless `If-Match`, if it was sent, names the entity tag of the current content of a read.
///
/// Tags are compared strongly; the tag of a compressed response is equivalent to that of its content.
pub fn check_if_match(if_match: Option<&str>, current: &[u8]) -> Result<(), ApiError> {
    check(if_match, || entity_tag(current))
}

/// Fails like [`check_if_match`], for content that is returned as [`Reply::Versioned`](crate::Reply::Versioned).
pub fn check_if_match_of_version(if_match: Option<&str>, current: &[u8], version: &[u8; 16]) -> Result<(), ApiError> {
    check(if_match, || versioned_tag(current, version))
}

fn check(if_match: Option<&str>, tag: impl FnOnce() -> Option<HeaderValue>) -> Result<(), ApiError> {
    let Some(list) = if_match else { return Ok(()) };
    let tag = tag().ok_or_else(|| ApiError::internal("the content has no entity tag"))?;
    match conditional::matches(list, tag.as_bytes()) {
        true => Ok(()),
        false => Err(ApiError::precondition_failed()),
    }
}

fn versioned_tag(bytes: &[u8], version: &[u8; 16]) -> Option<HeaderValue> {
    entity_tag(&[version, bytes].concat())
}

/// A hash of 128 bits distinguishes contents. Forged tags do no harm: only the author of the content could make one.
fn entity_tag(bytes: &[u8]) -> Option<HeaderValue> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut tag = [b'"'; 34];
    for (two, byte) in tag[1..33]
        .chunks_exact_mut(2)
        .zip(XxHash3_128::oneshot(bytes).to_be_bytes())
    {
        two.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    header_value(&tag)
}
