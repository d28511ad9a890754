//! Base URLs of a client's calls.

use crate::{Document, Error};

/// The addresses of servers. One that has none is answered at the service address, or at its default URL as long as the
/// service is at its own.
#[derive(Debug)]
pub(crate) struct Addresses<D: Document> {
    service: String,
    all: Vec<(D::Server, String)>,
}

impl<D: Document> Addresses<D> {
    /// Checks addresses, each with its name in complaints; that of the service must be there, or have a default.
    pub(crate) fn new(given: Vec<(D::Server, &str, String)>) -> Result<Self, Error> {
        let checked = given
            .into_iter()
            .map(|(server, name, url)| address(name, &url).map(|url| (server, url)));
        let mut all: Vec<_> = checked.collect::<Result<_, _>>()?;
        let defaults = D::URLS.iter();
        let defaults = defaults.filter_map(|(server, url)| Some((*server, address("default", url).ok()?)));
        let defaults: Vec<_> = defaults.collect();
        let of_service = |list: &[(D::Server, String)]| {
            let found = list.iter().find(|(server, _)| *server == D::SERVICE);
            found.map(|(_, url)| url.clone())
        };
        let default = of_service(&defaults);
        let service = of_service(&all).or_else(|| default.clone()).ok_or_else(Self::missing)?;
        if default.as_ref() == Some(&service) {
            // The first one of a server counts.
            all.extend(defaults);
        }
        Ok(Self { service, all })
    }

    fn missing() -> Error {
        let service = D::ADDRESSES.iter().find(|(server, ..)| *server == D::SERVICE);
        let (setter, variable) = service.map_or(("address", ""), |(_, setter, variable)| (setter, variable));
        Error::invalid_request(format!(
            "no base URL is set: call `.{setter}(...)` of the builder, or set {variable} for `Client::from_env()`"
        ))
    }

    /// The address of a server, without a slash at its end.
    pub(crate) fn of(&self, server: D::Server) -> &str {
        let own = self.all.iter().find(|(known, _)| *known == server);
        own.map_or(&self.service, |(_, url)| url)
    }

    /// Returns whether any of them needs TLS.
    pub(crate) fn any_https(&self) -> bool {
        self.all.iter().any(|(_, url)| url.starts_with("https:"))
    }
}

/// An address without its trailing slash, so that paths can follow.
fn address(name: &str, url: &str) -> Result<String, Error> {
    let parsed = reqwest::Url::parse(url).map_err(|error| Error::invalid_request(format!("{name}: {error}")))?;
    if !matches!(parsed.scheme(), "http" | "https") || parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(Error::invalid_request(format!(
            "{name}: must be an http or https address without a query"
        )));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(Error::invalid_request(format!(
            "{name}: credentials do not go in the address"
        )));
    }
    Ok(parsed.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, Server, WithDefaults};

    type Addresses = super::Addresses<Fixture>;

    #[test]
    fn a_server_has_its_default_url_as_long_as_the_service_has() {
        let of = |given: Vec<(Server, &'static str)>| {
            let given = given.into_iter().map(|(server, url)| (server, "url", url.to_owned()));
            let addresses = super::Addresses::<WithDefaults>::new(given.collect()).expect("addresses");
            [Server::Base, Server::Management].map(|server| addresses.of(server).to_owned())
        };
        let (base, management) = ("https://api.example", "https://management.example/v1");
        assert_eq!(of(vec![]), [base, management]);
        assert_eq!(of(vec![(Server::Base, "https://api.example/")]), [base, management]);
        assert_eq!(of(vec![(Server::Base, "http://a")]), ["http://a", "http://a"]);
        assert_eq!(of(vec![(Server::Management, "http://b")]), [base, "http://b"]);
        let both = vec![(Server::Base, "http://a"), (Server::Management, "http://b")];
        assert_eq!(of(both), ["http://a", "http://b"]);
    }

    #[test]
    fn a_server_without_an_address_is_at_the_service_address() {
        let (service, management) = ((Server::Base, "base_url"), (Server::Management, "management_url"));
        let given = |(server, name), url: &str| (server, name, url.to_owned());
        let alone = Addresses::new(vec![given(service, "http://a/")]).expect("an address");
        assert_eq!(alone.of(Server::Management), "http://a");
        let both = vec![given(management, "http://b/x/"), given(service, "http://a")];
        let both = Addresses::new(both).expect("two addresses");
        assert_eq!(both.of(Server::Base), "http://a");
        assert_eq!(both.of(Server::Management), "http://b/x");
        let error = Addresses::new(vec![given(management, "http://b")]).expect_err("no service address");
        for way_out in [".base_url(", "FIXTURE_BASE_URL"] {
            assert!(error.to_string().contains(way_out), "{error}");
        }
    }
}
