//! The headers of every page: what a browser may do with it, which is next to nothing.

use std::collections::HashSet;
use std::sync::LazyLock;

use axum::http::{HeaderValue, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use sha2::{Digest, Sha256};

use crate::page_headers::PageHeaders;

/// The style of all pages. The policy names its hash.
pub(super) const STYLE: &str = include_str!("style.css");

/// The source of the one style that a page has.
static STYLE_SOURCE: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!("'sha256-{hash}'")
});

/// Marks the response of a page. `form_targets` are the URLs that a form of the page leads to in the end: browsers hold
/// redirects to the policy, too.
pub(super) fn mark<B>(response: &mut Response<B>, form_targets: &[Url]) {
    let mut actions = vec!["'self'".to_owned()];
    actions.extend(form_targets.iter().map(|target| target.origin().ascii_serialization()));
    let mut known = HashSet::new();
    actions.retain(|origin| known.insert(origin.clone()));
    let policy = format!(
        "default-src 'none'; style-src {}; form-action {}; frame-ancestors 'none'; base-uri 'none'",
        *STYLE_SOURCE,
        actions.join(" ")
    );
    let headers = PageHeaders {
        // Origins are ASCII; were one not, nothing would be allowed.
        policy: HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'")),
        cache: "no-store",
        // The URL of the link page has the token, and that of the callback the code.
        referrer: "no-referrer",
    };
    headers.mark(response);
}

#[cfg(test)]
mod tests {
    use axum::http::Response;
    use axum::http::header::CONTENT_SECURITY_POLICY;
    use reqwest::Url;

    use super::mark;

    #[test]
    fn each_origin_is_named_once_and_whole() {
        let urls = [
            "https://a.example.com/x",
            "https://a.example.co/y",
            "https://a.example.com/z",
            "http://127.0.0.1:81/",
        ];
        let urls: Vec<_> = urls.iter().map(|url| Url::parse(url).expect("a URL")).collect();
        let mut response = Response::new(());
        mark(&mut response, &urls);
        let policy = response.headers()[CONTENT_SECURITY_POLICY].to_str().expect("text");
        let actions = "form-action 'self' https://a.example.com https://a.example.co http://127.0.0.1:81;";
        assert!(policy.contains(actions), "{policy}");
    }
}
