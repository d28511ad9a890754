//! World of the tests: a store with a linked user, a clock, and pullers that may be killed.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::json;
use sha2::Sha256;
use tempfile::TempDir;
use uuid::Uuid;
use wearlab_connect::settings::ConnectorSettings;
use wearlab_connect::{Connector, Inbox, NoticeRequest, Provider, Puller};
use wearlab_linking::settings::LinkingSettings;
use wearlab_linking::{Linker, Linking};
use wearlab_models::{
    ActivitySummary, ConnectedProvider, ConnectionStatus, Environment, Region, ResourceName, Secret, User,
};
use wearlab_store::{
    DeprecatedForms, EmbeddedSettings, EventFilter, OAuthTokens, PullTask, SampleFilter, SecretKey, Store,
    StoredProviderSettings, TeamId, TeamRecord,
};

use crate::provider::{Event, Ringlet, SLUG};

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
pub(crate) const OTHER: Uuid = Uuid::from_u128(8);

/// Secret of the provider's client.
pub(crate) const CLIENT_SECRET: &str = "secret";

/// Secret of the path of notices. It must not change with versions: providers have the URL.
pub(crate) fn path_secret() -> String {
    "69edeff29ebfac640b09d652d729af23".to_owned()
}

/// Secret of the path by the earlier secret key.
pub(crate) const EARLIER_PATH_SECRET: &str = "ef14191661a4dacb95a13ccf2da1b929";

fn linker(store: &Store, public_url: &str) -> Linker {
    Linker {
        linking: Arc::new(Linking::new(LinkingSettings::default(), public_url)),
        store: store.clone(),
        now,
        forms: DeprecatedForms::default(),
    }
}

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
        let keys = [[7; 32], [9; 32]].map(SecretKey::from);
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
        self.link_user(USER).await;
    }

    /// Adds another user, and links the same account.
    pub(crate) async fn link_another(&self) {
        self.add_user(OTHER).await;
        self.link_user(OTHER).await;
    }

    /// Adds a user.
    pub(crate) async fn add_user(&self, user_id: Uuid) {
        let user: User = serde_json::from_value(json!({
            "user_id": user_id, "team_id": Uuid::from_u128(1), "client_user_id": user_id.to_string(),
            "created_on": "2026-01-02T03:04:05Z", "connected_sources": [],
            "fallback_time_zone": {"id": "UTC", "source_slug": "manual", "updated_at": "2026-01-02T03:04:05Z"},
        }))
        .expect("a user");
        let put = self.store.write(|write| write.put_user(self.team, &user));
        put.await.expect("a user");
    }

    async fn link_user(&self, user_id: Uuid) {
        self.link_at(user_id, SLUG).await;
    }

    /// Links a user with a provider.
    pub(crate) async fn link_at(&self, user_id: Uuid, slug: &str) {
        let connection: ConnectedProvider = serde_json::from_value(json!({
            "name": "Ringlet", "slug": slug, "logo": "https://assets.example.com/logo.png", "status": "connected",
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
            write.put_connection(self.team, user_id, &connection)?;
            write.put_tokens(self.team, user_id, slug, &tokens, None, Uuid::now_v7())
        });
        put.await.expect("a connection");
    }

    /// Gives the organisation a client of its own at the provider.
    pub(crate) async fn use_own_client(&self) {
        let settings = StoredProviderSettings {
            settings: self.ringlet.settings(),
            client_secret: Some(Secret::from("another")),
            earlier_origins: None,
            is_provisioned: false,
        };
        let put = self
            .store
            .write(|write| write.put_provider_settings(&write.put_organisation("org_tests")?, &settings));
        put.await.expect("settings");
    }

    /// Returns the access of a process that may call providers on this machine.
    pub(crate) fn linker(&self, allows_loopback: bool) -> Linker {
        let mut linker = linker(&self.store, "http://127.0.0.1:8080");
        if allows_loopback {
            let settings = LinkingSettings {
                allow_http: true,
                allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
                ..LinkingSettings::default()
            };
            linker.linking = Arc::new(Linking::new(settings, "http://127.0.0.1:8080"));
        }
        linker
    }

    /// Creates the puller of a process.
    pub(crate) fn puller(&self) -> Puller {
        let linker = linker(&self.store, "http://127.0.0.1:8080");
        Puller::new(linker, vec![self.connector()]).expect("a puller")
    }

    /// Creates the puller of a process that has another provider, too, and sets that up for linking.
    pub(crate) async fn puller_with(&self, other: Arc<dyn Provider>) -> Puller {
        let linker = linker(&self.store, "http://127.0.0.1:8080");
        let other = Connector {
            provider: other,
            settings: self.connector().settings,
        };
        let puller = Puller::new(linker, vec![self.connector(), other]).expect("a puller");
        puller.provision().await.expect("settings");
        puller
    }

    /// Creates the puller of a process whose public URL is another one.
    pub(crate) fn puller_at(&self, public_url: &str) -> Puller {
        Puller::new(linker(&self.store, public_url), vec![self.connector()]).expect("a puller")
    }

    pub(crate) fn connector(&self) -> Connector {
        Connector {
            provider: self.ringlet.clone(),
            settings: ConnectorSettings {
                client_id: Some("client".to_owned()),
                client_secret: Some(Secret::from(CLIENT_SECRET)),
                ..ConnectorSettings::default()
            },
        }
    }

    /// Sends notices of the provider. Returns the status of the response, and the outcomes that were counted.
    pub(crate) async fn notify(&self, events: &[Event]) -> (u16, Vec<&'static str>) {
        let body = serde_json::to_string(events).expect("JSON");
        self.request(&path_secret(), CLIENT_SECRET, now(), &body).await
    }

    /// Sends a request to the address of notices, signed with a secret.
    pub(crate) async fn request(
        &self,
        path_secret: &str,
        client_secret: &str,
        sent: DateTime<Utc>,
        body: &str,
    ) -> (u16, Vec<&'static str>) {
        self.request_of(self.connector(), path_secret, client_secret, sent, body)
            .await
    }

    /// Sends a request to the address of the notices of a connector.
    pub(crate) async fn request_of(
        &self,
        connector: Connector,
        path_secret: &str,
        client_secret: &str,
        sent: DateTime<Utc>,
        body: &str,
    ) -> (u16, Vec<&'static str>) {
        let timestamp = sent.timestamp().to_string();
        let mac = Hmac::<Sha256>::new_from_slice(client_secret.as_bytes()).expect("a key");
        let signature = mac.chain_update(&timestamp).chain_update(body).finalize().into_bytes();
        let fields = [
            ("x-ringlet-signature", STANDARD.encode(signature)),
            ("x-ringlet-timestamp", timestamp),
        ];
        let field = |(name, text): (&'static str, String)| {
            let name = HeaderName::from_static(name);
            (name, HeaderValue::from_str(&text).expect("a value"))
        };
        let headers: HeaderMap = fields.into_iter().map(field).collect();
        let outcomes = Arc::new(Mutex::new(Vec::new()));
        let (store, counted) = (self.store.clone(), outcomes.clone());
        let inbox = Inbox::new(
            [connector],
            move || Some(linker(&store, "http://127.0.0.1:8080")),
            Box::new(move |slug, outcome| {
                assert_eq!(slug, SLUG);
                counted.lock().expect("not poisoned").push(outcome);
            }),
        );
        let request = NoticeRequest {
            method: &Method::POST,
            query: "",
            headers: &headers,
            body: body.as_bytes(),
            received: now(),
        };
        let response = inbox.receive(SLUG, path_secret, &request).await;
        let outcomes = outcomes.lock().expect("not poisoned").clone();
        (response.status, outcomes)
    }

    /// Begins a write that ends when the returned channel is dropped.
    pub(crate) fn lock(&self) -> mpsc::Sender<()> {
        let store = self.store.clone();
        let (release, released) = mpsc::channel::<()>();
        let (begin, begun) = mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let write = store.write(move |_| {
                begin.send(()).expect("the test waits");
                let _ = released.recv();
                Ok(())
            });
            runtime.expect("a runtime").block_on(write).expect("writes nothing");
        });
        begun.recv().expect("a write");
        release
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
        self.steps_of(USER).await
    }

    /// Steps of each day of a user.
    pub(crate) async fn steps_of(&self, user_id: Uuid) -> BTreeMap<NaiveDate, i64> {
        let days = "2025-01-01".parse().expect("a day")..=now().date_naive() + Days::new(2);
        let team = self.store.team(self.team);
        let summaries = team
            .summaries::<ActivitySummary>(user_id, &ResourceName::Activity, days, None)
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

    /// Status of the connection.
    pub(crate) async fn status(&self) -> ConnectionStatus {
        let connection = self.store.team(self.team).connection(USER, SLUG).await;
        connection.expect("reads").expect("a connection").status
    }

    /// A task of the connection.
    pub(crate) async fn task(&self, name: &str) -> PullTask {
        let tasks = self.store.pull_tasks(self.team, USER).await.expect("reads");
        tasks.into_iter().find(|task| task.name == name).expect("the task")
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
