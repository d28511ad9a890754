//! Operations of the API on the store, a file for each tag.

mod access_tokens;
pub mod administration;
mod attempts;
mod audit_log;
mod auth;
mod backend;
mod connections;
mod console;
mod console_access;
mod cursor;
mod dates;
mod devices;
mod errors;
mod event_log;
mod export;
mod failure;
mod intake;
mod introspection;
mod keys;
mod lab_test_query;
mod labs;
pub mod limits;
mod link_tokens;
mod linking;
mod log_watch;
mod logged_events;
mod managed;
mod operator;
mod operator_auth;
mod orders;
mod organisations;
mod parts;
mod pipelines;
mod places;
mod provider_settings;
mod providers;
mod pulls;
mod redaction;
mod redirect_urls;
mod refresh;
mod replay;
mod samples;
pub mod sessions;
mod source_details;
mod streams;
mod summaries;
mod timeseries;
pub mod trigger;
mod undelivered;
mod users;
mod version;
mod version_key;
mod webhook_actions;
mod webhook_endpoints;
mod webhooks;
mod write;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};
use console_access::ConsoleAccess;
use cursor::SigningKeys;
use errors::{RETRY_AFTER, no_team, no_user, store_error};
use log_watch::LogWatch;
use places::Places;
use serde::Deserialize;
use tokio::sync::watch;
use version_key::VersionKey;
use wearlab_delivery::Kinds;
use wearlab_delivery::egress::PipelinePolicy;
use wearlab_delivery::webhook::Sender;
use wearlab_http::RateLimiter;
use wearlab_http::settings::RateLimit;
use wearlab_linking::settings::LinkingSettings;
use wearlab_linking::{Linker, Linking};
use wearlab_models::{Encoded, NoteCode, Secret};
use wearlab_server::{ApiError, ApiResult, Reply};
use wearlab_store::{DeprecatedForms, Ingestion, Store, StoreError};

use crate::limits::ServiceLimits;
pub use auth::LOCAL;
pub use dates::zone;
pub use failure::{Failure, with_causes};
pub use operator::Operator;
pub use orders::SignedForm;

/// Default base URL of the API.
const DEFAULT_URL: &str = "http://127.0.0.1:8080";

/// Implementation of the API on a store.
pub struct Service {
    opened: OnceLock<Opened>,
    settings: Settings,
    limiter: Option<RateLimiter>,
    now: fn() -> DateTime<Utc>,
    /// URLs that webhooks may be sent to.
    webhooks: wearlab_delivery::webhook::Settings,
    /// Clients of destinations; without them, only webhooks are sent.
    kinds: Option<Kinds>,
    /// Hosts that pipelines may reach.
    egress: PipelinePolicy,
    /// Deprecated forms of events of arrivals, and of sources in reads.
    forms: DeprecatedForms,
    /// Notes that reject their arrivals.
    rejected_notes: Vec<NoteCode>,
    linking: Arc<Linking>,
    /// Slugs of the providers that connectors of the service set up.
    connectors: BTreeSet<String>,
    /// True for a demo, whose orders progress on request.
    is_demo: bool,
    /// Management key that the console of a demo offers.
    demo_key: Option<Secret>,
    /// Operator who uses the store in place of the owners of keys: a command that serves its own store to itself.
    operator: Option<Arc<Operator>>,
    /// True once streams of lines and waits must end.
    stopping: watch::Sender<bool>,
    log_watch: LogWatch,
    /// Permits of requests that wait for an event.
    waits: Places,
    /// Permits of requests that wait for another machine.
    outbound_waits: Places,
    /// Permits of open streams of lines.
    streams: Places,
    console: ConsoleAccess,
}

/// Open store, with data that all requests share.
struct Opened {
    store: Store,
    cursors: SigningKeys,
    /// Keys of signed URLs. None without a secret key.
    urls: Option<SigningKeys>,
    versions: VersionKey,
}

/// Settings of the operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
#[non_exhaustive]
pub struct Settings {
    /// Allows reading the description of an OAuth provider with a link token alone, for linking pages in a browser. Off
    /// by default.
    pub link_token_suffices: bool,
    /// Rate limit of each key. Off by default.
    pub rate_limit: Option<RateLimit>,
    /// Limits of concurrent work, and of memory.
    pub limits: ServiceLimits,
}

impl Service {
    /// Creates a service on a store. `now` is the clock; `fresh_secret`, random bytes, becomes the signing secret of
    /// cursors if the store has neither a secret key nor such a secret.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn new(
        store: Store,
        settings: Settings,
        now: fn() -> DateTime<Utc>,
        fresh_secret: [u8; 32],
    ) -> Result<Self, StoreError> {
        let service = Self::starting(settings, now);
        service.open(store, fresh_secret).await?;
        Ok(service)
    }

    /// Creates a service without a store: until [`open`](Self::open), it is not ready, and its operations are 503s.
    pub fn starting(settings: Settings, now: fn() -> DateTime<Utc>) -> Self {
        let limits = &settings.limits;
        Self {
            opened: OnceLock::new(),
            settings,
            limiter: settings.rate_limit.map(RateLimiter::new),
            now,
            webhooks: wearlab_delivery::webhook::Settings::default(),
            kinds: None,
            egress: PipelinePolicy::default(),
            forms: DeprecatedForms::default(),
            rejected_notes: Vec::new(),
            linking: Arc::new(Linking::new(LinkingSettings::default(), DEFAULT_URL)),
            connectors: BTreeSet::new(),
            is_demo: false,
            demo_key: None,
            operator: None,
            stopping: watch::Sender::new(false),
            log_watch: LogWatch::default(),
            waits: Places::new(limits.waits, limits.waits_per_organisation),
            outbound_waits: Places::new(limits.outbound_waits, limits.outbound_waits_per_organisation),
            streams: Places::new(limits.streams, limits.streams_per_organisation),
            console: ConsoleAccess::new(),
        }
    }

    /// Sets the operator, whose credentials become the only accepted ones.
    #[must_use]
    pub fn operated_by(self, operator: Arc<Operator>) -> Self {
        Self {
            operator: Some(operator),
            ..self
        }
    }

    /// Sets the settings of linking.
    #[must_use]
    pub fn with_linking(self, linking: Arc<Linking>) -> Self {
        Self { linking, ..self }
    }

    /// Sets the slugs of the providers that connectors of the service set up: their settings come back, so that nobody can
    /// delete them.
    #[must_use]
    pub fn with_connectors(self, slugs: impl IntoIterator<Item = String>) -> Self {
        Self {
            connectors: slugs.into_iter().collect(),
            ..self
        }
    }

    /// Sets the settings of webhooks, which send tests and reject URLs.
    #[must_use]
    pub fn with_webhooks(self, webhooks: wearlab_delivery::webhook::Settings) -> Self {
        Self { webhooks, ..self }
    }

    /// Sets the clients of destinations, which reject pipelines that they do not allow.
    #[must_use]
    pub fn with_kinds(self, kinds: Option<Kinds>) -> Self {
        let egress = kinds.as_ref().map(|kinds| kinds.egress.clone());
        Self {
            kinds,
            egress: egress.unwrap_or_default(),
            ..self
        }
    }

    /// Sets the egress policy of pipelines, which rejects other hosts.
    #[must_use]
    pub fn with_egress(self, egress: PipelinePolicy) -> Self {
        Self { egress, ..self }
    }

    /// Returns the clients of destinations.
    fn kinds(&self) -> Result<Cow<'_, Kinds>, ApiError> {
        match &self.kinds {
            Some(kinds) => Ok(Cow::Borrowed(kinds)),
            None => {
                let sender = Sender::new(self.webhooks.clone(), self.now).map_err(ApiError::internal)?;
                let mut kinds = Kinds::new(sender);
                kinds.only_webhooks = true;
                Ok(Cow::Owned(kinds))
            }
        }
    }

    /// Simulates the progress of orders on request: a demo.
    #[must_use]
    pub fn with_simulated_orders(self) -> Self {
        Self { is_demo: true, ..self }
    }

    /// Sets the management key that the console offers to visitors on this machine: a demo.
    #[must_use]
    pub fn with_demo_key(self, key: Secret) -> Self {
        Self {
            demo_key: Some(key),
            ..self
        }
    }

    /// Returns the management key of a demo.
    pub fn demo_key(&self) -> Option<&Secret> {
        self.demo_key.as_ref()
    }

    /// Sets the deprecated forms of events of arrivals, and of sources and results in reads.
    #[must_use]
    pub fn with_deprecated_forms(self, forms: DeprecatedForms) -> Self {
        Self { forms, ..self }
    }

    /// Sets the codes of notes that reject their arrivals.
    #[must_use]
    pub fn with_rejected_notes(self, rejected_notes: Vec<NoteCode>) -> Self {
        Self { rejected_notes, ..self }
    }

    /// Sets the store, like [`new`](Self::new), unless there is one already.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn open(&self, store: Store, fresh_secret: [u8; 32]) -> Result<(), StoreError> {
        let cursors = SigningKeys::of_cursors(&store, fresh_secret).await?;
        self.keep(store, cursors).await
    }

    async fn keep(&self, store: Store, cursors: SigningKeys) -> Result<(), StoreError> {
        let (urls, versions) = (SigningKeys::of_urls(&store), VersionKey::of(&store).await?);
        self.opened.get_or_init(|| Opened {
            store,
            cursors,
            urls,
            versions,
        });
        Ok(())
    }

    /// Sets the store for a single command: the signing secret of cursors is not stored.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn open_once(&self, store: Store, secret: [u8; 32]) -> Result<(), StoreError> {
        self.keep(store, SigningKeys::unkept(secret)).await
    }

    /// Returns true once it has a store.
    pub fn is_open(&self) -> bool {
        self.opened.get().is_some()
    }

    fn opened(&self) -> Result<&Opened, ApiError> {
        self.opened.get().ok_or_else(|| ApiError::unavailable(RETRY_AFTER))
    }

    fn store(&self) -> Result<&Store, ApiError> {
        Ok(&self.opened()?.store)
    }

    /// Returns the parameters of changes that this service makes itself.
    fn ingestion(&self) -> Ingestion {
        Ingestion {
            now: (self.now)(),
            fresh_id: wearlab_clock::fresh_id,
            forms: self.forms,
        }
    }
}

impl Service {
    /// Returns the linker of providers.
    pub fn linker(&self) -> Result<Linker, ApiError> {
        Ok(Linker {
            linking: self.linking.clone(),
            store: self.store()?.clone(),
            now: self.now,
            forms: self.forms,
        })
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("store", &self.opened.get().map(|opened| &opened.store))
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

fn encoded<T>(body: serde_json::Result<Encoded<T>>) -> ApiResult<T> {
    body.map(Reply::Encoded).map_err(ApiError::internal)
}
