//! Settings of Cloud Pub/Sub.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;

use crate::ConfigError;

/// Default endpoint of the service.
const SERVICE: &str = "https://pubsub.googleapis.com";

/// Settings of Cloud Pub/Sub.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Endpoint in place of the service's global one. `http://host:port`, or `host:port` alone, is an
    /// emulator, which is given no credentials. `https://host` is an endpoint of the service, such as that of a region.
    pub endpoint: Option<String>,
    /// A file of credentials, as Google Cloud makes them. Without one, Google's Application Default Credentials are
    /// used.
    pub credentials_file: Option<PathBuf>,
    /// Timeout of connecting, the first token included. 10 seconds by default.
    pub connect_timeout: Duration,
    /// Timeout of a request, the library's own attempts included. 30 seconds by default.
    pub timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            endpoint: None,
            credentials_file: None,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
        }
    }
}

/// Checked endpoint.
#[derive(Debug)]
pub(in crate::kinds::cloud_pubsub) struct Endpoint {
    pub(in crate::kinds::cloud_pubsub) url: String,
    pub(in crate::kinds::cloud_pubsub) host: String,
    pub(in crate::kinds::cloud_pubsub) port: u16,
    /// True if it is given no credentials.
    pub(in crate::kinds::cloud_pubsub) emulator: bool,
}

impl Settings {
    /// Checks the endpoint.
    ///
    /// # Errors
    ///
    /// If it is invalid. The error does not name its value.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.checked_endpoint().map(drop)
    }

    /// Returns whether the endpoint is an emulator, which is given no credentials.
    pub fn is_emulator(&self) -> bool {
        self.checked_endpoint().is_ok_and(|endpoint| endpoint.emulator)
    }

    pub(in crate::kinds::cloud_pubsub) fn checked_endpoint(&self) -> Result<Endpoint, ConfigError> {
        let text = self.endpoint.as_deref().unwrap_or(SERVICE);
        let text = match text.contains("://") {
            true => text.to_owned(),
            false => format!("http://{text}"),
        };
        endpoint(&text).ok_or_else(|| {
            ConfigError::new(
                "cloud_pubsub.endpoint",
                "is not a URL: give `http://host:port` of an emulator, or `https://host` of the service",
            )
        })
    }
}

fn endpoint(text: &str) -> Option<Endpoint> {
    let url = Url::parse(text).ok()?;
    let bare = url.username().is_empty() && url.password().is_none() && url.path() == "/";
    if !matches!(url.scheme(), "http" | "https") || !bare || url.query().is_some() || url.fragment().is_some() {
        return None;
    }
    Some(Endpoint {
        host: url.host_str()?.trim_matches(['[', ']']).to_owned(),
        port: url.port_or_known_default()?,
        emulator: url.scheme() == "http",
        url: url.as_str().trim_end_matches('/').to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::Settings;

    fn of(endpoint: Option<&str>) -> Option<(String, u16, bool, String)> {
        let settings = Settings {
            endpoint: endpoint.map(str::to_owned),
            ..Settings::default()
        };
        let endpoint = settings.checked_endpoint().ok()?;
        Some((endpoint.host, endpoint.port, endpoint.emulator, endpoint.url))
    }

    #[test]
    fn plain_addresses_are_emulators() {
        let known = |host: &str, port, emulator, url: &str| Some((host.to_owned(), port, emulator, url.to_owned()));
        let service = "https://pubsub.googleapis.com";
        assert_eq!(of(None), known("pubsub.googleapis.com", 443, false, service));
        for (text, expected) in [
            (
                "localhost:8085",
                known("localhost", 8085, true, "http://localhost:8085"),
            ),
            ("http://[::1]:8085/", known("::1", 8085, true, "http://[::1]:8085")),
            (
                "https://europe-west1-pubsub.googleapis.com",
                known(
                    "europe-west1-pubsub.googleapis.com",
                    443,
                    false,
                    "https://europe-west1-pubsub.googleapis.com",
                ),
            ),
        ] {
            assert_eq!(of(Some(text)), expected, "{text}");
        }
        for text in [
            "",
            "ftp://a",
            "https://",
            "http://u:hunter2@a:1",
            "https://a/b",
            "https://a?b",
            "a b",
        ] {
            assert_eq!(of(Some(text)), None, "{text}");
        }
    }
}
