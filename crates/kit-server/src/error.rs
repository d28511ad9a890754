//! Errors of operations, by kind.

mod map;
mod response;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use wearlab_kit_types::{ConflictingObject, Encoded, Violation};

pub use self::map::MapError;
pub(crate) use self::response::Pending;

/// Error of an operation. It becomes a body of `application/problem+json`.
///
/// The router fills in `instance` and `request_id`.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    kind: Cow<'static, str>,
    detail: Option<Box<str>>,
    violations: Vec<Violation>,
    conflict: Option<Box<ConflictingObject>>,
    retry_after: Option<Duration>,
    own: Option<Box<Own>>,
    /// Goes to the log, never into the response.
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Parts of a response that the document describes.
#[derive(Default)]
struct Own {
    /// Body in place of a problem document, with its media type.
    body: Option<(&'static str, Bytes)>,
    /// Further headers.
    headers: HeaderMap,
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Own")
            .field("body", &self.body.as_ref().map(|(media_type, _)| media_type))
            .field("headers", &self.headers.keys())
            .finish()
    }
}

impl ApiError {
    /// The body in place of a problem document.
    fn body(&self) -> Option<&(&'static str, Bytes)> {
        self.own.as_ref()?.body.as_ref()
    }

    fn new(status: StatusCode, kind: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            kind: kind.into(),
            detail: None,
            violations: Vec::new(),
            conflict: None,
            retry_after: None,
            own: None,
            source: None,
        }
    }

    fn detailed(status: StatusCode, kind: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self {
            detail: Some(detail.into().into()),
            ..Self::new(status, kind)
        }
    }

    /// 400: not a valid HTTP request. `detail` must not repeat it.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::detailed(StatusCode::BAD_REQUEST, "bad-request", detail)
    }

    /// 401: no credential, or an unknown one. `detail` must not repeat it.
    pub fn unauthorized(detail: impl Into<String>) -> Self {
        Self::detailed(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// 403: the credential is valid, but does not permit this. `detail` must not repeat it.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::detailed(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// 404: there is no such object, for this caller.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::detailed(StatusCode::NOT_FOUND, "not-found", detail)
    }

    /// 404: no operation has the path.
    pub(crate) fn unknown_path() -> Self {
        Self::not_found("Nothing has this path.")
    }

    /// 405: the path exists, the method does not.
    pub(crate) fn method_not_allowed() -> Self {
        let detail = "Method not allowed; see the Allow header.";
        Self::detailed(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", detail)
    }

    /// 406: the caller does not accept the media type of the response.
    pub(crate) fn not_acceptable(kind: &str) -> Self {
        let detail = format!("The response is {kind}, which Accept excludes.");
        Self::detailed(StatusCode::NOT_ACCEPTABLE, "not-acceptable", detail)
    }

    /// 406: the caller accepts no coding of the response.
    pub fn coding_not_acceptable() -> Self {
        let detail = "Accept-Encoding excludes identity and every supported coding.";
        Self::detailed(StatusCode::NOT_ACCEPTABLE, "not-acceptable", detail)
    }

    /// 408: the body of the request was not received in time.
    pub fn request_timeout() -> Self {
        let detail = "The body of the request was not received in time.";
        Self::detailed(StatusCode::REQUEST_TIMEOUT, "request-timeout", detail)
    }

    /// 409: conflicts with an existing object: its kind, such as `user`, and its id where it has one. It must be one
    /// that the caller may read.
    pub fn conflict(detail: impl Into<String>, resource: impl Into<String>, id: Option<String>) -> Self {
        let conflict = ConflictingObject::builder().resource(resource).maybe_id(id).build();
        Self {
            conflict: Some(Box::new(conflict)),
            ..Self::detailed(StatusCode::CONFLICT, "conflict", detail)
        }
    }

    /// 412: the object's entity tag is not one in `If-Match`.
    pub fn precondition_failed() -> Self {
        let detail = "The object has changed since it was read.";
        Self::detailed(StatusCode::PRECONDITION_FAILED, "precondition-failed", detail)
    }

    /// 413: the request's body is larger than `most` bytes.
    pub fn content_too_large(most: u64) -> Self {
        let detail = format!("Body is larger than {most} bytes.");
        Self::detailed(StatusCode::PAYLOAD_TOO_LARGE, "content-too-large", detail)
    }

    /// 413: the request's body is more than `ratio` times longer than its encoded form.
    pub fn decoded_too_large(ratio: u32) -> Self {
        let detail = format!("Body is more than {ratio} times longer than its encoded form.");
        Self::detailed(StatusCode::PAYLOAD_TOO_LARGE, "content-too-large", detail)
    }

    /// 414: the URI is longer than `most` bytes.
    pub fn uri_too_long(most: usize) -> Self {
        let detail = format!("URI is longer than {most} bytes.");
        Self::detailed(StatusCode::URI_TOO_LONG, "uri-too-long", detail)
    }

    /// 431: the header has more than `most` fields, or more than `bytes` bytes in all.
    pub fn headers_too_large(most: usize, bytes: usize) -> Self {
        let detail = format!("Header section has more than {most} fields or {bytes} bytes.");
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        Self::detailed(status, "request-header-fields-too-large", detail)
    }

    /// 415: the body of the request is of another media type.
    pub(crate) fn unsupported_media_type(wanted: &str) -> Self {
        let detail = format!("Send the body as {wanted}.");
        Self::detailed(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", detail)
    }

    /// 415: the body of the request is in an unsupported content coding.
    pub fn unsupported_coding(read: &str) -> Self {
        let detail = format!("Send the body as it is, or in one of the content codings {read}.");
        Self::detailed(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", detail)
    }

    /// 422: violations of the request, each with its location.
    pub fn invalid(violations: Vec<Violation>) -> Self {
        let detail = match violations.len() {
            1 => "One value of the request is not valid.".to_owned(),
            count => format!("{count} values of the request are not valid."),
        };
        Self {
            violations,
            ..Self::detailed(StatusCode::UNPROCESSABLE_ENTITY, "unprocessable-content", detail)
        }
    }

    /// 429: too many requests; the caller may retry after `wait`.
    pub fn too_many_requests(wait: Duration) -> Self {
        Self {
            retry_after: Some(wait),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests")
        }
    }

    /// 501: the back end leaves this operation out.
    pub fn not_implemented(operation: &str) -> Self {
        let detail = format!("The operation {operation} is not implemented here.");
        Self::detailed(StatusCode::NOT_IMPLEMENTED, "not-implemented", detail)
    }

    /// 503: unable to respond now; the caller may retry after `wait`.
    pub fn unavailable(wait: Duration) -> Self {
        Self {
            retry_after: Some(wait),
            ..Self::new(StatusCode::SERVICE_UNAVAILABLE, "service-unavailable")
        }
    }

    /// 503: unable to respond now, with a reason; the caller may retry after `wait`.
    pub fn unavailable_because(detail: impl Into<String>, wait: Duration) -> Self {
        Self {
            retry_after: Some(wait),
            ..Self::detailed(StatusCode::SERVICE_UNAVAILABLE, "service-unavailable", detail)
        }
    }

    /// 500: a failure of the service itself. `source` is logged, and is not in the response.
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            source: Some(source.into()),
            ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal-server-error")
        }
    }

    /// An error by its status alone, 400 to 599; others become a 500. After a 429 or 503, the caller may try again in a
    /// second.
    pub fn of_status(status: StatusCode, detail: impl Into<String>) -> Self {
        let status = match status.is_client_error() || status.is_server_error() {
            true => status,
            false => StatusCode::INTERNAL_SERVER_ERROR,
        };
        // Some reasons were renamed: libraries have the older names.
        let reason = match status {
            StatusCode::PAYLOAD_TOO_LARGE => "content-too-large",
            StatusCode::UNPROCESSABLE_ENTITY => "unprocessable-content",
            other => other.canonical_reason().unwrap_or("error"),
        };
        let wait = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        Self {
            retry_after: wait.then_some(Duration::from_secs(1)),
            ..Self::detailed(status, reason.to_lowercase().replace([' ', '\''], "-"), detail)
        }
    }

    /// An error with a body that the document describes, in place of a problem.
    pub fn with_body<T: Serialize>(status: u16, media_type: &'static str, body: &T) -> Self {
        let encoded = Encoded::encode(body).map(Encoded::into_bytes);
        match (StatusCode::from_u16(status), encoded) {
            (Ok(status), Ok(bytes)) if status.is_client_error() || status.is_server_error() => Self {
                own: Some(Box::new(Own {
                    body: Some((media_type, bytes)),
                    headers: HeaderMap::new(),
                })),
                ..Self::new(status, "error")
            },
            (_, Err(error)) => Self::internal(error),
            (_, Ok(_)) => Self::internal(format!("{status} is the status of no error")),
        }
    }

    /// Adds a header to the response, such as one that the document declares for the error. An invalid one makes it a 500.
    #[must_use]
    pub fn with_header(
        mut self,
        name: impl TryInto<HeaderName, Error: Into<axum::http::Error>>,
        value: impl TryInto<HeaderValue, Error: Into<axum::http::Error>>,
    ) -> Self {
        match (
            name.try_into().map_err(Into::into),
            value.try_into().map_err(Into::into),
        ) {
            (Ok(name), Ok(value)) => {
                self.own.get_or_insert_default().headers.append(name, value);
                self
            }
            (Err(error), _) | (_, Err(error)) => Self::internal(error),
        }
    }

    /// The status of the response.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl ApiError {
    /// The violations of an invalid request, each with its location.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// The description for the caller, if there is one.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        self.detail.iter().try_for_each(|detail| write!(f, ": {detail}"))
    }
}

impl std::error::Error for ApiError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_headers() {
        let error = ApiError::not_found("-")
            .with_header("X-Hint", "a")
            .with_header("X-Hint", "b");
        let response = axum::response::IntoResponse::into_response(error);
        let hints: Vec<_> = response.headers().get_all("x-hint").iter().collect();
        assert_eq!(hints, ["a", "b"]);
        assert_eq!(
            ApiError::not_found("-").with_header("X Hint", "a").status,
            StatusCode::INTERNAL_SERVER_ERROR
        );
    }

    #[test]
    fn an_error_of_a_status_is_of_the_same_kind_as_the_real_one() {
        let wait = Duration::from_secs(1);
        for real in [
            ApiError::bad_request("-"),
            ApiError::unauthorized("-"),
            ApiError::forbidden("-"),
            ApiError::not_found("-"),
            ApiError::method_not_allowed(),
            ApiError::not_acceptable("-"),
            ApiError::unsupported_media_type("-"),
            ApiError::not_implemented("-"),
            ApiError::coding_not_acceptable(),
            ApiError::request_timeout(),
            ApiError::conflict("-", "user", None),
            ApiError::precondition_failed(),
            ApiError::content_too_large(1),
            ApiError::uri_too_long(1),
            ApiError::headers_too_large(1, 1),
            ApiError::invalid(Vec::new()),
            ApiError::too_many_requests(wait),
            ApiError::unavailable(wait),
            ApiError::internal("-"),
        ] {
            let made = ApiError::of_status(real.status, "-");
            assert_eq!(
                (made.status, made.kind, made.retry_after),
                (real.status, real.kind, real.retry_after)
            );
        }
        assert_eq!(
            ApiError::of_status(StatusCode::OK, "-").status,
            StatusCode::INTERNAL_SERVER_ERROR
        );
        assert_eq!(ApiError::of_status(StatusCode::BAD_GATEWAY, "-").kind, "bad-gateway");
    }
}
