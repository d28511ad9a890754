//! Settings of outgoing connections to hosts that pipelines name.

use ipnet::IpNet;
use serde::Deserialize;
use wearlab_delivery::egress::{Policy, SettingNames};
use wearlab_settings::list;

/// Settings of outgoing connections to hosts that pipelines name: brokers and storage accounts. Webhooks and providers have
/// settings of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EgressSettings {
    /// Allows connections without TLS. Default: no.
    pub allow_plaintext: bool,
    /// Private networks that connections may reach, such as `10.1.0.0/16`. Default: none.
    #[serde(deserialize_with = "list::deserialize")]
    pub allow_networks: Vec<IpNet>,
}

impl EgressSettings {
    /// Returns the policy of these settings.
    pub fn policy(&self) -> Policy {
        Policy {
            allow_plaintext: self.allow_plaintext,
            allow_networks: self.allow_networks.clone(),
            settings: SettingNames::EGRESS,
        }
    }
}
