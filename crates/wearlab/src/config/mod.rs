//! What an operator decides: plain data, with a default for everything.

pub mod brokers;
pub(crate) mod check;
pub mod database;
pub mod delivery;
pub mod events;
pub(crate) mod files;
pub mod http;
mod in_force;
mod list;
mod load;
pub mod log;
mod node;
mod problem;
mod read;
mod sources;
mod span;
pub mod store;
#[cfg(test)]
mod tests;
pub mod webhooks;

use std::path::PathBuf;

use serde::Deserialize;

use self::brokers::{CloudPubsubSettings, SvixSettings};
use self::database::DatabaseSettings;
use self::delivery::DeliverySettings;
use self::events::EventSettings;
use self::http::HttpSettings;
pub use self::in_force::InForce;
pub use self::load::{DEFAULT_FILE, Loaded, load};
use self::log::LogSettings;
pub use self::node::Origin;
pub use self::problem::{ConfigurationError, Problem};
pub(crate) use self::sources::FILE as FILE_VARIABLE;
use self::store::StoreSettings;
use self::webhooks::WebhookSettings;
use crate::Settings;

/// Everything that an operator decides.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct Config {
    /// The folder of the data. Default: `wearlab-data`.
    pub data: PathBuf,
    /// A file with keys that pipelines are encrypted with, one a line, in base64; the first encrypts, each opens.
    /// Default: none.
    pub secret_key_file: Option<PathBuf>,
    /// How the data are kept in the folder.
    pub store: StoreSettings,
    /// The PostgreSQL database that the data are in, in place of the folder.
    pub database: DatabaseSettings,
    /// What the service does.
    pub service: Settings,
    /// How it is reached.
    pub http: HttpSettings,
    /// What is in events, and how long they are kept.
    pub events: EventSettings,
    /// How events are delivered.
    pub delivery: DeliverySettings,
    /// How Cloud Pub/Sub is reached.
    pub cloud_pubsub: CloudPubsubSettings,
    /// Which Svix server is used, if any.
    pub svix: SvixSettings,
    /// How webhooks are sent.
    pub webhooks: WebhookSettings,
    /// What is logged.
    pub log: LogSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data: "wearlab-data".into(),
            secret_key_file: None,
            store: StoreSettings::default(),
            database: DatabaseSettings::default(),
            service: Settings::default(),
            http: HttpSettings::default(),
            events: EventSettings::default(),
            delivery: DeliverySettings::default(),
            cloud_pubsub: CloudPubsubSettings::default(),
            svix: SvixSettings::default(),
            webhooks: WebhookSettings::default(),
            log: LogSettings::default(),
        }
    }
}
