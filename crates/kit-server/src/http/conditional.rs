//! 304 for a caller whose content is current (RFC 9110, section 13.1.2).

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;

/// The entity tags of a caller's content, in a request that reads.
pub struct IfNoneMatch {
    reads: bool,
    tags: Vec<HeaderValue>,
}

impl IfNoneMatch {
    /// Reads `If-None-Match` of a request.
    pub fn of(request: &Request) -> Self {
        Self {
            reads: matches!(*request.method(), Method::GET | Method::HEAD),
            tags: request.headers().get_all(IF_NONE_MATCH).iter().cloned().collect(),
        }
    }

    /// Gives a compressed response an entity tag of its own, and makes it a 304 where the caller has that tag.
    ///
    /// A strong tag belongs to one sequence of bytes, so the compressed form needs another than the plain one. The tag
    /// is made of the plain content, and here, outside compression, the coding is added to it. Bodies are compressed
    /// while they are sent: a 304 compresses nothing.
    pub fn check(&self, mut response: Response) -> Response {
        if !self.reads || response.status() != StatusCode::OK {
            return response;
        }
        if let Some(tag) = tag_of_coding(response.headers()) {
            response.headers_mut().insert(ETAG, tag);
        }
        let tag = response.headers().get(ETAG);
        let known = |tag: &HeaderValue| self.tags.iter().any(|value| names(value, tag.as_bytes()));
        if tag.is_some_and(known) {
            not_modified(response)
        } else {
            response
        }
    }
}

/// The tag of a compressed response: that of its content, with the coding.
fn tag_of_coding(headers: &HeaderMap) -> Option<HeaderValue> {
    let (tag, coding) = (headers.get(ETAG)?, headers.get(CONTENT_ENCODING)?);
    let plain = tag.as_bytes().strip_suffix(b"\"")?;
    HeaderValue::from_bytes(&[plain, b"-", coding.as_bytes(), b"\""].concat()).ok()
}

/// Returns whether a list of tags names one, by the weak comparison, or is `*`.
fn names(list: &HeaderValue, tag: &[u8]) -> bool {
    any(list.as_bytes(), |_, found| found == tag)
}

/// Returns whether `If-Match` names the tag of a content, by the strong comparison, or is `*`. The tag of the
/// content's compressed form counts, too.
pub(super) fn matches(list: &str, tag: &[u8]) -> bool {
    let plain = tag.strip_suffix(b"\"").unwrap_or(tag);
    any(list.as_bytes(), |weak, found| {
        let rest = found.strip_prefix(plain);
        !weak && rest.is_some_and(|rest| rest == b"\"" || rest.starts_with(b"-"))
    })
}

/// Returns whether a list is `*`, or has a tag for which `wanted` is true. Its arguments: true if the tag is weak, and
/// the text with its quotes.
fn any(list: &[u8], wanted: impl Fn(bool, &[u8]) -> bool) -> bool {
    let mut rest = list.trim_ascii();
    if rest == b"*" {
        return true;
    }
    // Tags may have commas in them, so they are parsed by their quotes.
    loop {
        rest = rest.trim_ascii_start();
        while let Some(after) = rest.strip_prefix(b",") {
            rest = after.trim_ascii_start();
        }
        let strong = rest.strip_prefix(b"W/");
        let weak = strong.is_some();
        rest = strong.unwrap_or(rest);
        let Some(inner) = rest.strip_prefix(b"\"") else {
            return false;
        };
        let Some(end) = inner.iter().position(|byte| *byte == b'"') else {
            return false;
        };
        if wanted(weak, &rest[..end + 2]) {
            return true;
        }
        rest = &inner[end + 1..];
    }
}

fn not_modified(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    for header in [
        CONTENT_ENCODING,
        CONTENT_LANGUAGE,
        CONTENT_LENGTH,
        CONTENT_RANGE,
        CONTENT_TYPE,
    ] {
        response.headers_mut().remove(header);
    }
    // Of unknown length: an empty body would be sent as `content-length: 0`, which the content does not have.
    *response.body_mut() =
        Body::from_stream(futures_util::stream::empty::<Result<Vec<u8>, std::convert::Infallible>>());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_by_their_quotes_and_compared_weakly() {
        for (list, found) in [
            ("\"a,b\"", true),
            ("W/\"a,b\"", true),
            ("\"x\", W/\"y\" ,,\t\"a,b\"", true),
            (" * ", true),
            ("\"a\", \"b\"", false),
            ("a,b", false),
            ("\"a,b", false),
            ("\"*\"", false),
            ("w/\"a,b\"", false),
            ("", false),
        ] {
            let value = HeaderValue::from_str(list).expect("a header");
            assert_eq!(names(&value, b"\"a,b\""), found, "{list}");
        }
    }

    #[test]
    fn if_match_is_compared_strongly_and_with_any_coding() {
        for (list, found) in [
            ("\"a\"", true),
            ("\"b\", \"a\"", true),
            ("\"a-gzip\"", true),
            (" * ", true),
            ("W/\"a\"", false),
            ("\"ab\"", false),
            ("\"b\"", false),
            ("a", false),
            ("", false),
        ] {
            assert_eq!(matches(list, b"\"a\""), found, "{list}");
        }
    }
}
