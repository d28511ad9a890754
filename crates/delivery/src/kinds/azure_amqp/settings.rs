//! Settings of Event Hubs and blob storage.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::egress::Policy;

/// Settings of Event Hubs and blob storage.
#[derive(Clone)]
pub struct Settings {
    /// Timeout until the namespace is reached and every required hub accepts messages. 15 seconds by
    /// default. A request to blob storage has this long to connect, too.
    pub connect_timeout: Duration,
    /// Timeout until all messages of a call are confirmed. 30 seconds by default. A request to
    /// blob storage may take this long, too.
    pub confirm_timeout: Duration,
    /// Maximum number of users with messages in flight. 100 by default.
    pub in_flight: usize,
    /// Egress policy. By default, public hosts by TLS.
    pub policy: Policy,
    /// Certificates of authorities that are trusted besides the system's, each as PEM.
    pub extra_roots: Vec<Vec<u8>>,
    /// The clock. Tokens are made for an hour from now.
    pub now: fn() -> SystemTime,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(15),
            confirm_timeout: Duration::from_secs(30),
            in_flight: 100,
            policy: Policy::default(),
            extra_roots: Vec::new(),
            now: SystemTime::now,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Certificates are long, and the file may contain a key.
        f.debug_struct("Settings")
            .field("connect_timeout", &self.connect_timeout)
            .field("confirm_timeout", &self.confirm_timeout)
            .field("in_flight", &self.in_flight)
            .field("policy", &self.policy)
            .field("extra_roots", &self.extra_roots.len())
            .finish_non_exhaustive()
    }
}
