//! How large a request may be: 414, 431, 413, and 408 for a body that does not come.
//!
//! The HTTP library has bounds of its own, further out. Beyond those it answers with the status alone, since what was
//! sent is no request to it.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::header::CONNECTION;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use wearlab_server::ApiError;
use wearlab_server::layers::Onward;

use crate::config::http::{HttpSettings, Limits};

/// What a request may have.
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

    fn check(&self, request: &Request) -> Result<(), ApiError> {
        let limits = &self.limits;
        let address = request
            .uri()
            .path_and_query()
            .map_or(0, |address| address.as_str().len());
        if address > limits.uri_bytes {
            return Err(ApiError::uri_too_long(limits.uri_bytes));
        }
        if request.headers().len() > limits.header_fields || bytes(request.headers()) > limits.header_bytes {
            return Err(ApiError::headers_too_large(limits.header_fields, limits.header_bytes));
        }
        if request.body().size_hint().lower() > limits.body_bytes {
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

/// Refuses a request that is too large. A body within bounds is read, since the next request of the connection comes
/// behind it, and goes no further: no operation has one.
pub(super) async fn refuse(bounds: &Bounds, request: Request, next: impl Onward) -> Response {
    if let Err(error) = bounds.check(&request) {
        return last(error);
    }
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let most = bounds.limits.body_bytes;
    match tokio::time::timeout(bounds.body_timeout, fits(body, most)).await {
        Ok(true) => next.run(Request::from_parts(parts, Body::empty())).await,
        Ok(false) => last(ApiError::content_too_large(most)),
        Err(_) => last(ApiError::request_timeout()),
    }
}

/// The last answer of a connection: what is left of the request is not read.
fn last(error: ApiError) -> Response {
    let mut response = error.into_response();
    response
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Reads a body to its end, or until it is too large. One that breaks off ends there.
async fn fits(body: Body, most: u64) -> bool {
    let mut parts = body.into_data_stream();
    let mut seen = 0;
    while let Some(Ok(part)) = parts.next().await {
        seen += part.len() as u64;
        if seen > most {
            return false;
        }
    }
    true
}
