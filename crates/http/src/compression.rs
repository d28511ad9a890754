//! Compression with gzip, br and zstd; 406 if a request accepts no available content coding.

use std::future::ready;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use tower::{Layer, ServiceExt, service_fn};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};
use wearlab_server::{ApiError, Operation};

use super::streams::is_stream;

/// Minimum bytes of a compressed response: a shorter one fits into one packet anyway.
const MIN_BYTES: u64 = 1024;

/// Media type of newline-delimited JSON, which is streamed.
const LINES: &str = "application/x-ndjson";

/// Predicate of responses to compress.
#[derive(Clone, Copy)]
struct CompressionPredicate {
    /// True if the request excludes the uncompressed response.
    required: bool,
}

impl Predicate for CompressionPredicate {
    fn should_compress<B: HttpBody>(&self, response: &axum::http::Response<B>) -> bool {
        // Middleware further out writes the body of an error.
        response.status() == StatusCode::OK
            && response.headers().get(CONTENT_TYPE).is_none_or(|kind| kind != LINES)
            && (self.required || SizeAbove::new(MIN_BYTES).should_compress(response))
    }
}

/// Content codings that a request accepts.
pub(super) struct Coding {
    accepted: Vec<HeaderValue>,
    worth_it: CompressionPredicate,
}

impl Coding {
    pub(super) fn of(request: &Request) -> Self {
        let accepted = request.headers().get_all(ACCEPT_ENCODING);
        Self {
            accepted: accepted.iter().cloned().collect(),
            worth_it: CompressionPredicate {
                required: refuses_identity(request.headers()),
            },
        }
    }

    /// Compresses a response while it is sent, if that is worthwhile or required; 406 if it is required and not
    /// possible.
    pub(super) async fn apply(self, mut response: Response) -> Response {
        let worth_it = self.worth_it.should_compress(&response);
        if !worth_it && !self.worth_it.required {
            return response;
        }
        if self.accepted.is_empty() {
            let headers = response.headers_mut();
            // `Vary` is set as the layer sets it for uncompressed responses. A response with a coding cannot have
            // another.
            if !headers.contains_key(CONTENT_ENCODING) && !headers.contains_key(CONTENT_RANGE) {
                headers.append(VARY, HeaderValue::from_static("accept-encoding"));
            }
            return response;
        }
        let mut request = axum::http::Request::new(());
        for value in self.accepted {
            request.headers_mut().append(ACCEPT_ENCODING, value);
        }
        // Each response is compressed for one request, so the fastest level is used.
        let layer = CompressionLayer::new().quality(CompressionLevel::Fastest);
        let mut response = Some(response);
        let service = service_fn(|_: axum::http::Request<()>| ready(response.take().ok_or(())));
        match layer.compress_when(self.worth_it).layer(service).oneshot(request).await {
            Ok(response) => refuse(response.map(Body::new)),
            Err(()) => ApiError::internal("a response was compressed twice").into_response(),
        }
    }
}

/// Makes writes accept an uncompressed response: a 406 would report a write as failed that is done. A stream does
/// nothing before its response is read.
pub(super) fn accept_writes(request: &mut Request, operation: Option<&Operation>) {
    if !request.method().is_safe() && !is_stream(operation) {
        request.headers_mut().remove(ACCEPT_ENCODING);
    }
}

/// Returns 406 with a problem document if a request accepts neither the uncompressed response nor any coding (RFC 9110,
/// section 12.5.3). Errors are unchanged: a problem document is more specific than a 406.
fn refuse(response: Response) -> Response {
    // The layer sets status 406 in each such response, and leaves the rest of it.
    let is_problem = |kind: &HeaderValue| kind == "application/problem+json";
    if response.status() != StatusCode::NOT_ACCEPTABLE || response.headers().get(CONTENT_TYPE).is_some_and(is_problem) {
        return response;
    }
    let mut refused = ApiError::coding_not_acceptable().into_response();
    let vary = HeaderValue::from_static("accept-encoding");
    refused.headers_mut().insert(VARY, vary);
    refused
}

/// Returns whether `Accept-Encoding` excludes the uncompressed response: by `identity;q=0`, or by `*;q=0` without
/// `identity`.
fn refuses_identity(headers: &HeaderMap) -> bool {
    let values = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let (mut named, mut rest) = (None, None);
    for coding in values.flat_map(|value| value.split(',')) {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        let refused = weight.and_then(|weight| weight.parse().ok()) == Some(0.0);
        if name.eq_ignore_ascii_case("identity") {
            named = Some(refused);
        } else if name == "*" {
            rest = Some(refused);
        }
    }
    named.or(rest).unwrap_or(false)
}
