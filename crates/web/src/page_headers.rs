//! Security headers of all pages for browsers.

use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_FRAME_OPTIONS};
use axum::http::{HeaderValue, Response};

/// Headers that differ between pages.
pub(crate) struct PageHeaders {
    /// `Content-Security-Policy`
    pub policy: HeaderValue,
    /// `Cache-Control`
    pub cache: &'static str,
    /// `Referrer-Policy`
    pub referrer: &'static str,
}

impl PageHeaders {
    /// Adds the headers to a response: other sites can neither frame nor embed it.
    pub(crate) fn mark<B>(self, response: &mut Response<B>) {
        let headers = response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, self.policy);
        for (name, value) in [
            (CACHE_CONTROL, self.cache),
            (REFERRER_POLICY, self.referrer),
            (X_FRAME_OPTIONS, "DENY"),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}
