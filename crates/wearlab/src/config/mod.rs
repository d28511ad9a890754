//! What an operator decides: plain data, with a default for everything.

pub mod http;
mod list;
mod load;
pub mod log;
mod span;
pub mod webhooks;

use std::path::PathBuf;

use serde::Deserialize;
use wearlab_store::DeprecatedForms;

use self::http::HttpSettings;
pub use self::load::{ConfigurationError, DEFAULT_FILE, load};
use self::log::LogSettings;
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
    /// What the service does.
    pub service: Settings,
    /// How it is reached.
    pub http: HttpSettings,
    /// What is in events.
    pub events: EventSettings,
    /// How webhooks are sent.
    pub webhooks: WebhookSettings,
    /// What is logged.
    pub log: LogSettings,
}

/// What is in events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventSettings {
    /// Which deprecated forms are still sent.
    pub deprecated: DeprecatedForms,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data: "wearlab-data".into(),
            secret_key_file: None,
            service: Settings::default(),
            http: HttpSettings::default(),
            events: EventSettings::default(),
            webhooks: WebhookSettings::default(),
            log: LogSettings::default(),
        }
    }
}
