//! The headers of the pages: scripts, styles and requests are the service's own, and nothing is inline.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, Response};

/// Whether a page may be kept by the browser.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Until it changes: its entity tag is asked for each time.
    Revalidated,
    /// Not at all: it shows keys.
    Never,
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Marks the response of a page.
pub(super) fn mark<B>(response: &mut Response<B>, keep: Keep) {
    let cache = match keep {
        Keep::Revalidated => "private, no-cache",
        Keep::Never => "no-store",
    };
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, cache),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
}
