//! URL and credential of the server.

use reqwest::Url;
use reqwest::header::HeaderValue;
use wearlab_models::Secret;

use super::settings::Settings;
use crate::ConfigError;

/// The regions of svix.com. A token for one of them ends with its name.
const REGIONS: [&str; 5] = ["us", "eu", "in", "ca", "au"];

/// The URL of the server.
pub(super) fn url(settings: &Settings, regional: bool) -> Result<Url, ConfigError> {
    if let Some(server) = &settings.server {
        return own(server);
    }
    let region = match (regional, settings.region) {
        (true, Some(region)) => Some(region.as_str()),
        (true, None) => {
            let reason = "the team has no region whose server could be used: give it one, or set `regional` to false";
            return Err(ConfigError::new("svix.regional", reason));
        }
        // Svix's own libraries read a token the same way.
        (false, _) => REGIONS.into_iter().find(|region| {
            let end = settings.token.expose().rsplit_once('.');
            end.is_some_and(|(_, end)| end == *region)
        }),
    };
    let host = region.map_or_else(
        || "https://api.svix.com".to_owned(),
        |region| format!("https://api.{region}.svix.com"),
    );
    Url::parse(&host).map_err(|_| ConfigError::new("svix.regional", "the region has no server"))
}

/// Checks the URL of a self-hosted server.
///
/// # Errors
///
/// If it is invalid. The error does not name the URL.
pub fn check_server(server: &str) -> Result<(), ConfigError> {
    own(server).map(drop)
}

/// Checks that a token can be sent.
///
/// # Errors
///
/// If it is invalid. The error does not name the token.
pub fn check_token(token: &Secret) -> Result<(), ConfigError> {
    credential(token).map(drop)
}

/// The URL of a self-hosted server. It may have a path, for one behind a proxy.
fn own(server: &str) -> Result<Url, ConfigError> {
    let unusable = |reason: &str| ConfigError::new("svix.server", reason);
    let url = Url::parse(server).map_err(|_| unusable("is not a URL such as https://svix.example.com"))?;
    if !matches!(url.scheme(), "https" | "http") || !url.has_host() {
        return Err(unusable("the URL must start with https:// or http://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(unusable(
            "the URL has a user or password; the token is a setting of its own",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(unusable("the URL must not have a query or fragment"));
    }
    Ok(url)
}

/// The value of the header `authorization`.
pub(super) fn credential(token: &Secret) -> Result<HeaderValue, ConfigError> {
    let token = token.expose();
    let fits = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    let value = HeaderValue::from_str(&format!("Bearer {token}")).ok().filter(|_| fits);
    let reason = "the token is empty or has characters that no token has: copy it again";
    let mut value = value.ok_or_else(|| ConfigError::new("svix.token", reason))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use chrono::Utc;
    use wearlab_models::{Region, Secret};

    use super::{credential, url};
    use crate::svix::Settings;

    fn settings(token: &str) -> Settings {
        Settings::new(Secret::from(token), Utc::now)
    }

    #[test]
    fn svix_com_by_region() {
        for (token, region, regional, host) in [
            ("testsk_a", None, false, "api.svix.com"),
            ("testsk_a", Some(Region::Eu), false, "api.svix.com"),
            ("testsk_a", Some(Region::Eu), true, "api.eu.svix.com"),
            ("testsk_a.us", Some(Region::Eu), true, "api.eu.svix.com"),
            ("testsk_a.eu", Some(Region::Us), true, "api.us.svix.com"),
            ("testsk_a.eu", Some(Region::Us), false, "api.eu.svix.com"),
            ("testsk_a.au", None, false, "api.au.svix.com"),
            ("testsk_a.evil.com/", None, false, "api.svix.com"),
            ("testsk_eu", None, false, "api.svix.com"),
        ] {
            let mut settings = settings(token);
            settings.region = region;
            let url = url(&settings, regional).expect("a URL");
            assert_eq!(
                url.as_str(),
                format!("https://{host}/"),
                "{token} {region:?} {regional}"
            );
        }
        let error = url(&settings("testsk_a"), true).expect_err("no region");
        assert_eq!(error.field, "svix.regional");
    }

    #[test]
    fn a_server_of_ones_own_is_for_all() {
        let with = |server: &str| {
            let mut settings = settings("testsk_a.eu");
            settings.server = Some(server.to_owned());
            settings
        };
        for server in [
            "https://svix.example.com/",
            "http://10.0.0.7:8071/",
            "https://[::1]/deep/er",
        ] {
            for regional in [true, false] {
                let url = url(&with(server), regional).expect("a URL");
                assert_eq!(url.as_str(), server);
            }
        }
        for server in [
            "",
            "svix.example.com",
            "hunter2",
            "ftp://hunter2.example.com",
            "https://",
            "https://user:hunter2@svix.example.com",
            "https://hunter2@svix.example.com",
            "https://svix.example.com/?token=hunter2",
            "https://svix.example.com/#hunter2",
        ] {
            let error = url(&with(server), false).expect_err(server);
            assert_eq!(error.field, "svix.server", "{server}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn tokens_that_no_header_carries_are_found_at_once() {
        let value = credential(&Secret::from("testsk_a.eu")).expect("a header");
        assert_eq!(value.to_str().expect("text"), "Bearer testsk_a.eu");
        assert!(value.is_sensitive());
        for token in ["", " ", "hunter2\n", "hunter 2", "hünter2", "hunter2\u{7f}"] {
            let error = credential(&Secret::from(token)).expect_err(token);
            assert_eq!(error.field, "svix.token");
            assert!(!error.to_string().contains("nter"), "{error}");
        }
    }
}
