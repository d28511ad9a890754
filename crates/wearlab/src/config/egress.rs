//! Settings of outgoing connections to hosts that tenants name.

use ipnet::IpNet;
use serde::Deserialize;
use wearlab_delivery::egress::Policy;

use super::list;

/// Settings of outgoing connections to hosts that tenants name: of webhooks, brokers, storage accounts and providers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EgressSettings {
    /// Whether connections may be without TLS. Default: no.
    pub allow_plaintext: bool,
    /// Private networks that may be reached, such as `10.1.0.0/16`. Default: none.
    #[serde(deserialize_with = "list::deserialize")]
    pub allow_networks: Vec<IpNet>,
}

impl EgressSettings {
    /// What these settings allow.
    pub fn policy(&self) -> Policy {
        Policy {
            allow_plaintext: self.allow_plaintext,
            allow_networks: self.allow_networks.clone(),
        }
    }
}
