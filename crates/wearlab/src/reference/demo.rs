//! What the pages of a demo show: its URLs, its keys, and ids that are in its data.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};

use super::values::Values;

/// A demo that is running.
pub(crate) struct Demo {
    pub(crate) base_url: String,
    pub(crate) management_url: String,
    /// The page on which the printed user links a provider.
    pub(crate) link_url: String,
    /// Keys, by the names of their security schemes.
    pub(crate) keys: Vec<(&'static str, String)>,
    /// Ids and the like, by the names of parameters.
    pub(crate) values: Vec<(&'static str, String)>,
}

impl Demo {
    /// The key of a security scheme.
    pub(super) fn key(&self, scheme: &str) -> Option<&str> {
        let found = self.keys.iter().find(|(name, _)| *name == scheme);
        found.map(|(_, key)| key.as_str())
    }

    /// A value that parameters of a name have.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let found = self.values.iter().find(|(own, _)| *own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The values of parameters.
    pub(super) fn values(&self) -> Values {
        let values = self
            .values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        Values::new(values.collect())
    }
}

/// Who asks for a page.
pub(crate) struct Visitor {
    host: Option<Authority>,
}

impl Visitor {
    pub(super) fn of(request: &Request) -> Self {
        Self::new(request.uri(), request.headers())
    }

    pub(crate) fn new(uri: &Uri, headers: &HeaderMap) -> Self {
        let named = || headers.get(HOST)?.to_str().ok()?.parse().ok();
        Self {
            host: uri.authority().cloned().or_else(named),
        }
    }

    /// Whether the host is no name that somebody could own: localhost, or an IP address. Keys are shown there alone, since a
    /// page of a name that is made to lead here (DNS rebinding) could read them.
    pub(crate) fn is_local(&self) -> bool {
        self.host.as_ref().is_some_and(|host| {
            let name = host.host();
            let literal = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
            name.eq_ignore_ascii_case("localhost") || literal.unwrap_or(name).parse::<IpAddr>().is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::Request;

    use super::Visitor;

    #[test]
    fn names_that_somebody_may_own_are_not_local() {
        for (host, local) in [
            ("localhost", true),
            ("LocalHost:8080", true),
            ("127.0.0.1:8080", true),
            ("192.168.1.7", true),
            ("[::1]:8080", true),
            ("localhost.example.com", false),
            ("127.0.0.1.example.com", false),
            ("example.com:8080", false),
            ("localhost.", false),
            ("", false),
        ] {
            let request = Request::builder().header("host", host).body(Body::empty());
            let visitor = Visitor::of(&request.expect("a request"));
            assert_eq!(visitor.is_local(), local, "{host}");
        }
    }
}
