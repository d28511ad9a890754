//! Settings of webhooks.

use std::fmt;
use std::time::Duration;

use ipnet::IpNet;

/// Settings of webhooks.
#[derive(Clone)]
pub struct Settings {
    /// True if to allow http URLs, whose traffic is not encrypted. Off by default.
    pub allow_http: bool,
    /// Networks that webhooks may reach although they are not public. None by default: users who may add an endpoint
    /// could otherwise reach hosts behind the firewall, and the keys that clouds provide to their machines.
    pub allow_networks: Vec<IpNet>,
    /// Timeout of an attempt. 15 seconds by default.
    pub timeout: Duration,
    /// Maximum number of requests in flight to one endpoint. 8 by default.
    pub in_flight: usize,
    /// Certificates of authorities that are trusted besides the system's, each as PEM.
    pub extra_roots: Vec<Vec<u8>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            allow_http: false,
            allow_networks: Vec::new(),
            timeout: Duration::from_secs(15),
            in_flight: 8,
            extra_roots: Vec::new(),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Certificates are long, and the file may contain a key.
        f.debug_struct("Settings")
            .field("allow_http", &self.allow_http)
            .field("allow_networks", &self.allow_networks)
            .field("timeout", &self.timeout)
            .field("in_flight", &self.in_flight)
            .field("extra_roots", &self.extra_roots.len())
            .finish()
    }
}
