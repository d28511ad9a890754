//! Headers of the pages: scripts, styles and requests are the service's own, and nothing is inline.

use axum::http::{HeaderValue, Response};

use crate::page_headers::PageHeaders;

/// Caching of a page by the browser.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Stored, and revalidated by its entity tag before each use.
    Revalidated,
    /// Not stored: it shows keys.
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
    let headers = PageHeaders {
        policy: HeaderValue::from_static(POLICY),
        cache,
        referrer: "no-referrer",
    };
    headers.mark(response);
}
