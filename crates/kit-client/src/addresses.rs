//! Base URLs of a client's calls.

use crate::{Document, Error};

/// The addresses of servers. One that has none is answered at the service address.
#[derive(Debug)]
pub(crate) struct Addresses<D: Document> {
    service: String,
    all: Vec<(D::Server, String)>,
}

impl<D: Document> Addresses<D> {
    /// Checks addresses, each with its name in complaints; that of the service must be there.
    pub(crate) fn new(given: Vec<(D::Server, &str, String)>) -> Result<Self, Error> {
        let checked = given
            .into_iter()
            .map(|(server, name, url)| address(name, &url).map(|url| (server, url)));
        let all: Vec<_> = checked.collect::<Result<_, _>>()?;
        let found = all.iter().find(|(server, _)| *server == D::SERVICE);
        let (_, service) = found.ok_or_else(Self::missing)?;
        let service = service.clone();
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
    use crate::fixture::{Fixture, Server};

    type Addresses = super::Addresses<Fixture>;

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
