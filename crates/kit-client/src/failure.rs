//! Failures of a call: an error response, or a connection that broke.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use wearlab_kit_types::{ConflictingObject, DateTime, Problem, Violation};

use crate::body::Body;

/// An error response.
#[derive(Clone, PartialEq)]
pub struct Failure {
    status: StatusCode,
    headers: Box<HeaderMap>,
    problem: Option<Box<Problem>>,
    request_id: Option<String>,
    retry_after: Option<Duration>,
    body: Body,
}

impl Failure {
    /// Reads an error response. It may come from a proxy, without a problem document.
    pub(crate) fn new(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let problem = problem(status, body).map(Box::new);
        let given = problem.as_ref().and_then(|problem| problem.request_id.as_deref());
        Self {
            status,
            headers: Box::new(headers.clone()),
            request_id: request_id(headers).or(given).map(str::to_owned),
            retry_after: retry_after(headers),
            problem,
            body: Body::from(Bytes::copy_from_slice(body)),
        }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers of the response, such as those of rate limits.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The problem document, where the response had one.
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_deref()
    }

    /// The body of the response as received.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The body of the response as a value, if it is one.
    pub fn decode<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The violations of the request.
    pub fn violations(&self) -> &[Violation] {
        self.problem
            .as_ref()
            .map(|problem| problem.errors.as_slice())
            .unwrap_or_default()
    }

    /// The conflict, of a 409.
    pub fn conflict(&self) -> Option<&ConflictingObject> {
        self.problem.as_ref().and_then(|problem| problem.conflict.as_ref())
    }

    /// The request's id, for questions to the operator of the service.
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// The pause that the service requests.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("status", &self.status)
            .field("problem", &self.problem)
            .field("request_id", &self.request_id)
            .field("retry_after", &self.retry_after)
            .field("body", &self.body)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        if let Some(detail) = self.problem.as_ref().and_then(|problem| problem.detail.as_deref()) {
            write!(f, ": {detail}")?;
        }
        for violation in self.violations() {
            write!(f, " {} {}.", violation.location, violation.message)?;
        }
        request(f, self.request_id())
    }
}

/// Error of a call without a whole response. Its source is the reason.
#[derive(Debug)]
pub struct TransportError {
    source: reqwest::Error,
    request_id: Option<String>,
}

impl TransportError {
    pub(crate) fn new(error: reqwest::Error, request_id: Option<&str>) -> Self {
        Self {
            // The URL may hold searched values.
            source: error.without_url(),
            request_id: request_id.map(str::to_owned),
        }
    }

    /// The request's id, where a response had begun.
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// Returns whether there was no connection at all, so that the service has not received the call. In WebAssembly
    /// it is unknown, and false.
    pub fn is_connect(&self) -> bool {
        #[cfg(not(target_family = "wasm"))]
        return self.source.is_connect();
        #[cfg(target_family = "wasm")]
        return false;
    }

    pub(crate) fn is_timeout(&self) -> bool {
        self.source.is_timeout()
    }

    /// Returns whether there was no valid request.
    pub(crate) fn is_builder(&self) -> bool {
        self.source.is_builder()
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_timeout() {
            "timed out"
        } else {
            "the connection to the service failed"
        })?;
        request(f, self.request_id())
    }
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// The problem document of a body, if it is one. RFC 9457 requires no member: members of another form, such as those of
/// a newer or third-party service, are left out, and missing ones follow from the status.
fn problem(status: StatusCode, body: &[u8]) -> Option<Problem> {
    if let Ok(problem) = serde_json::from_slice(body) {
        return Some(problem);
    }
    let mut members: Map<String, Value> = serde_json::from_slice(body).ok()?;
    members.retain(|name, value| match name.as_str() {
        "type" | "title" | "detail" | "instance" | "request_id" => value.is_string(),
        "errors" => value.is_array(),
        _ => false,
    });
    if members.is_empty() {
        return None;
    }
    if let Some(Value::Array(errors)) = members.get_mut("errors") {
        errors.retain(|error| Violation::deserialize(error).is_ok());
    }
    members.insert("status".to_owned(), status.as_u16().into());
    members
        .entry("title")
        .or_insert_with(|| status.canonical_reason().unwrap_or_default().into());
    Problem::deserialize(Value::Object(members)).ok()
}

fn request(f: &mut fmt::Formatter<'_>, id: Option<&str>) -> fmt::Result {
    id.map_or(Ok(()), |id| write!(f, " (request {id})"))
}

pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("x-request-id")?.to_str().ok()
}

/// `Retry-After` in seconds, or as a date, which proxies send. A date is compared with the `Date` of the response: the clock of
/// this machine may be another.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = |text| DateTime::parse_from_rfc2822(text).ok();
    let now = date(headers.get(DATE)?.to_str().ok()?)?;
    Some((date(text)? - now).to_std().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::StatusCode;
    use reqwest::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER, SET_COOKIE};

    use super::{Failure, retry_after};

    #[test]
    fn headers_are_kept_and_not_shown() {
        let headers = HeaderMap::from_iter([(SET_COOKIE, HeaderValue::from_static("session=secret"))]);
        let failure = Failure::new(StatusCode::BAD_REQUEST, &headers, b"");
        assert_eq!(failure.headers(), &headers);
        assert!(!format!("{failure:?}").contains("secret"));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let of = |value: &'static str, date: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
            headers.extend(date.map(|date| (DATE, HeaderValue::from_static(date))));
            retry_after(&headers)
        };
        let date = Some("Wed, 19 Aug 2026 09:30:00 GMT");
        assert_eq!(of("7", None), Some(Duration::from_secs(7)));
        assert_eq!(of(" 0 ", None), Some(Duration::ZERO));
        assert_eq!(of("Wed, 19 Aug 2026 09:31:30 GMT", date), Some(Duration::from_secs(90)));
        assert_eq!(
            of("Wed, 19 Aug 2026 09:00:00 GMT", date),
            Some(Duration::ZERO),
            "it is over"
        );
        assert_eq!(of("Wed, 19 Aug 2026 09:31:30 GMT", None), None, "later than what?");
        for odd in ["-1", "1.5", "soon", "99999999999999999999", ""] {
            assert_eq!(of(odd, date), None, "{odd:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
