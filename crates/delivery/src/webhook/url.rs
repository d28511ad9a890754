//! Check and masking of the URLs of webhooks.

use reqwest::Url;

use super::settings::Settings;
use crate::egress::{Policy, SettingNames, UrlError};

/// Mask of the parts of a URL that may be secret.
const MASK: &str = "****";

impl Settings {
    /// Parses the URL of an endpoint, if it is allowed. Names are resolved only when something is sent.
    ///
    /// # Errors
    ///
    /// If it is not a URL, or not allowed.
    pub fn check(&self, url: &str) -> Result<Url, UrlError> {
        self.policy().check_url(url)
    }

    /// The policy of these settings.
    pub(super) fn policy(&self) -> Policy {
        Policy {
            allow_plaintext: self.allow_http,
            allow_networks: self.allow_networks.clone(),
            settings: SettingNames::WEBHOOKS,
        }
    }
}

/// A URL of an endpoint with a mask in place of all but scheme, host and port: `https://hooks.example.com/****`. One
/// that has no more has no mask.
pub fn masked(url: &str) -> String {
    let Ok(url) = Url::parse(url) else {
        return MASK.to_owned();
    };
    let userinfo = !url.username().is_empty() || url.password().is_some();
    let is_bare = !userinfo && url.path().len() < 2 && url.query().is_none() && url.fragment().is_none();
    let path = if is_bare { "" } else { MASK };
    format!("{}/{path}", origin(&url))
}

/// Returns whether a URL has a mask in it.
pub fn is_masked(url: &str) -> bool {
    url.contains(MASK)
}

fn origin(url: &Url) -> String {
    let (scheme, host) = (url.scheme(), url.host_str().unwrap_or_default());
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{scheme}://{host}{port}")
}

#[cfg(test)]
mod tests {
    use super::{is_masked, masked};

    #[test]
    fn urls_are_masked_behind_the_host() {
        for (url, expected) in [
            ("https://example.com", "https://example.com/"),
            ("https://example.com:8443/", "https://example.com:8443/"),
            ("https://example.com/hush", "https://example.com/****"),
            ("https://hush@example.com", "https://example.com/****"),
            ("https://u:hush@example.com/", "https://example.com/****"),
            ("https://example.com?hush", "https://example.com/****"),
            ("https://[::1]:9/#hush", "https://[::1]:9/****"),
            ("https:\\\\u:hush@example.com\\hush", "https://example.com/****"),
            ("hush", "****"),
        ] {
            assert_eq!(masked(url), expected, "{url}");
            assert_eq!(masked(expected), expected, "{url}");
            assert_eq!(is_masked(expected), expected.ends_with('*'), "{url}");
        }
    }
}
