//! Reads the body of a request, and records its violations of the document.

use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;
use wearlab_kit_types::LineBuffer;

use crate::ApiError;
use crate::decode::{Broken, decode, decode_form};
use crate::field::{At, Found, Value};
use crate::input::{Input, Received};
use crate::schema_rules::{Rule, Violated, check_nul};
use crate::stream::{ByteStream, Lines};

impl Input {
    /// Receives a whole body of a media type. Without a byte, the request has none.
    ///
    /// # Errors
    ///
    /// 415 for another media type, 413 for a body that is too large, 400 for one that is incomplete.
    pub async fn receive(&mut self, wanted: &'static str) -> Result<(), ApiError> {
        let Received::Unread(request) = std::mem::replace(&mut self.body, Received::Whole(Bytes::new())) else {
            return Ok(());
        };
        let bytes = whole(*request).await?;
        if !bytes.is_empty() {
            check_media_type(self.headers(), wanted)?;
        }
        self.body = Received::Whole(bytes);
        Ok(())
    }

    /// Checks the media type of a body that is read in parts.
    ///
    /// # Errors
    ///
    /// 415 for another media type.
    pub fn receive_stream(&mut self, wanted: &'static str) -> Result<(), ApiError> {
        match &self.body {
            Received::Unread(request) if !request.body().is_end_stream() => check_media_type(self.headers(), wanted),
            _ => Ok(()),
        }
    }

    /// The body that was received, as a JSON value that meets a rule.
    pub fn json<T: DeserializeOwned>(&mut self, rule: &Rule) -> Value<'_, T> {
        // No JSON text is empty: a client that names the media type of a body that it does not send has none.
        self.decoded(false, |bytes| decode(bytes, rule))
    }

    /// The body that was received, as the fields of a form, which meet a rule.
    pub fn form<T: DeserializeOwned>(&mut self, rule: &Rule) -> Value<'_, T> {
        self.decoded(true, |bytes| decode_form(bytes, rule))
    }

    /// The body that was received, as text.
    pub fn text(&mut self) -> Value<'_, String> {
        self.decoded(true, |bytes| {
            let text = String::from_utf8(bytes.to_vec()).map_err(|_| ("malformed", "must be UTF-8 text".to_owned()));
            let text = text.and_then(|text| check_nul(&text).map(|()| text));
            text.map_err(|(code, message)| {
                let pointer = String::new();
                Broken::Values(vec![Violated { pointer, code, message }])
            })
        })
    }

    /// The body as it arrives.
    pub fn bytes(&mut self) -> ByteStream {
        match std::mem::replace(&mut self.body, Received::Whole(Bytes::new())) {
            Received::Unread(request) => ByteStream::of_request(request.into_body()),
            _ => ByteStream::from(Bytes::new()),
        }
    }

    /// The lines of the body as they arrive. Each meets a rule.
    pub fn lines<T: DeserializeOwned + Send + 'static>(&mut self, rule: &'static Rule) -> Lines<T> {
        Lines::of_request(self.bytes(), LineBuffer::default(), rule)
    }

    /// The texts of the body, which is a sequence, as they arrive. Each meets a rule.
    pub fn sequence<T: DeserializeOwned + Send + 'static>(&mut self, rule: &'static Rule) -> Lines<T> {
        Lines::of_request(self.bytes(), LineBuffer::sequence(), rule)
    }

    /// Decodes the received body. `may_be_empty` is true if an empty one is a body, where its
    /// media type is named.
    fn decoded<T>(&mut self, may_be_empty: bool, decode: impl FnOnce(&[u8]) -> Result<T, Broken>) -> Value<'_, T> {
        let bytes = match &self.body {
            Received::Whole(bytes) => bytes.clone(),
            _ => Bytes::new(),
        };
        let given = !bytes.is_empty() || may_be_empty && self.headers().contains_key(CONTENT_TYPE);
        let mut at = At::body(&mut self.violations);
        if !given {
            return Value::new(at, Found::Nothing);
        }
        let found = match decode(&bytes) {
            Ok(value) => Found::Good(value),
            Err(Broken::Syntax(detail)) => {
                self.body = Received::Malformed(detail);
                Found::Bad
            }
            Err(Broken::Values(all)) => {
                at.note_parts(all);
                Found::Bad
            }
        };
        Value::new(at, found)
    }
}

/// 415 for a body of another media type. A range, such as `image/*`, is that of its types.
pub(crate) fn check_media_type(headers: &HeaderMap, wanted: &'static str) -> Result<(), ApiError> {
    let of_range = |found: &str| {
        let kind = wanted.strip_suffix('*').filter(|kind| found.len() > kind.len());
        let start = kind.and_then(|kind| Some((kind, found.get(..kind.len())?)));
        start.is_some_and(|(kind, start)| start.eq_ignore_ascii_case(kind))
    };
    let same = |found: &str| found.eq_ignore_ascii_case(wanted) || is_json(found) && is_json(wanted) || of_range(found);
    if media_type(headers).is_some_and(same) {
        Ok(())
    } else {
        Err(ApiError::unsupported_media_type(wanted))
    }
}

/// Reads a body to its end, up to axum's `DefaultBodyLimit`.
pub(crate) async fn whole(request: Request) -> Result<Bytes, ApiError> {
    Bytes::from_request(request, &()).await.map_err(|error| {
        if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
            ApiError::of_status(StatusCode::PAYLOAD_TOO_LARGE, "Body is too large.")
        } else {
            ApiError::bad_request("The body is incomplete, or its chunks are invalid.")
        }
    })
}

/// The media type of the body, without its parameters.
fn media_type(headers: &HeaderMap) -> Option<&str> {
    Some(headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next()?.trim())
}

fn is_json(media_type: &str) -> bool {
    let media_type = media_type.to_ascii_lowercase();
    media_type == "application/json" || media_type.starts_with("application/") && media_type.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use axum::http::header::CONTENT_TYPE;
    use axum::http::{HeaderMap, HeaderValue};

    use super::check_media_type;

    #[test]
    fn a_media_type_is_that_of_the_document() {
        let accepts = |wanted: &'static str, found: &'static str| {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(found))]);
            check_media_type(&headers, wanted).is_ok()
        };
        assert!(accepts("application/json", "Application/JSON; charset=utf-8"));
        assert!(accepts("application/json", "application/merge-patch+json"));
        assert!(accepts("image/*", "Image/PNG"));
        for (wanted, found) in [
            ("application/json", "text/plain"),
            ("image/*", "image/"),
            ("image/*", "imagery/png"),
            ("image/*", "text/plain"),
            ("image/png", "image/jpeg"),
        ] {
            assert!(!accepts(wanted, found), "{wanted}: {found}");
        }
    }
}
