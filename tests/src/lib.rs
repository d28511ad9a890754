//! Running service with sample data, and clients of it.

pub mod coverage;
pub mod fuzz;
pub mod linked;
pub mod orders;
pub mod owners;
pub mod parameters;
pub mod pipelines;
mod place;
pub mod process;
pub mod scripted;
mod template;
pub mod undelivered;
pub mod values;
pub mod webhooks;
pub mod write_requests;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use wearlab::serve::Server;
use wearlab_client::{Client, RetryPolicy};
use wearlab_http::settings::HttpSettings;
use wearlab_linking::Linking;
use wearlab_linking::settings::LinkingSettings;
use wearlab_models::Uuid;
use wearlab_sample::{Sample, SampleOptions};
use wearlab_server::{Operation, operations};
use wearlab_service::{Service, Settings};
use wearlab_store::{DeprecatedForms, Ingestion, KeyRecord, KeyScope, KeyScopes, SecretKey, Store, StoreError};

pub use self::parameters::QUERY;
use self::parameters::{PathValues, described, is_of_lines};
pub use self::place::Place;
pub use self::values::LINK_TOKEN;

/// Link token that has expired.
pub const EXPIRED_LINK_TOKEN: &str = "wl_link_expired";
/// The id of the first event in the log of every [`Running`] service. It belongs to the sample's user, and has no data.
pub const EVENT_ID: &str = "evt_00000000000000000000000000000e01";
/// `client_user_id` of the sample's user.
const CLIENT_USER_ID: &str = "client-000000";

/// Returns the operations that read a JSON value. Others read a stream of lines, or a file.
pub fn reads() -> impl Iterator<Item = &'static Operation> {
    let reads = |operation: &&Operation| operation.method.is_safe() && sends_json(operation);
    operations::ALL.into_iter().filter(reads)
}

/// Returns the operations that ingest streams of lines.
pub fn streams() -> impl Iterator<Item = &'static Operation> {
    operations::ALL.into_iter().filter(is_stream)
}

/// Returns the other operations that write.
pub fn writes() -> impl Iterator<Item = &'static Operation> {
    let writes = |operation: &&Operation| !operation.method.is_safe() && !is_stream(operation);
    operations::ALL.into_iter().filter(writes)
}

/// Returns whether the success of an operation is a JSON value.
pub fn sends_json(operation: &Operation) -> bool {
    let content = &described(operation)["responses"]["200"]["content"];
    let mut kinds = content.as_object().into_iter().flat_map(|content| content.keys());
    kinds.any(|kind| kind == "application/json" || kind.ends_with("+json"))
}

fn is_stream(operation: &&Operation) -> bool {
    !operation.method.is_safe() && is_of_lines(operation)
}

/// Service on a free port of this machine, with a sample, by default of seed 1. It stops on drop. It moves orders on
/// request, like a demo.
pub struct Running {
    /// Base URL of the service.
    pub url: String,
    /// Base URL of the management endpoints, the probes and the metrics: the same, unless the settings have another
    /// one.
    pub management_url: String,
    /// Sample. Its keys allow everything.
    pub sample: Sample,
    /// Store of the service.
    pub store: Store,
    place: Place,
    stop: Option<oneshot::Sender<()>>,
}

impl Running {
    /// Starts a service.
    pub async fn start(users: u32) -> Self {
        Self::start_with(users, Settings::default()).await
    }

    /// Starts a service with the sample of another seed.
    pub async fn start_seed(seed: u64, users: u32) -> Self {
        Self::launch(
            &SampleOptions { seed, users },
            Settings::default(),
            HttpSettings::default(),
            DeprecatedForms::default(),
        )
        .await
    }

    /// Starts a service with these deprecated forms.
    pub async fn start_forms(users: u32, forms: DeprecatedForms) -> Self {
        let options = SampleOptions { seed: 1, users };
        Self::launch(&options, Settings::default(), HttpSettings::default(), forms).await
    }

    /// Starts a service with settings of its own.
    pub async fn start_with(users: u32, settings: Settings) -> Self {
        Self::launch(
            &SampleOptions { seed: 1, users },
            settings,
            HttpSettings::default(),
            DeprecatedForms::default(),
        )
        .await
    }

    /// Starts a service with other HTTP settings. Its ports are always free ones.
    pub async fn start_http(users: u32, http: HttpSettings) -> Self {
        Self::launch(
            &SampleOptions { seed: 1, users },
            Settings::default(),
            http,
            DeprecatedForms::default(),
        )
        .await
    }

    /// Starts a service with another clock.
    pub async fn start_clock(users: u32, now: fn() -> DateTime<Utc>) -> Self {
        let options = SampleOptions { seed: 1, users };
        let filled = Self::fill(Place::directory(), &options).await;
        filled
            .serve_at(
                now,
                Settings::default(),
                HttpSettings::default(),
                DeprecatedForms::default(),
            )
            .await
    }

    /// Starts a service on the PostgreSQL server in `WEARLAB_TEST_DATABASE`.
    pub async fn start_on_database(users: u32) -> Self {
        Self::start_on_database_http(users, HttpSettings::default()).await
    }

    /// Starts the same, with other HTTP settings.
    pub async fn start_on_database_http(users: u32, http: HttpSettings) -> Self {
        let place = Place::database().await;
        Self::fill(place, &SampleOptions { seed: 1, users })
            .await
            .serve(Settings::default(), http, DeprecatedForms::default())
            .await
    }

    async fn launch(options: &SampleOptions, settings: Settings, http: HttpSettings, forms: DeprecatedForms) -> Self {
        let filled = Self::fill(Place::directory(), options).await;
        filled.serve(settings, http, forms).await
    }

    /// Starts another service on the same store, like another process.
    pub async fn beside(&self) -> Self {
        self.beside_with(Utc::now, DeprecatedForms::default()).await
    }

    /// Starts another service with another clock and other deprecated forms.
    pub async fn beside_with(&self, now: fn() -> DateTime<Utc>, forms: DeprecatedForms) -> Self {
        let filled = FilledStore {
            store: self.place.open().await,
            sample: self.sample.clone(),
            place: self.place.clone(),
        };
        filled
            .serve_at(now, Settings::default(), HttpSettings::default(), forms)
            .await
    }

    /// Starts another service on the same store, with these secret keys.
    pub async fn beside_with_keys(&self, keys: &[SecretKey]) -> Self {
        let filled = FilledStore {
            store: self.place.open_with(keys).await,
            sample: self.sample.clone(),
            place: self.place.clone(),
        };
        filled
            .serve(Settings::default(), HttpSettings::default(), DeprecatedForms::default())
            .await
    }

    /// Starts a service without a secret key.
    pub async fn start_without_key(users: u32) -> Self {
        let place = Place::directory();
        let store = place.open_with(&[]).await;
        let sample = template::fill(&store, &SampleOptions { seed: 1, users }).await;
        let filled = FilledStore { store, sample, place };
        filled
            .serve(Settings::default(), HttpSettings::default(), DeprecatedForms::default())
            .await
    }

    /// Opens the same store, like another process.
    pub async fn open_again(&self) -> Store {
        self.place.open().await
    }

    /// Returns the directory of the store.
    pub fn directory(&self) -> &Path {
        match &self.place {
            Place::Directory(directory) => directory.path(),
            Place::Database(_) => panic!("a database is in no directory"),
        }
    }

    async fn fill(place: Place, options: &SampleOptions) -> FilledStore {
        let (store, sample) = match &place {
            Place::Directory(directory) => {
                let sample = template::copy(options, directory.path()).await;
                (place.open().await, sample)
            }
            Place::Database(_) => {
                let store = place.open().await;
                let sample = template::fill(&store, options).await;
                (store, sample)
            }
        };
        FilledStore { store, sample, place }
    }

    /// Requests the service to stop.
    pub fn stop(&mut self) {
        self.stop.take();
    }

    /// Creates an API key and a management key of the sample that allow everything except reads.
    pub async fn keys_that_do_not_read(&self) -> [&'static str; 2] {
        let scopes = [KeyScope::Write, KeyScope::Ingest, KeyScope::Admin];
        self.keys_with(["wl_team_without_read", "wl_mgmt_without_read"], scopes)
            .await
    }

    /// Returns the scope that an operation needs, with an API key and a management key of the sample that lack it.
    pub async fn keys_without_the_scope_of(&self, operation: &Operation) -> (&'static str, [&'static str; 2]) {
        match operation.scopes[0][0].1 {
            ["read"] => ("read", self.keys_that_do_not_read().await),
            [scope] => (scope, self.keys_that_only_read().await),
            other => panic!("{}: {other:?}", operation.id),
        }
    }

    /// Creates an API key and a management key of the sample that allow only reads.
    pub async fn keys_that_only_read(&self) -> [&'static str; 2] {
        self.keys_with(["wl_team_that_only_reads", "wl_mgmt_that_only_reads"], [KeyScope::Read])
            .await
    }

    async fn keys_with(
        &self,
        keys: [&'static str; 2],
        scopes: impl IntoIterator<Item = KeyScope>,
    ) -> [&'static str; 2] {
        let scopes: KeyScopes = scopes.into_iter().collect();
        let records = [
            KeyRecord::of_team(self.sample.team_id, keys[0]),
            KeyRecord::of_organisation(&self.sample.org_id, keys[1]),
        ];
        let put = self.store.write(|write| {
            records.into_iter().try_for_each(|key| {
                let scopes = Some(scopes);
                write.put_key(&KeyRecord { scopes, ..key })
            })
        });
        put.await.expect("two keys");
        keys
    }

    /// Returns a client with every credential that returns the first response, without retries.
    pub fn client(&self) -> Client {
        Client::builder()
            .base_url(&self.url)
            .api_key(&self.sample.team_api_key)
            .link_token(LINK_TOKEN)
            .management_key(&self.sample.management_key)
            .retry(RetryPolicy::none())
            .build()
            .expect("a client")
    }

    /// Reads the JSON of a successful response, without the client.
    pub async fn json(&self, path: &str) -> serde_json::Value {
        self.json_as(&self.sample.management_key, path).await
    }

    /// Reads it with another management key.
    pub async fn json_as(&self, management_key: &str, path: &str) -> serde_json::Value {
        let request = crate::http()
            .get(format!("{}{path}", self.url))
            .header("x-service-api-key", &self.sample.team_api_key)
            .header("x-management-key", management_key);
        let response = request.send().await.expect("a response");
        assert_eq!(response.status(), 200, "{path}");
        let kind = response.headers()["content-type"].to_str().expect("text");
        assert!(["application/json", "application/fhir+json"].contains(&kind), "{kind}");
        response.json().await.expect("JSON")
    }

    /// Returns the path of the sample's pipelines.
    pub fn pipelines_path(&self) -> String {
        self.path("/v1/org/{org_id}/team_etl_pipelines/{env}/{region}")
    }

    /// Returns a path of the document, with values of the sample for its parameters.
    pub fn path(&self, template: &str) -> String {
        let sample = &self.sample;
        let values = PathValues {
            sample,
            org: &sample.org_id,
            team: sample.team_id,
            env: sample.env.as_str(),
            region: sample.region.as_str(),
            key: &sample.team_api_key,
            user: sample.user_id,
            client_user_id: CLIENT_USER_ID,
            event_id: EVENT_ID,
        };
        values.fill(template)
    }
}

/// Store with a sample.
struct FilledStore {
    store: Store,
    sample: Sample,
    place: Place,
}

impl FilledStore {
    async fn serve(self, settings: Settings, http: HttpSettings, forms: DeprecatedForms) -> Running {
        self.serve_at(Utc::now, settings, http, forms).await
    }

    async fn serve_at(
        self,
        now: fn() -> DateTime<Utc>,
        settings: Settings,
        http: HttpSettings,
        forms: DeprecatedForms,
    ) -> Running {
        let Self { store, sample, place } = self;
        let server = Server::bind(on_free_ports(http)).await.expect("free ports");
        let observed = store.clone().observed(server.store_observer());
        let url = url(server.scheme(), server.address());
        let linking = Arc::new(Linking::new(linking_settings(), &url));
        let service = Service::new(observed, settings, now, rand::random())
            .await
            .expect("a service")
            .with_deprecated_forms(forms)
            .with_linking(linking)
            .with_connectors([linked::CONNECTOR.to_owned()])
            .with_simulated_orders()
            .with_webhooks(webhooks::settings())
            .with_egress(webhooks::egress());
        let management_url = self::url(server.management_scheme(), server.management_address());
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(server.run(Arc::new(service), async {
            let _ = stopped.await;
        }));
        Running {
            url,
            management_url,
            sample,
            store,
            place,
            stop: Some(stop),
        }
    }
}

/// Writes an event of a connection into the log, with an id of its own.
///
/// # Errors
///
/// Errors of the store.
pub fn put_event(
    write: &wearlab_store::Transaction<'_>,
    team: wearlab_store::TeamId,
    user_id: Uuid,
    fresh_id: fn() -> Uuid,
) -> Result<(), StoreError> {
    let ingestion = Ingestion {
        now: Utc::now(),
        fresh_id,
        forms: DeprecatedForms::default(),
    };
    write.log(team, user_id, &ingestion, |envelope| {
        let event = wearlab_service::trigger::event("provider.connection.created", envelope, ingestion.now);
        event.map_err(|_| StoreError::Document { what: "event" })
    })
}

/// Creates an HTTP client for one test: connections of a client end with the runtime that created them. It trusts no
/// certificates, because reading those of the system takes far longer than a request to this machine, which is without
/// TLS.
///
/// # Panics
///
/// If TLS cannot be set up.
pub fn http() -> reqwest::Client {
    let client = reqwest::Client::builder().tls_certs_only([]);
    client.build().expect("a client")
}

/// Returns settings of linking that allow providers on this machine.
pub fn linking_settings() -> LinkingSettings {
    LinkingSettings {
        allow_http: true,
        allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
        timeout: Duration::from_secs(2),
        ..LinkingSettings::default()
    }
}

/// Returns the same settings, at free ports of this machine.
pub fn on_free_ports(http: HttpSettings) -> HttpSettings {
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    HttpSettings {
        listen: free,
        management_listen: http.management_listen.map(|_| free),
        ..http
    }
}

/// Returns the URL of an address.
pub fn url(scheme: &str, address: std::io::Result<SocketAddr>) -> String {
    format!("{scheme}://{}", address.expect("an address"))
}

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// Compiles the examples of the client's README.
#[cfg(doctest)]
#[doc = include_str!("../../crates/client/README.md")]
struct ClientReadme;

/// Compiles the examples of the store's README.
#[cfg(doctest)]
#[doc = include_str!("../../crates/store/README.md")]
struct StoreReadme;

/// Compiles the examples of the diagnoses' README.
#[cfg(doctest)]
#[doc = include_str!("../../crates/diagnoses/README.md")]
struct DiagnosesReadme;

/// Compiles the examples of the labs' README.
#[cfg(doctest)]
#[doc = include_str!("../../crates/labs/README.md")]
struct LabsReadme;
