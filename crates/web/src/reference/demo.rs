//! URLs, keys and ids of a demo, for its pages.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};

use super::values::Values;

/// Running demo.
pub struct Demo {
    /// Base URL of the API.
    pub base_url: String,
    /// Base URL of the management API.
    pub management_url: String,
    /// URL of the link page of the printed user.
    pub link_url: String,
    /// Keys, by the names of their security schemes.
    pub keys: Vec<(&'static str, String)>,
    /// Ids and other values, by the names of parameters.
    pub values: Vec<(&'static str, String)>,
}

impl Demo {
    /// Returns the key of a security scheme.
    pub(super) fn key(&self, scheme: &str) -> Option<&str> {
        let found = self.keys.iter().find(|(name, _)| *name == scheme);
        found.map(|(_, key)| key.as_str())
    }

    /// Returns the value of parameters with a name.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let found = self.values.iter().find(|(own, _)| *own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the values of parameters.
    pub(super) fn values(&self) -> Values {
        let values = self
            .values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        Values::new(values.collect())
    }
}

/// Host of a request, as its client names it.
pub struct RequestHost(Option<Authority>);

impl RequestHost {
    pub(super) fn of(request: &Request) -> Self {
        Self::new(request.uri(), request.headers())
    }

    /// Reads the host of a request: of its URL, or else of its header.
    pub fn new(uri: &Uri, headers: &HeaderMap) -> Self {
        let named = || headers.get(HOST)?.to_str().ok()?.parse().ok();
        Self(uri.authority().cloned().or_else(named))
    }

    /// Returns whether the host is this machine: localhost, or a loopback address. Pages show keys there alone. Another
    /// machine on the network gets none in a browser, nor does a page of a name that was made to lead here (DNS
    /// rebinding). A client that sets `Host` by itself gets them: a demo that listens beyond this machine shows its
    /// keys.
    pub fn is_loopback(&self) -> bool {
        self.0.as_ref().is_some_and(|host| {
            let name = host.host();
            let literal = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
            let address = literal.unwrap_or(name).parse::<IpAddr>();
            name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.to_canonical().is_loopback())
        })
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::Request;

    use super::RequestHost;

    #[test]
    fn only_this_machine_is_loopback() {
        for (host, expected) in [
            ("localhost", true),
            ("LocalHost:8080", true),
            ("127.0.0.1:8080", true),
            ("127.9.9.9", true),
            ("[::ffff:127.0.0.1]", true),
            ("192.168.1.7", false),
            ("0.0.0.0:8080", false),
            ("8.8.8.8", false),
            ("[2606:4700::1111]:8080", false),
            ("[::1]:8080", true),
            ("localhost.example.com", false),
            ("127.0.0.1.example.com", false),
            ("example.com:8080", false),
            ("localhost.", false),
            ("", false),
        ] {
            let request = Request::builder().header("host", host).body(Body::empty());
            let named = RequestHost::of(&request.expect("a request"));
            assert_eq!(named.is_loopback(), expected, "{host}");
        }
    }
}
