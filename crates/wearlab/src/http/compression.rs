//! gzip, br and zstd, where they are asked for.

use axum::http::{Extensions, HeaderMap, StatusCode, Version};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};

/// Below it, an answer fits into one packet anyhow.
const SMALLEST: u64 = 1024;

/// Compresses what is large enough, while it is sent.
pub(super) fn layer() -> CompressionLayer<impl Predicate> {
    // The body of an error is written further out.
    let succeeds = |status: StatusCode, _: Version, _: &HeaderMap, _: &Extensions| status == StatusCode::OK;
    CompressionLayer::new()
        // Answers are made once and sent once: what takes long to compress is not worth it.
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(SMALLEST).and(succeeds))
}
