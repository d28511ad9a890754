//! Validation of the URLs that a browser may be redirected to.

use reqwest::Url;

/// Checks a redirect URL of a team. The scheme is https or http, or an app's own scheme, which has a period by RFC
/// 8252, section 7.1: browsers execute nothing behind such a scheme.
pub fn check_redirect_url(url: &str) -> Result<(), &'static str> {
    let Ok(parsed) = Url::parse(url) else {
        return Err("must be a URL such as https://app.example.com/linked");
    };
    let web = ["https", "http"].contains(&parsed.scheme());
    if !web && !parsed.scheme().contains('.') {
        return Err("must be https or http, or have an app's own scheme with a period, such as com.example.app");
    }
    if web && !parsed.has_host() {
        return Err("must have a host");
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("must not have userinfo");
    }
    if parsed.fragment().is_some() {
        return Err("must not have a fragment");
    }
    match url.chars().all(|c| c.is_ascii_graphic()) {
        true => Ok(()),
        false => Err("must have graphic characters of ASCII alone"),
    }
}

#[cfg(test)]
mod tests {
    use super::check_redirect_url;

    #[test]
    fn browsers_are_sent_to_pages_and_apps_alone() {
        for good in [
            "https://app.example.com/linked",
            "https://app.example.com/linked?from=wearlab",
            "http://127.0.0.1:3000/linked",
            "com.example.app:/linked",
            "com.example.app://linked",
        ] {
            assert_eq!(check_redirect_url(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "/linked",
            "//example.com",
            "javascript:alert(1)",
            "data:text/html,hi",
            "file:///etc/passwd",
            "blob:https://example.com/1",
            "myapp:/linked",
            "https://",
            "https://me:word@example.com/",
            "https://example.com/#linked",
            "https://example.com/a b",
            " https://example.com/",
            "https://example.com/\u{e9}",
        ] {
            assert!(check_redirect_url(bad).is_err(), "{bad}");
        }
    }
}
