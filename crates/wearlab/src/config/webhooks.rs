//! Settings of webhooks.

use std::time::Duration;

use ipnet::IpNet;
use serde::Deserialize;
use wearlab_delivery::webhook::Settings;
use wearlab_settings::{duration, list};

/// Settings of webhooks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookSettings {
    /// Allows `http` URLs. Default: no.
    pub allow_http: bool,
    /// Private networks that webhooks may be sent to, such as `10.1.0.0/16`. Default: none.
    #[serde(deserialize_with = "list::deserialize")]
    pub allow_networks: Vec<IpNet>,
    /// Timeout of an attempt. Default: `15s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub timeout: Duration,
    /// Maximum concurrent requests to one endpoint. Default: 8.
    pub in_flight: usize,
}

impl WebhookSettings {
    /// Returns the settings of the sender.
    pub fn sender(&self) -> Settings {
        Settings {
            allow_http: self.allow_http,
            allow_networks: self.allow_networks.clone(),
            timeout: self.timeout,
            in_flight: self.in_flight,
            ..Settings::default()
        }
    }
}

impl Default for WebhookSettings {
    fn default() -> Self {
        let Settings {
            allow_http,
            allow_networks,
            timeout,
            in_flight,
            ..
        } = Settings::default();
        Self {
            allow_http,
            allow_networks,
            timeout,
            in_flight,
        }
    }
}
