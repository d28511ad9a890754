//! Headers of every page, with a strict content security policy.

use std::collections::HashSet;
use std::sync::LazyLock;

use axum::http::{HeaderValue, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use url::Url;

use crate::page_headers::PageHeaders;

/// Style sheet of all pages, whose hash is in the policy.
pub(super) const STYLE: &str = include_str!("style.css");

/// Policy source of the style sheet: its hash.
static STYLE_SOURCE: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!("'sha256-{hash}'")
});

/// Marks the response of a page. `form_targets` are the final URLs of its form's redirects: browsers apply the policy
/// to redirects, too.
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
        // Origins are ASCII. Otherwise, nothing would be allowed.
        policy: HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'")),
        cache: "no-store",
        // The URL of the link page contains the token, and that of the callback the code.
        referrer: "no-referrer",
    };
    headers.mark(response);
}

#[cfg(test)]
mod tests {
    use axum::http::Response;
    use axum::http::header::CONTENT_SECURITY_POLICY;
    use url::Url;

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
