//! World of the tests: a store with a user, a clock, and pullers that may be killed.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;
use wearlab_connect::settings::ConnectorSettings;
use wearlab_connect::{Connector, Provider, Puller};
use wearlab_linking::settings::LinkingSettings;
use wearlab_linking::{Linker, Linking};
use wearlab_models::{ConnectedProvider, ConnectionStatus, Environment, Region, Secret, User};
use wearlab_store::{
    DeprecatedForms, EmbeddedSettings, EventFilter, OAuthTokens, SecretKey, Store, TeamId, TeamRecord,
};

use crate::values::{Values, values};

pub(crate) const CLIENT_ID: &str = "client";
pub(crate) const CLIENT_SECRET: &str = "the-secret-of-the-client";
const USER: Uuid = Uuid::from_u128(7);
const TEAM: Uuid = Uuid::from_u128(1);

thread_local! {
    /// The clock of a test, in s since 1970: pulls call it on the thread of the test.
    static NOW: Cell<i64> = const { Cell::new(0) };
}

pub(crate) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(NOW.get(), 0).expect("a time")
}

/// Returns the time at which tests begin.
pub(crate) fn start() -> DateTime<Utc> {
    "2026-03-10T12:00:00Z".parse().expect("a time")
}

pub(crate) fn set_now(time: DateTime<Utc>) {
    NOW.set(time.timestamp());
}

pub(crate) fn advance(by: TimeDelta) {
    NOW.set(NOW.get() + by.num_seconds());
}

pub(crate) struct World {
    _directory: TempDir,
    store: Store,
    team: TeamId,
    connector: Connector,
}

impl World {
    /// Creates a store with a user, and the connector of a provider at a URL.
    pub(crate) async fn new(provider: Arc<dyn Provider>, url: &str, token_path: &str, history_days: u32) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let keys = [SecretKey::from([7; 32])];
        let store = Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys).expect("a store");
        let user: User = serde_json::from_value(json!({
            "user_id": USER, "team_id": TEAM, "client_user_id": "client-7",
            "created_on": "2026-01-02T03:04:05Z", "connected_sources": [],
            "fallback_time_zone": {"id": "UTC", "source_slug": "manual", "updated_at": "2026-01-02T03:04:05Z"},
        }))
        .expect("a user");
        let put = store.write(|write| {
            let organisation = write.put_organisation("org_tests")?;
            let team = write.put_team(&TeamRecord {
                team_id: TEAM,
                org_id: organisation.as_str().to_owned(),
                environment: Environment::Sandbox,
                region: Region::Eu,
            })?;
            write.put_user(team, &user)?;
            Ok(team)
        });
        let team = put.await.expect("writes");
        let settings = ConnectorSettings {
            client_id: Some(CLIENT_ID.to_owned()),
            client_secret: Some(Secret::from(CLIENT_SECRET)),
            history_days: Some(history_days),
            base_url: Some(url.to_owned()),
            token_url: Some(format!("{url}{token_path}")),
            ..ConnectorSettings::default()
        };
        let world = Self {
            _directory: directory,
            store,
            team,
            connector: Connector { provider, settings },
        };
        world.puller().provision().await.expect("settings");
        world
    }

    /// Creates the puller of a process. It has no quotas, which take the time of a real clock.
    pub(crate) fn puller(&self) -> Puller {
        let settings = LinkingSettings {
            allow_http: true,
            allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
            ..LinkingSettings::default()
        };
        let linker = Linker {
            linking: Arc::new(Linking::new(settings, "http://127.0.0.1:8080")),
            store: self.store.clone(),
            now,
            forms: DeprecatedForms::default(),
        };
        let puller = Puller::new(linker, vec![self.connector.clone()]).expect("a puller");
        puller.without_quotas()
    }

    fn slug(&self) -> &'static str {
        self.connector.provider.profile().slug
    }

    /// Returns the scopes that the provider is asked for.
    pub(crate) fn scopes(&self) -> Vec<String> {
        let settings = self.connector.provider.settings();
        let collections = self.connector.provider.profile().collections;
        let of_collections = collections.iter().flat_map(|collection| collection.scopes);
        let of_collections = of_collections.map(|scope| (*scope).to_owned());
        of_collections.chain(settings.extra_scopes).collect()
    }

    /// Returns the resources that have a historical pull.
    pub(crate) fn history_resources(&self) -> impl Iterator<Item = String> {
        let collections = self.connector.provider.profile().collections.iter();
        let with_history = collections.filter(|collection| collection.has_history);
        with_history
            .flat_map(|collection| collection.resources)
            .map(ToString::to_string)
    }

    /// Links the user, as after a consent page, with tokens whose access token lasts an hour if it can be refreshed.
    pub(crate) async fn link(&self, access_token: String, refresh_token: Option<String>) {
        let slug = self.slug();
        let connection: ConnectedProvider = serde_json::from_value(json!({
            "name": slug, "slug": slug, "logo": "https://assets.example.com/logo.png", "status": "connected",
            "created_on": now(), "resource_availability": {}, "error_details": null,
        }))
        .expect("a connection");
        let due = refresh_token.as_ref().map(|_| now() + TimeDelta::minutes(50));
        let tokens = OAuthTokens {
            access_token: Secret::from(access_token),
            token_type: "Bearer".to_owned(),
            refresh_token: refresh_token.map(Secret::from),
            expires_at: due.map(|due| due + TimeDelta::minutes(10)),
            scopes: self.scopes(),
            origins: None,
        };
        let put = self.store.write(|write| {
            write.put_connection(self.team, USER, &connection)?;
            write.put_tokens(self.team, USER, slug, &tokens, due, Uuid::new_v4())
        });
        put.await.expect("a connection");
    }

    /// Returns whether the user has to link the provider again.
    pub(crate) async fn is_broken(&self) -> bool {
        let connection = self.store.team(self.team).connection(USER, self.slug()).await;
        connection.expect("reads").expect("a connection").status == ConnectionStatus::Error
    }

    /// Works on due tasks until none is due.
    pub(crate) async fn settle(&self, puller: &Puller) {
        for _ in 0..500 {
            if puller.pull_due().await.expect("a store") == 0 {
                return;
            }
        }
        panic!("tasks are always due");
    }

    /// Kills a puller after a while.
    pub(crate) async fn kill(&self, puller: Puller, after: Duration) {
        let _ = tokio::time::timeout(after, puller.pull_due()).await;
    }

    /// Returns the number of events of historical pulls of each resource.
    pub(crate) async fn historical_events(&self) -> BTreeMap<String, usize> {
        let events = self.store.events(&EventFilter::default(), usize::MAX).await;
        let mut counts = BTreeMap::new();
        for event in events.expect("reads") {
            let resource = event.event_type.strip_prefix("historical.data.");
            if let Some(resource) = resource.and_then(|name| name.strip_suffix(".created")) {
                *counts.entry(resource.to_owned()).or_default() += 1;
            }
        }
        counts
    }

    /// Reads all values of the user.
    pub(crate) async fn values(&self) -> Values {
        values(self.store.team(self.team), USER).await
    }
}
