//! Settings of brokers.

use std::fmt;
use std::time::Duration;

use crate::egress::Policy;

/// Settings of brokers.
#[derive(Clone)]
pub struct Settings {
    /// Timeout of connecting, from resolving the host to the check that the exchange exists. 10 seconds
    /// by default.
    pub connect_timeout: Duration,
    /// Timeout of the confirm of a message, and a tenth of that of all messages of one call. 30
    /// seconds by default. A broker whose memory or disk runs low delays confirms.
    pub timeout: Duration,
    /// Interval of heartbeats of each side; a broker may request a shorter one. After twice that without
    /// traffic, the connection is aborted. 30 seconds by default, in whole seconds.
    pub heartbeat: Duration,
    /// Egress policy. By default, public hosts by TLS.
    pub policy: Policy,
    /// Certificates of authorities that are trusted besides the system's, each as PEM.
    pub extra_roots: Vec<Vec<u8>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
            heartbeat: Duration::from_secs(30),
            policy: Policy::default(),
            extra_roots: Vec::new(),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Certificates are long, and the file may contain a key.
        f.debug_struct("Settings")
            .field("connect_timeout", &self.connect_timeout)
            .field("timeout", &self.timeout)
            .field("heartbeat", &self.heartbeat)
            .field("policy", &self.policy)
            .field("extra_roots", &self.extra_roots.len())
            .finish()
    }
}
