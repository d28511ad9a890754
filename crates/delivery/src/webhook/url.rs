//! Which URLs and IP addresses webhooks may be sent to.

use std::net::IpAddr;

use reqwest::Url;
use thiserror::Error;

use super::public::is_public;
use super::settings::Settings;

/// What stands for the part of a URL that may be secret.
const MASK: &str = "****";

/// Why a URL is not allowed. Does not show the URL, which may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrlError {
    /// It is not a URL with a host.
    #[error("not a URL such as https://example.com/events")]
    Url,
    /// It is neither https nor http.
    #[error("the URL must start with https://")]
    Scheme,
    /// It is http, and that is not allowed.
    #[error("the URL must start with https://; plain http needs the setting `allow_http`")]
    Http,
    /// Its host is an IP address that is not public.
    #[error("{0} is not a public address; its network must be allowed by the setting `allow_networks`")]
    NotPublic(IpAddr),
}

impl Settings {
    /// Parses the URL of an endpoint, if it is allowed. Names are resolved only when something is sent.
    ///
    /// # Errors
    ///
    /// If it is not a URL, or not allowed.
    pub fn check(&self, url: &str) -> Result<Url, UrlError> {
        let url = Url::parse(url).map_err(|_| UrlError::Url)?;
        match url.scheme() {
            "https" => {}
            "http" if self.allow_http => {}
            "http" => return Err(UrlError::Http),
            _ => return Err(UrlError::Scheme),
        }
        let host = url.host_str().ok_or(UrlError::Url)?;
        // The URL's parser has brought 127.1, 0x7f.0.0.1 and the like into one form; IPv6 has brackets.
        match host.trim_matches(['[', ']']).parse() {
            Ok(address) if !self.allows(address) => Err(UrlError::NotPublic(address)),
            _ => Ok(url),
        }
    }

    /// Whether something may be sent to an IP address.
    pub(super) fn allows(&self, address: IpAddr) -> bool {
        // ::ffff:10.0.0.1 is 10.0.0.1 by another name.
        let address = address.to_canonical();
        is_public(address) || self.allow_networks.iter().any(|network| network.contains(&address))
    }
}

/// A URL of an endpoint with a mask in place of all but scheme, host and port: `https://hooks.example.com/****`. One that
/// has no more has no mask.
pub fn masked(url: &str) -> String {
    let Ok(url) = Url::parse(url) else {
        return MASK.to_owned();
    };
    let userinfo = !url.username().is_empty() || url.password().is_some();
    let is_bare = !userinfo && url.path().len() < 2 && url.query().is_none() && url.fragment().is_none();
    let path = if is_bare { "" } else { MASK };
    format!("{}/{path}", origin(&url))
}

/// Whether a URL has a mask in it.
pub fn is_masked(url: &str) -> bool {
    url.contains(MASK)
}

fn origin(url: &Url) -> String {
    let (scheme, host) = (url.scheme(), url.host_str().unwrap_or_default());
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{scheme}://{host}{port}")
}

/// The addresses of a name that may be sent to.
pub(super) fn allowed<A>(settings: &Settings, found: impl Iterator<Item = A>, ip: impl Fn(&A) -> IpAddr) -> Vec<A> {
    found.filter(|address| settings.allows(ip(address))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Settings, UrlError, allowed, is_masked, masked};

    fn allows(settings: &Settings, address: &str) -> bool {
        settings.allows(address.parse().expect("an address"))
    }

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

    #[test]
    fn networks_can_be_allowed() {
        let settings = Settings {
            allow_networks: ["10.1.0.0/16", "fd00::/64"]
                .map(|network| network.parse().expect("a network"))
                .into(),
            ..Settings::default()
        };
        for (address, allowed) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("::ffff:10.2.0.1", false),
            ("::ffff:169.254.169.254", false),
            ("::ffff:1.1.1.1", true),
            ("10.2.0.1", false),
            ("fd00::7", true),
            ("fd00:0:0:1::7", false),
            ("127.0.0.1", false),
        ] {
            assert_eq!(allows(&settings, address), allowed, "{address}");
        }
    }

    #[test]
    fn of_the_addresses_of_a_name_the_public_ones_are_left() {
        let found =
            ["10.0.0.1", "1.1.1.1", "::1", "2606:4700::1111"].map(|address| address.parse().expect("an address"));
        let left = allowed(&Settings::default(), found.into_iter(), |address| *address);
        assert_eq!(left, [found[1], found[3]]);
    }

    #[test]
    fn addresses_are_read_before_anything_is_sent() {
        let settings = Settings::default();
        let check = |url: &str| settings.check(url).map(|_| ());
        for url in [
            "https://example.com/hook",
            "https://1.1.1.1:8443/",
            "https://[2606:4700::1111]/",
        ] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
        for (url, error) in [
            ("", UrlError::Url),
            ("/hook", UrlError::Url),
            ("https://", UrlError::Url),
            ("ftp://example.com", UrlError::Scheme),
            ("file:///etc/passwd", UrlError::Scheme),
            ("http://example.com", UrlError::Http),
        ] {
            assert_eq!(check(url), Err(error), "{url}");
        }
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "127.0.0.1.",
            "①②⑦.0.0.1",
            "0",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[64:ff9b::7f00:1]",
            "10.0.0.1",
            "169.254.169.254",
            "[fe80::1]",
            "user:pass@127.0.0.1",
        ] {
            let error = check(&format!("https://{host}/hook")).expect_err(host);
            assert!(matches!(error, UrlError::NotPublic(_)), "{host}: {error}");
        }
    }
}
