//! Settings of webhooks.

use std::time::Duration;

use ipnet::IpNet;
use serde::Deserialize;
use wearlab_delivery::webhook::Settings;

use super::{list, span};

/// How webhooks are sent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookSettings {
    /// Whether addresses may be http. Default: no.
    pub allow_http: bool,
    /// Networks that webhooks may reach although they are not public, such as `10.1.0.0/16`. Default: none.
    #[serde(deserialize_with = "list::read")]
    pub allow_networks: Vec<IpNet>,
    /// How long an attempt may take in all. Default: `15s`.
    #[serde(deserialize_with = "span::read")]
    pub timeout: Duration,
    /// How many requests to one endpoint may be under way at once. Default: 8.
    pub in_flight: usize,
}

impl WebhookSettings {
    /// The settings of the sender.
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
