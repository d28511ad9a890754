//! A body with its type and its strong entity tag.

use axum::body::Bytes;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use twox_hash::XxHash3_128;

use super::conditional;
use crate::ApiError;

/// A response whose entity tag is a hash of its content, so that the same content has the same tag in every process.
pub fn content(kind: &'static str, bytes: impl Into<Bytes>) -> Response {
    let bytes = bytes.into();
    let tag = entity_tag(&bytes);
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.extend(tag.map(|tag| (ETAG, tag)));
    response
}

/// Fails with 412 unless `If-Match`, where it was sent, names the entity tag of the content that a read has now.
///
/// Tags are compared strongly; the tag of a compressed response stands for that of its content.
pub fn check_if_match(if_match: Option<&str>, current: &[u8]) -> Result<(), ApiError> {
    let Some(list) = if_match else { return Ok(()) };
    let tag = entity_tag(current).ok_or_else(|| ApiError::internal("the content has no entity tag"))?;
    match conditional::matches(list, tag.as_bytes()) {
        true => Ok(()),
        false => Err(ApiError::precondition_failed()),
    }
}

/// A hash of 128 bits distinguishes contents; that nobody forges a tag does not matter, since whoever could writes the
/// content itself.
fn entity_tag(bytes: &[u8]) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("\"{:032x}\"", XxHash3_128::oneshot(bytes))).ok()
}
