//! Settings of linking providers.

use std::time::Duration;

use ipnet::IpNet;
use serde::Deserialize;
use wearlab_delivery::egress::{Policy, SettingNames};
use wearlab_settings::{duration, list};

/// Settings of linking providers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct LinkingSettings {
    /// URL at which browsers reach the API, without a trailing slash. The redirect URI to register at providers is this
    /// with `/link/callback/{org_id}/{slug}`. Default: the address of the API.
    pub public_url: Option<String>,
    /// Allows `http` URLs of providers. Default: no.
    pub allow_http: bool,
    /// Private networks that providers may be in, such as `10.1.0.0/16`. Default: none.
    #[serde(deserialize_with = "list::deserialize")]
    pub allow_networks: Vec<IpNet>,
    /// Timeout of a request to a provider, at most a minute. Default: `10s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub timeout: Duration,
    /// Time before the expiry of a token at which it is refreshed, if it lives that long. Default: `10min`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub refresh_ahead: Duration,
}

impl LinkingSettings {
    /// Checks `public_url`. Returns the error.
    pub fn check_public_url(&self) -> Option<&'static str> {
        let url = self.public_url.as_deref()?;
        let Ok(parsed) = reqwest::Url::parse(url) else {
            return Some("is not a URL such as https://link.example.com");
        };
        let web = ["http", "https"].contains(&parsed.scheme()) && parsed.has_host();
        let plain = parsed.username().is_empty() && parsed.password().is_none();
        match (web, plain && parsed.query().is_none() && parsed.fragment().is_none()) {
            (false, _) => Some("must begin with https:// or http://"),
            (true, false) => Some("must have neither userinfo nor a query nor a fragment"),
            (true, true) if url.ends_with('/') => Some("must not end with a slash"),
            (true, true) => None,
        }
    }

    /// Returns the policy of connections to providers.
    pub fn policy(&self) -> Policy {
        Policy {
            allow_plaintext: self.allow_http,
            allow_networks: self.allow_networks.clone(),
            settings: SettingNames::LINKING,
        }
    }
}

impl Default for LinkingSettings {
    fn default() -> Self {
        Self {
            public_url: None,
            allow_http: false,
            allow_networks: Vec::new(),
            timeout: Duration::from_secs(10),
            refresh_ahead: Duration::from_secs(600),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LinkingSettings;

    #[test]
    fn the_public_url_is_where_browsers_find_the_pages() {
        for (url, good) in [
            ("https://link.example.com", true),
            ("http://127.0.0.1:8080", true),
            ("https://example.com/wearlab", true),
            ("https://example.com/", false),
            ("https://example.com?a", false),
            ("https://example.com#a", false),
            ("https://me@example.com", false),
            ("ftp://example.com", false),
            ("example.com", false),
            ("", false),
        ] {
            let settings = LinkingSettings {
                public_url: Some(url.to_owned()),
                ..LinkingSettings::default()
            };
            assert_eq!(settings.check_public_url().is_none(), good, "{url}");
        }
    }
}
