//! Settings of the connectors of all providers.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use wearlab_connect::settings::ConnectorSettings;
use wearlab_connect::{Connector, Provider};
use wearlab_settings::InvalidSetting;

use crate::google_health::GoogleHealth;
use crate::oura::Oura;
use crate::withings::Withings;

/// Connectors, by the slugs of their providers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of connectors")]
pub struct ConnectorsSettings {
    /// Google Health.
    pub google_health: ConnectorSettings,
    /// Oura.
    pub oura: ConnectorSettings,
    /// Withings.
    pub withings: ConnectorSettings,
}

impl ConnectorsSettings {
    /// Returns the connectors that are on.
    pub fn connectors(&self) -> Vec<Connector> {
        let all = self.all().into_iter().filter(|(_, settings)| settings.is_on());
        all.map(|(provider, settings)| Connector {
            provider,
            settings: settings.clone(),
        })
        .collect()
    }

    /// Returns the files of secrets, with the names of their settings.
    pub fn secret_files(&self) -> [(&'static str, Option<&Path>); 3] {
        [
            (
                "connectors.google_health.client_secret_file",
                self.google_health.client_secret_file.as_deref(),
            ),
            (
                "connectors.oura.client_secret_file",
                self.oura.client_secret_file.as_deref(),
            ),
            (
                "connectors.withings.client_secret_file",
                self.withings.client_secret_file.as_deref(),
            ),
        ]
    }

    /// Checks the settings of all connectors. `encrypts` is whether the service can store tokens.
    pub fn check(&self, encrypts: bool) -> Vec<InvalidSetting> {
        let all = self.all().into_iter();
        all.flat_map(|(provider, settings)| settings.check(provider.profile().slug, encrypts))
            .collect()
    }

    fn all(&self) -> [(Arc<dyn Provider>, &ConnectorSettings); 3] {
        [
            (Arc::new(GoogleHealth), &self.google_health),
            (Arc::new(Oura), &self.oura),
            (Arc::new(Withings), &self.withings),
        ]
    }
}
