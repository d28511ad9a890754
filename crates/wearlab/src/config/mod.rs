//! Configuration: plain data with a default for every optional setting.

pub(crate) mod check;
pub mod database;
mod defaults;
pub mod egress;
pub mod events;
pub(crate) mod files;
pub mod ingest;
pub mod kinds;
mod load;
pub mod log;
mod overrides;
mod problem;
mod read;
mod sources;
pub mod store;
#[cfg(test)]
mod tests;
mod tree;
pub mod values;
pub mod webhooks;

use std::path::PathBuf;

use serde::Deserialize;
use wearlab_http::settings::HttpSettings;
use wearlab_linking::settings::LinkingSettings;
use wearlab_providers::ConnectorsSettings;
use wearlab_service::Settings;

use self::database::DatabaseSettings;
pub use self::defaults::DEFAULT_FILE;
use self::egress::EgressSettings;
use self::events::EventSettings;
use self::ingest::IngestSettings;
use self::kinds::{CloudPubsubSettings, DeliverySettings, SvixSettings};
pub use self::load::{Loaded, load};
use self::log::LogSettings;
pub use self::overrides::Override;
pub use self::problem::{ConfigurationError, Problem};
pub(crate) use self::sources::{FILE as FILE_VARIABLE, ORGANISATION as ORGANISATION_VARIABLE};
use self::store::StoreSettings;
pub use self::tree::Origin;
use self::values::ValueSettings;
use self::webhooks::WebhookSettings;

/// Configuration of a service.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct Config {
    /// Data directory. Default: `wearlab-data`.
    pub data: PathBuf,
    /// File with the keys that encrypt secrets and patient data, one per line, in base64. The first encrypts, all
    /// decrypt. Default: none.
    pub secret_key_file: Option<PathBuf>,
    /// Allows tokens and client secrets of providers, and orders, without `secret_key_file`, in plain text. Default:
    /// false.
    pub allow_plaintext_secrets: bool,
    /// Embedded store in the data directory.
    pub store: StoreSettings,
    /// PostgreSQL database, used in place of the data directory.
    pub database: DatabaseSettings,
    /// Operations of the service.
    pub service: Settings,
    /// HTTP server.
    pub http: HttpSettings,
    /// Rejection of arrivals.
    pub ingest: IngestSettings,
    /// Content and retention of events.
    pub events: EventSettings,
    /// Retention of values.
    pub values: ValueSettings,
    /// Linking of providers.
    pub linking: LinkingSettings,
    /// Connectors, which pull the data of linked users from their providers.
    pub connectors: ConnectorsSettings,
    /// Outgoing connections to hosts that pipelines name.
    pub egress: EgressSettings,
    /// Delivery.
    pub delivery: DeliverySettings,
    /// Connection to Cloud Pub/Sub.
    pub cloud_pubsub: CloudPubsubSettings,
    /// Svix server, if one is used.
    pub svix: SvixSettings,
    /// Webhooks.
    pub webhooks: WebhookSettings,
    /// Log and traces.
    pub log: LogSettings,
}

impl Config {
    /// Returns a warning if secrets are not encrypted.
    pub(crate) fn plaintext_warning(&self) -> Option<&'static str> {
        match (&self.secret_key_file, self.allow_plaintext_secrets) {
            (Some(_), _) => None,
            (None, false) => Some(
                "secret_key_file is not set: linking, orders and signed URLs are refused, and the secrets of pipelines and \
                 webhooks are stored in plain text",
            ),
            (None, true) => Some(
                "allow_plaintext_secrets is set without secret_key_file: tokens and client secrets of providers, orders, and \
                 the secrets of pipelines and webhooks are stored in plain text, and no URLs are signed",
            ),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data: "wearlab-data".into(),
            secret_key_file: None,
            allow_plaintext_secrets: false,
            store: StoreSettings::default(),
            database: DatabaseSettings::default(),
            service: Settings::default(),
            http: HttpSettings::default(),
            ingest: IngestSettings::default(),
            events: EventSettings::default(),
            values: ValueSettings::default(),
            linking: LinkingSettings::default(),
            connectors: ConnectorsSettings::default(),
            egress: EgressSettings::default(),
            delivery: DeliverySettings::default(),
            cloud_pubsub: CloudPubsubSettings::default(),
            svix: SvixSettings::default(),
            webhooks: WebhookSettings::default(),
            log: LogSettings::default(),
        }
    }
}
