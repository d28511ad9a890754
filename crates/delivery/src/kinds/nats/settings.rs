//! Settings of NATS.

use std::fmt;
use std::time::Duration;

use crate::egress::Policy;

/// Settings of NATS.
#[derive(Clone)]
pub struct Settings {
    /// Timeout of connecting, with the resolution of names and the login. All servers share it. 10 seconds by default.
    pub connect_timeout: Duration,
    /// Timeout of the acknowledgement of a message. A call takes at most ten times as long. 30 seconds by default.
    pub timeout: Duration,
    /// Interval of pings. A server that leaves three of them unanswered is lost. 30 seconds by default.
    pub ping_interval: Duration,
    /// Policy of the hosts that may be reached. Public ones, by TLS, by default.
    pub policy: Policy,
    /// Certificates of authorities that are trusted besides the system's, each as PEM.
    pub extra_roots: Vec<Vec<u8>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
            ping_interval: Duration::from_secs(30),
            policy: Policy::default(),
            extra_roots: Vec::new(),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Certificates are long, and somebody may have put a key beside one.
        f.debug_struct("Settings")
            .field("connect_timeout", &self.connect_timeout)
            .field("timeout", &self.timeout)
            .field("ping_interval", &self.ping_interval)
            .field("policy", &self.policy)
            .field("extra_roots", &self.extra_roots.len())
            .finish()
    }
}
