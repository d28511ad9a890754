//! World of the tests: a store with a linked user, a clock, and pullers that may be killed.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;
use wearlab_connect::settings::ConnectorSettings;
use wearlab_connect::{Connector, Provider, Puller};
use wearlab_linking::settings::LinkingSettings;
use wearlab_linking::{Linker, Linking};
use wearlab_models::{ActivitySummary, ConnectedProvider, Environment, Region, ResourceName, Secret, User};
use wearlab_store::{
    DeprecatedForms, EmbeddedSettings, EventFilter, OAuthTokens, SampleFilter, SecretKey, Store,
    StoredProviderSettings, TeamId, TeamRecord,
};

use crate::provider::{Ringlet, SLUG};

thread_local! {
    /// The clock of a test, in s since 1970: pulls call it on the thread of the test.
    static NOW: Cell<i64> = const { Cell::new(0) };
}

pub(crate) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(NOW.get(), 0).expect("a time")
}

fn set_now(time: &str) {
    let time: DateTime<Utc> = time.parse().expect("a time");
    NOW.set(time.timestamp());
}

pub(crate) fn advance(by: TimeDelta) {
    NOW.set(NOW.get() + by.num_seconds());
}

pub(crate) const USER: Uuid = Uuid::from_u128(7);

pub(crate) struct World {
    _directory: TempDir,
    pub(crate) store: Store,
    pub(crate) team: TeamId,
    pub(crate) ringlet: Arc<Ringlet>,
}

impl World {
    pub(crate) async fn new() -> Self {
        set_now("2026-03-10T12:00:00Z");
        let directory = tempfile::tempdir().expect("a directory");
        let keys = [SecretKey::from([7; 32])];
        let store = Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys).expect("a store");
        let user: User = serde_json::from_value(json!({
            "user_id": USER, "team_id": Uuid::from_u128(1), "client_user_id": "client-7",
            "created_on": "2026-01-02T03:04:05Z", "connected_sources": [],
            "fallback_time_zone": {"id": "UTC", "source_slug": "manual", "updated_at": "2026-01-02T03:04:05Z"},
        }))
        .expect("a user");
        let team = store
            .write(|write| {
                let organisation = write.put_organisation("org_tests")?;
                let team = write.put_team(&TeamRecord {
                    team_id: Uuid::from_u128(1),
                    org_id: organisation.as_str().to_owned(),
                    environment: Environment::Sandbox,
                    region: Region::Eu,
                })?;
                write.put_user(team, &user)?;
                Ok(team)
            })
            .await
            .expect("writes");
        let ringlet = Ringlet::new();
        let settings = StoredProviderSettings {
            settings: ringlet.settings(),
            client_secret: Some(Secret::from("secret")),
            earlier_origins: None,
            is_provisioned: true,
        };
        let put = store.write(|write| write.put_provider_settings(&write.put_organisation("org_tests")?, &settings));
        put.await.expect("settings");
        let world = Self {
            _directory: directory,
            store,
            team,
            ringlet,
        };
        world.link().await;
        world
    }

    /// Links the user, as after a consent page.
    pub(crate) async fn link(&self) {
        let connection: ConnectedProvider = serde_json::from_value(json!({
            "name": "Ringlet", "slug": SLUG, "logo": "https://assets.example.com/logo.png", "status": "connected",
            "created_on": now(), "resource_availability": {}, "error_details": null,
        }))
        .expect("a connection");
        let tokens = OAuthTokens {
            access_token: Secret::from("an access token"),
            token_type: "Bearer".to_owned(),
            refresh_token: None,
            expires_at: None,
            scopes: Vec::new(),
            origins: None,
        };
        let put = self.store.write(|write| {
            write.put_connection(self.team, USER, &connection)?;
            write.put_tokens(self.team, USER, SLUG, &tokens, None, Uuid::now_v7())
        });
        put.await.expect("a connection");
    }

    /// Creates the puller of a process.
    pub(crate) fn puller(&self) -> Puller {
        let linking = Linking::new(LinkingSettings::default(), "http://127.0.0.1:8080");
        let linker = Linker {
            linking: Arc::new(linking),
            store: self.store.clone(),
            now,
            forms: DeprecatedForms::default(),
        };
        let connector = Connector {
            provider: self.ringlet.clone(),
            settings: ConnectorSettings {
                client_id: Some("client".to_owned()),
                client_secret: Some(Secret::from("secret")),
                ..ConnectorSettings::default()
            },
        };
        Puller::new(linker, vec![connector]).expect("a puller")
    }

    /// Works on due tasks until none is due, for at most some rounds.
    pub(crate) async fn settle(&self, puller: &Puller) {
        for _ in 0..100 {
            if puller.pull_due().await.expect("a store") == 0 {
                return;
            }
        }
        panic!("tasks are always due");
    }

    /// Works on due tasks for some rounds.
    pub(crate) async fn settle_some(&self, puller: &Puller, rounds: usize) {
        for _ in 0..rounds {
            puller.pull_due().await.expect("a store");
        }
    }

    /// Kills a puller after a while.
    pub(crate) async fn kill(&self, puller: &Puller, after: Duration) {
        let _ = tokio::time::timeout(after, puller.pull_due()).await;
    }

    /// Types of the events so far, in order.
    pub(crate) async fn event_types(&self) -> Vec<String> {
        let events = self
            .store
            .events(&EventFilter::default(), usize::MAX)
            .await
            .expect("reads");
        events.iter().map(|event| event.event_type.clone()).collect()
    }

    /// Steps of each day that reads return.
    pub(crate) async fn steps(&self) -> BTreeMap<NaiveDate, i64> {
        let days = "2025-01-01".parse().expect("a day")..=now().date_naive() + Days::new(2);
        let team = self.store.team(self.team);
        let summaries = team
            .summaries::<ActivitySummary>(USER, &ResourceName::Activity, days, None)
            .await;
        let summaries = summaries.expect("reads").expect("a user");
        let decoded = summaries.iter().map(|summary| {
            let summary: ActivitySummary = serde_json::from_slice(summary.as_bytes()).expect("a summary");
            (summary.calendar_date, summary.steps.expect("steps"))
        });
        decoded.collect()
    }

    /// Number of samples of heart rate that are stored.
    pub(crate) async fn heart_rates(&self) -> usize {
        let filter = SampleFilter {
            resource: &ResourceName::Heartrate,
            span: i64::MIN / 2..i64::MAX / 2,
            provider: None,
            after: None,
        };
        let page = self.store.team(self.team).samples(USER, &filter, 10_000_usize).await;
        let groups = page.expect("reads").expect("a user").groups;
        groups.iter().map(|group| group.samples.len()).sum()
    }

    /// Tasks of the connection that are not finished, by name.
    pub(crate) async fn open_tasks(&self) -> Vec<String> {
        let tasks = self.store.pull_tasks(self.team, USER).await.expect("reads");
        let open = tasks
            .into_iter()
            .filter(|task| task.due.is_some() || task.leased_until.is_some());
        open.map(|task| task.name).collect()
    }
}
