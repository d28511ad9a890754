//! Settings of the connectors of all providers.

#[cfg(test)]
mod untrusted;

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use wearlab_connect::settings::ConnectorSettings;
use wearlab_connect::{Connector, Provider};
use wearlab_settings::InvalidSetting;

use crate::dexcom::Dexcom;
use crate::google_health::GoogleHealth;
use crate::oura::Oura;
use crate::polar::Polar;
use crate::strava::Strava;
use crate::whoop::Whoop;
use crate::withings::Withings;

/// Connectors, by the slugs of their providers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of connectors")]
pub struct ConnectorsSettings {
    /// Dexcom.
    pub dexcom: ConnectorSettings,
    /// Google Health.
    pub google_health: ConnectorSettings,
    /// Oura.
    pub oura: ConnectorSettings,
    /// Polar.
    pub polar: ConnectorSettings,
    /// Strava.
    pub strava: ConnectorSettings,
    /// WHOOP.
    pub whoop: ConnectorSettings,
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
    pub fn secret_files(&self) -> Vec<(String, Option<&Path>)> {
        let all = self.all().into_iter();
        all.map(|(provider, settings)| {
            let name = format!("connectors.{}.client_secret_file", provider.profile().slug);
            (name, settings.client_secret_file.as_deref())
        })
        .collect()
    }

    /// Checks the settings of all connectors. `encrypts` is whether the service can store tokens.
    pub fn check(&self, encrypts: bool) -> Vec<InvalidSetting> {
        let all = self.all().into_iter();
        all.flat_map(|(provider, settings)| settings.check(provider.profile().slug, encrypts))
            .collect()
    }

    fn all(&self) -> [(Arc<dyn Provider>, &ConnectorSettings); 7] {
        [
            (Arc::new(Dexcom), &self.dexcom),
            (Arc::new(GoogleHealth), &self.google_health),
            (Arc::new(Oura), &self.oura),
            (Arc::new(Polar), &self.polar),
            (Arc::new(Strava), &self.strava),
            (Arc::new(Whoop), &self.whoop),
            (Arc::new(Withings), &self.withings),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use chrono::NaiveDate;
    use wearlab_connect::{Collection, Refusal, Span};

    use super::ConnectorsSettings;
    use crate::testing::session;

    #[test]
    fn a_resource_belongs_to_one_collection() {
        for (provider, _) in ConnectorsSettings::default().all() {
            let collections = provider.profile().collections;
            let resources: Vec<_> = collections.iter().flat_map(|collection| collection.resources).collect();
            assert_eq!(resources.iter().collect::<HashSet<_>>().len(), resources.len());
            let names: HashSet<_> = collections.iter().map(|collection| collection.name).collect();
            assert_eq!(names.len(), collections.len());
            assert!(
                collections
                    .iter()
                    .all(|collection| collection.look_back_days <= collection.window_days)
            );
        }
    }

    #[tokio::test]
    async fn a_collection_that_does_not_exist() {
        static OTHER: Collection = Collection {
            name: "moods",
            resources: &[],
            scopes: &[],
            window_days: 1,
            look_back_days: 1,
            pace_seconds: 1,
            has_history: false,
        };
        let day = NaiveDate::from_ymd_opt(2026, 5, 31).expect("a day");
        let span = Span { first: day, last: day };
        for (provider, _) in ConnectorsSettings::default().all() {
            let pulled = provider
                .pull(&session("http://127.0.0.1:1", "token"), &OTHER, span)
                .await;
            let reason = format!("{} has no collection moods", provider.profile().name);
            assert_eq!(pulled, Err(Refusal::Failed(reason)));
        }
    }

    #[test]
    fn slugs_and_numbers_are_unique() {
        let settings = ConnectorsSettings::default();
        let all = settings.all();
        let slugs: HashSet<_> = all.iter().map(|(provider, _)| provider.profile().slug).collect();
        let ids: HashSet<_> = all.iter().map(|(provider, _)| provider.profile().id).collect();
        assert_eq!((slugs.len(), ids.len()), (all.len(), all.len()));
        assert!(
            all.iter()
                .all(|(provider, _)| provider.settings().slug == provider.profile().slug)
        );
    }
}
