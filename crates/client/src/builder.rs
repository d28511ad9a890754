//! Puts a client together.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;

use crate::addresses::Addresses;
use crate::credentials::Credentials;
use crate::operations::{Credential, Server};
use crate::transport::Inner;
use crate::{Client, Error};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(30);

/// Puts a [`Client`] together. Nothing is sent until an operation is.
///
/// Addresses are checked by [`build`](Self::build), keys and the header prefix as well: a key must be printable ASCII. A
/// document that names other servers or credentials has them set by [`address`](Self::address) and
/// [`credential`](Self::credential).
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct ClientBuilder {
    addresses: Vec<(Server, &'static str, String)>,
    credentials: Credentials,
    http: Option<reqwest::Client>,
    timeout: Option<Duration>,
    invalid: Option<String>,
}

impl ClientBuilder {
    /// The service address, such as `https://api.example.com`. It may have a path.
    pub fn base_url(self, url: impl Into<String>) -> Self {
        self.named_address(Server::Base, "base_url", url)
    }

    /// The management address; the service address, unless it is set.
    pub fn management_url(self, url: impl Into<String>) -> Self {
        self.named_address(Server::Management, "management_url", url)
    }

    /// The address of any server; the service address, unless it is set.
    pub fn address(self, server: Server, url: impl Into<String>) -> Self {
        self.named_address(server, "address", url)
    }

    /// An address, with its name in complaints.
    fn named_address(mut self, server: Server, name: &'static str, url: impl Into<String>) -> Self {
        self.addresses.retain(|(known, ..)| *known != server);
        self.addresses.push((server, name, url.into()));
        self
    }

    /// The team's API key.
    pub fn api_key(self, key: impl AsRef<str>) -> Self {
        self.named_credential(Credential::TeamApiKey, "the API key", key)
    }

    /// A link token, sent where an operation takes one.
    pub fn link_token(self, token: impl AsRef<str>) -> Self {
        self.named_credential(Credential::LinkToken, "the link token", token)
    }

    /// The organisation's management key.
    pub fn management_key(self, key: impl AsRef<str>) -> Self {
        self.named_credential(Credential::ManagementKey, "the management key", key)
    }

    /// Any credential, sent where an operation takes it.
    pub fn credential(self, credential: Credential, value: impl AsRef<str>) -> Self {
        self.named_credential(credential, "a credential", value)
    }

    /// A credential, with its name in complaints.
    fn named_credential(mut self, credential: Credential, name: &'static str, value: impl AsRef<str>) -> Self {
        if !self.credentials.set(credential, value.as_ref()) {
            self.invalid = Some(format!("{name} is not printable ASCII"));
        }
        self
    }

    /// The word that stands for `service` in header names such as `x-service-api-key`, where the service was given
    /// another: with `acme`, keys are sent in `x-acme-api-key`.
    pub fn header_prefix(mut self, word: impl AsRef<str>) -> Self {
        if !self.credentials.set_prefix(word.as_ref()) {
            let complaint = "the header prefix is not made of lower-case letters, digits and inner hyphens";
            self.invalid = Some(complaint.to_owned());
        }
        self
    }

    /// How long a call may take, from connecting to the last byte. 30 seconds, unless it is set, or unless
    /// [`http_client`](Self::http_client) is, which then decides.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// A `reqwest` client of your own, with its own time-outs, proxies and pools.
    ///
    /// Let it follow no redirects: the headers that carry keys would go along to another host.
    pub fn http_client(mut self, http: reqwest::Client) -> Self {
        self.http = Some(http);
        self
    }

    /// The client.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRequest`] where an address or a key is missing or malformed.
    pub fn build(self) -> Result<Client, Error> {
        if let Some(complaint) = self.invalid {
            return Err(Error::invalid_request(complaint));
        }
        let addresses = Addresses::new(Server::Base, self.addresses)?;
        let timeout = match &self.http {
            Some(_) => self.timeout,
            None => Some(self.timeout.unwrap_or(TIMEOUT)),
        };
        let http = match self.http {
            Some(http) => http,
            None => reqwest::Client::builder()
                .connect_timeout(CONNECT_TIMEOUT)
                .redirect(Policy::none())
                .user_agent(concat!("wearlab-client/", env!("CARGO_PKG_VERSION")))
                .build()
                .map_err(|_| Error::invalid_request("the system's certificates or its TLS cannot be used"))?,
        };
        Ok(Client {
            inner: Arc::new(Inner {
                http,
                timeout,
                addresses,
                credentials: self.credentials,
            }),
        })
    }
}
