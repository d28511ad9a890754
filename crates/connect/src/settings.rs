//! Settings of connectors.

use std::path::PathBuf;

use serde::Deserialize;
use wearlab_models::Secret;
use wearlab_settings::InvalidSetting;

/// Connector of a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct ConnectorSettings {
    /// Id of the client at the provider. Without it, the connector is off. Default: none.
    pub client_id: Option<String>,
    /// Secret of the client. Default: none.
    pub client_secret: Option<Secret>,
    /// File that contains only the secret of the client. Default: none.
    pub client_secret_file: Option<PathBuf>,
    /// Days of history that are pulled after a link, at most those of the provider. Default: those of the provider.
    pub history_days: Option<u32>,
    /// Subscribes to the notices of the provider, if it has subscriptions of applications. It sends them to
    /// `linking.public_url`. Default: whether that begins with `https`.
    pub notices: Option<bool>,
    /// Base URL of the API, in place of the provider's own, for tests and other regions. Default: none.
    pub base_url: Option<String>,
    /// URL of the consent page, in place of the provider's own, for tests and other regions. Default: none.
    pub authorization_url: Option<String>,
    /// URL of the tokens, in place of the provider's own, for tests and other regions. Default: none.
    pub token_url: Option<String>,
}

impl ConnectorSettings {
    /// Returns whether the connector is on.
    pub fn is_on(&self) -> bool {
        self.client_id.is_some()
    }

    /// Checks the settings of the connector of a provider. `encrypts` is whether the service can store tokens.
    pub fn check(&self, slug: &str, encrypts: bool) -> Vec<InvalidSetting> {
        let mut found = Vec::new();
        let mut refuse = |wrong: bool, field: &str, reason: &str| {
            if wrong {
                found.push(InvalidSetting::new(format!("connectors.{slug}.{field}"), reason));
            }
        };
        let is_empty = self.client_id.as_deref().is_some_and(|id| id.trim().is_empty());
        refuse(is_empty, "client_id", "is empty");
        let (secret, file) = (self.client_secret.is_some(), self.client_secret_file.is_some());
        refuse(
            secret && file,
            "client_secret",
            "is set together with client_secret_file: set one of the two",
        );
        refuse(
            self.is_on() && !secret && !file,
            "client_id",
            "has no secret: set client_secret or client_secret_file",
        );
        refuse(
            self.is_on() && !encrypts,
            "client_id",
            "needs `secret_key_file`: tokens of users are stored encrypted",
        );
        refuse(
            !self.is_on() && (secret || file),
            "client_id",
            "is not set, and the secret of the client is",
        );
        for (field, url) in [
            ("base_url", &self.base_url),
            ("authorization_url", &self.authorization_url),
            ("token_url", &self.token_url),
        ] {
            let parsed = url.as_deref().map(reqwest::Url::parse);
            let is_wrong = parsed.is_some_and(|url| !url.is_ok_and(|url| url.has_host()));
            refuse(is_wrong, field, "is not a URL such as https://api.example.com");
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::ConnectorSettings;

    #[test]
    fn a_client_has_an_id_and_one_secret() {
        let found = |settings: &ConnectorSettings| {
            let found = settings.check("oura", true);
            found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        let off = ConnectorSettings::default();
        assert_eq!(found(&off), "");
        let without_secret = ConnectorSettings {
            client_id: Some("c".to_owned()),
            ..off.clone()
        };
        assert!(found(&without_secret).contains("connectors.oura.client_id"));
        let on = ConnectorSettings {
            client_secret: Some("s".into()),
            ..without_secret
        };
        assert_eq!(found(&on), "");
        let both = ConnectorSettings {
            client_secret_file: Some("secret".into()),
            ..on.clone()
        };
        assert!(found(&both).contains("connectors.oura.client_secret"));
        let nowhere = ConnectorSettings {
            base_url: Some("nowhere".to_owned()),
            ..on
        };
        assert!(found(&nowhere).contains("connectors.oura.base_url"));
    }
}
