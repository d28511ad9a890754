//! Puts a client together.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;

use crate::credentials::Credentials;
use crate::operations::Credential;
use crate::transport::Inner;
use crate::{Client, Error};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(30);

/// Puts a [`Client`] together. Nothing is sent until an operation is.
///
/// Addresses are checked by [`build`](Self::build), keys and the header prefix as well: a key must be printable ASCII.
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct ClientBuilder {
    base_url: Option<String>,
    management_url: Option<String>,
    credentials: Credentials,
    http: Option<reqwest::Client>,
    timeout: Option<Duration>,
    invalid: Option<&'static str>,
}

impl ClientBuilder {
    /// The service address, such as `https://api.example.com`. It may have a path.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The management address; the service address, unless it is set.
    pub fn management_url(mut self, url: impl Into<String>) -> Self {
        self.management_url = Some(url.into());
        self
    }

    /// The team's API key.
    pub fn api_key(self, key: impl AsRef<str>) -> Self {
        self.credential(
            Credential::TeamApiKey,
            key.as_ref(),
            "the API key is not printable ASCII",
        )
    }

    /// A link token, sent where an operation takes one.
    pub fn link_token(self, token: impl AsRef<str>) -> Self {
        self.credential(
            Credential::LinkToken,
            token.as_ref(),
            "the link token is not printable ASCII",
        )
    }

    /// The organisation's management key.
    pub fn management_key(self, key: impl AsRef<str>) -> Self {
        self.credential(
            Credential::ManagementKey,
            key.as_ref(),
            "the management key is not printable ASCII",
        )
    }

    /// The word that stands for `service` in header names such as `x-service-api-key`, where the service was given
    /// another: with `acme`, keys are sent in `x-acme-api-key`.
    pub fn header_prefix(mut self, word: impl AsRef<str>) -> Self {
        if !self.credentials.set_prefix(word.as_ref()) {
            self.invalid = Some("the header prefix is not made of lower-case letters, digits and inner hyphens");
        }
        self
    }

    fn credential(mut self, credential: Credential, value: &str, complaint: &'static str) -> Self {
        if !self.credentials.set(credential, value) {
            self.invalid = Some(complaint);
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
        let base = self
            .base_url
            .ok_or_else(|| Error::invalid_request("no base_url is set"))?;
        let base = address("base_url", &base)?;
        let management = match &self.management_url {
            Some(url) => address("management_url", url)?,
            None => base.clone(),
        };
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
                base,
                management,
                credentials: self.credentials,
            }),
        })
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
