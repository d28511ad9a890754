//! gzip, br and zstd, where they are asked for; 406 where nothing that there is may be sent.

use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};
use wearlab_server::ApiError;
use wearlab_server::layers::Onward;

/// Below it, an answer fits into one packet anyhow.
const SMALLEST: u64 = 1024;

/// In the extensions of a response to a request that does not take it as it is.
#[derive(Clone, Copy)]
struct CodingRequired;

/// Whether a response is to be compressed.
#[derive(Clone, Copy)]
struct WorthIt;

impl Predicate for WorthIt {
    fn should_compress<B: HttpBody>(&self, response: &axum::http::Response<B>) -> bool {
        // The body of an error is written further out.
        response.status() == StatusCode::OK
            && (response.extensions().get::<CodingRequired>().is_some()
                || SizeAbove::new(SMALLEST).should_compress(response))
    }
}

/// Compresses what is large enough, while it is sent.
pub(super) fn layer() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new()
        // Answers are made once and sent once: what takes long to compress is not worth it.
        .quality(CompressionLevel::Fastest)
        .compress_when(WorthIt)
}

/// Within compression: notes that a response has to be compressed, however small it is.
pub(super) async fn require(request: Request, next: impl Onward) -> Response {
    let required = refuses_identity(request.headers());
    let mut response = next.run(request).await;
    if required {
        response.extensions_mut().insert(CodingRequired);
    }
    response
}

/// Outside compression: 406 with a problem document for who takes neither a response as it is nor any coding of it
/// (RFC 9110, section 12.5.3). Errors stay as they are: a problem document tells more than a 406.
pub(super) async fn refuse(request: Request, next: impl Onward) -> Response {
    let response = next.run(request).await;
    // The layer makes every response a 406, and leaves all else of it.
    let is_problem = |kind: &HeaderValue| kind == "application/problem+json";
    if response.status() == StatusCode::NOT_ACCEPTABLE && !response.headers().get(CONTENT_TYPE).is_some_and(is_problem)
    {
        let mut refused = ApiError::coding_not_acceptable().into_response();
        let vary = HeaderValue::from_static("accept-encoding");
        refused.headers_mut().insert(VARY, vary);
        return refused;
    }
    response
}

/// Whether `Accept-Encoding` excludes the response as it is: by `identity;q=0`, or by `*;q=0` without `identity`.
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
