//! Policy of outgoing connections to hosts that tenants name: in URLs of webhooks and providers, URIs of brokers and
//! connection strings.
//!
//! Tenants who set such a URL could otherwise reach hosts behind the firewall, and the keys that clouds provide to
//! their machines. So hosts must be public and connections encrypted, unless the operator allows more. A URL is checked
//! when it is set, for a clear error, and its host again when a connection is made: a name is resolved once, and the
//! connection is to an address that was checked.

mod client;
mod pipelines;
mod public;
mod resolver;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use ipnet::IpNet;
use reqwest::Url;
use thiserror::Error;

pub use self::client::client;
pub use self::pipelines::{PipelinePolicy, ProjectBinding, Projects};
use self::public::is_public;

/// Exceptions to encrypted connections to public hosts, which an operator allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// True if to allow connections without TLS, such as those of `http` and `amqp`.
    pub allow_plaintext: bool,
    /// Networks that may be reached although they are not public.
    pub allow_networks: Vec<IpNet>,
    /// The settings of both, which errors name.
    pub settings: SettingNames,
}

/// Names of the two settings of a [`Policy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingNames {
    /// The setting of [`Policy::allow_plaintext`].
    pub plaintext: &'static str,
    /// The setting of [`Policy::allow_networks`].
    pub networks: &'static str,
}

impl SettingNames {
    /// Settings of hosts that pipelines name.
    pub const EGRESS: Self = Self {
        plaintext: "egress.allow_plaintext",
        networks: "egress.allow_networks",
    };
    /// Settings of webhooks.
    pub const WEBHOOKS: Self = Self {
        plaintext: "webhooks.allow_http",
        networks: "webhooks.allow_networks",
    };
    /// Settings of providers.
    pub const LINKING: Self = Self {
        plaintext: "linking.allow_http",
        networks: "linking.allow_networks",
    };
}

impl Default for SettingNames {
    fn default() -> Self {
        Self::EGRESS
    }
}

/// Error of a URL that is not allowed. Does not show the URL, which may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrlError {
    /// Malformed URL, or one without a host.
    #[error("not a URL such as https://example.com/events")]
    Url,
    /// Neither https nor http.
    #[error("the URL must start with https://")]
    Scheme,
    /// The scheme is http, which is not allowed.
    #[error("the URL must start with https://; plain http needs the setting `{setting}`")]
    Http {
        /// The setting that allows it.
        setting: &'static str,
    },
    /// The connection would be without TLS, and that is not allowed.
    #[error("the connection must be encrypted by TLS; one without needs the setting `{setting}`")]
    Plaintext {
        /// The setting that allows it.
        setting: &'static str,
    },
    /// The host is not a name or an IP address.
    #[error("the host is not a name or an IP address")]
    Host,
    /// The host is an IP address that is not public.
    #[error("{address} is not a public address; its network must be allowed by the setting `{setting}`")]
    NotPublic {
        /// The address.
        address: IpAddr,
        /// The setting that allows networks.
        setting: &'static str,
    },
}

/// A host without an allowed address. The error is the same whether the name does not exist or is
/// private: tenants learn nothing of the network behind the firewall.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the host has no public address; a private network must be allowed by the setting `{setting}`")]
pub(crate) struct NoPublicAddress {
    setting: &'static str,
}

impl Policy {
    /// Parses a URL of https or http, if it is allowed. Names are resolved only when a connection is made.
    ///
    /// # Errors
    ///
    /// If it is not a URL, or not allowed.
    pub fn check_url(&self, url: &str) -> Result<Url, UrlError> {
        let url = Url::parse(url).map_err(|_| UrlError::Url)?;
        match url.scheme() {
            "https" => {}
            "http" if self.allow_plaintext => {}
            "http" => {
                let setting = self.settings.plaintext;
                return Err(UrlError::Http { setting });
            }
            _ => return Err(UrlError::Scheme),
        }
        let host = url.host_str().ok_or(UrlError::Url)?;
        self.check_parsed(host)?;
        Ok(url)
    }

    /// Checks the host of a broker: a name, or an IP address, which may be in brackets.
    ///
    /// # Errors
    ///
    /// If it is not a host, or not allowed.
    pub fn check_host(&self, host: &str, tls: bool) -> Result<(), UrlError> {
        if !tls && !self.allow_plaintext {
            let setting = self.settings.plaintext;
            return Err(UrlError::Plaintext { setting });
        }
        let host = host.trim_matches(['[', ']']);
        // The parser normalises 127.1, 0x7f.0.0.1 and the like, as the system does when it connects.
        let url = match host.contains(':') {
            true => Url::parse(&format!("https://[{host}]/")),
            false => Url::parse(&format!("https://{host}/")),
        };
        let url = url.map_err(|_| UrlError::Host)?;
        let bare = url.path() == "/" && url.username().is_empty() && url.query().is_none() && url.fragment().is_none();
        match url.host_str().filter(|_| bare) {
            Some(host) => self.check_parsed(host),
            None => Err(UrlError::Host),
        }
    }

    fn check_parsed(&self, host: &str) -> Result<(), UrlError> {
        let name = host.trim_end_matches('.');
        let address = match name == "localhost" || name.ends_with(".localhost") {
            // RFC 6761, section 6.3.
            true => Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            false => host.trim_matches(['[', ']']).parse().ok(),
        };
        match address {
            Some(address) if !self.allows(address) => {
                let setting = self.settings.networks;
                Err(UrlError::NotPublic { address, setting })
            }
            _ => Ok(()),
        }
    }

    /// Returns whether connections to an IP address are allowed.
    pub fn allows(&self, address: IpAddr) -> bool {
        // ::ffff:10.0.0.1 is 10.0.0.1 by another name.
        let address = address.to_canonical();
        is_public(address) || self.allow_networks.iter().any(|network| network.contains(&address))
    }

    /// Resolves a host to its allowed addresses.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub(crate) async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, NoPublicAddress> {
        let found = tokio::net::lookup_host((host.trim_matches(['[', ']']), port)).await;
        let found = found.into_iter().flatten();
        let addresses: Vec<_> = found.filter(|address| self.allows(address.ip())).collect();
        match addresses.is_empty() {
            true => Err(NoPublicAddress {
                setting: self.settings.networks,
            }),
            false => Ok(addresses),
        }
    }
}

#[cfg(test)]
mod tests;
