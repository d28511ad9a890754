//! Size limits of a request: 414, 431, 413, 408 for a body that is not received in time, 400 for a broken one.
//!
//! The HTTP library has limits of its own, further out. Beyond those it responds with the status alone.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request};
use axum::http::header::CONNECTION;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use wearlab_server::{ApiError, Operation};

use super::timeouts::BodyPending;
use super::{host, streams};
use crate::settings::{HttpSettings, Limits};

/// Size limits of a request, and the timeout of its body.
pub(super) struct Bounds {
    limits: Limits,
    body_timeout: Duration,
}

impl Bounds {
    pub(super) fn of(settings: &HttpSettings) -> Self {
        Self {
            limits: settings.limits.clone(),
            body_timeout: settings.timeouts.body,
        }
    }

    fn check(&self, request: &Request, is_stream: bool) -> Result<(), ApiError> {
        host::check(request)?;
        let limits = &self.limits;
        let uri_bytes = request.uri().path_and_query().map_or(0, |uri| uri.as_str().len());
        if uri_bytes > limits.uri_bytes {
            return Err(ApiError::uri_too_long(limits.uri_bytes));
        }
        if request.headers().len() > limits.header_fields || bytes(request.headers()) > limits.header_bytes {
            return Err(ApiError::headers_too_large(limits.header_fields, limits.header_bytes));
        }
        if !is_stream && request.body().size_hint().lower() > limits.body_bytes {
            return Err(ApiError::content_too_large(limits.body_bytes));
        }
        Ok(())
    }
}

fn bytes(headers: &HeaderMap) -> usize {
    headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum()
}

/// Rejects a request that is too large, or without a valid host. A body within the limits is read, since the next
/// request of the connection follows it. Operations that write and pages that are posted get it; others get an empty
/// one. A stream is read by its operation.
pub(super) async fn admit(
    bounds: &Bounds,
    request: Request,
    operation: Option<&Operation>,
) -> Result<Request, Response> {
    let is_stream = streams::is_stream(operation);
    bounds.check(&request, is_stream).map_err(last)?;
    if request.body().is_end_stream() || is_stream {
        return Ok(request);
    }
    let writes = operation.is_some_and(|operation| !operation.method.is_safe());
    let form =
        operation.is_none() && *request.method() == Method::POST && request.extensions().get::<MatchedPath>().is_some();
    let taken = writes || form;
    let (parts, body) = request.into_parts();
    let read = tokio::time::timeout(bounds.body_timeout, read(body, bounds.limits.body_bytes, taken)).await;
    if let Some(pending) = parts.extensions.get::<BodyPending>() {
        pending.read();
    }
    let body = read
        .unwrap_or_else(|_| Err(ApiError::request_timeout()))
        .map_err(last)?;
    Ok(Request::from_parts(parts, body))
}

/// Returns the last response of a connection: the rest of the request is not read.
fn last(error: ApiError) -> Response {
    let mut response = error.into_response();
    response
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Reads a body to its end, or until it is too large or broken. Returns it if it is `taken`, and an empty one
/// otherwise.
async fn read(body: Body, most: u64, taken: bool) -> Result<Body, ApiError> {
    let mut parts = body.into_data_stream();
    let mut seen = 0;
    let mut kept = Vec::new();
    while let Some(part) = parts.next().await {
        let Ok(part) = part else {
            let detail = "The body is incomplete, or its chunks are invalid.";
            return Err(ApiError::bad_request(detail));
        };
        seen += part.len() as u64;
        if seen > most {
            return Err(ApiError::content_too_large(most));
        }
        if taken {
            kept.extend_from_slice(&part);
        }
    }
    Ok(Body::from(kept))
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, Bytes, to_bytes};
    use axum::http::StatusCode;
    use futures_util::stream;

    use super::read;

    #[tokio::test]
    async fn a_body_is_given_back_where_it_is_taken_and_bounded_in_any_case() {
        let body = || Body::from_stream(stream::iter(["some ", "", "bytes"].map(Ok::<_, std::io::Error>)));
        for (taken, given) in [(true, "some bytes"), (false, "")] {
            let read_whole = read(body(), 10, taken).await.expect("is within the bound");
            assert_eq!(to_bytes(read_whole, 100).await.expect("bytes"), Bytes::from(given));
            let error = read(body(), 9, taken).await.expect_err("is too large");
            assert_eq!(error.status(), StatusCode::PAYLOAD_TOO_LARGE);
        }
    }
}
