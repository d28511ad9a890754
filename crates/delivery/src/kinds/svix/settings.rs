//! Settings of Svix.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::Client;
use wearlab_models::{Region, Secret};

use crate::http;

/// Maximum number of idle connections to a server.
const IDLE_CONNECTIONS: usize = 16;

/// Settings of Svix. Copies share their connections; `Debug` shows no token.
#[derive(Clone)]
pub struct Settings {
    /// The URL of a self-hosted server, such as `https://svix.example.com`; svix.com without it. A self-hosted one is
    /// used for every team, whether its pipeline is regional or not.
    pub server: Option<String>,
    /// The token of the server, and of one environment there.
    pub token: Secret,
    /// The region of the team. A pipeline that is regional goes to svix.com's server there.
    pub region: Option<Region>,
    /// Timeout of a request. 15 seconds by default.
    pub timeout: Duration,
    /// Maximum number of requests in flight for one team. 8 by default.
    pub in_flight: usize,
    pub(in crate::kinds::svix) now: fn() -> DateTime<Utc>,
    http: Arc<Http>,
}

/// HTTP client. Created when it is first needed, since it reads the system's certificates.
#[derive(Default)]
struct Http {
    extra_roots: Vec<Vec<u8>>,
    client: OnceLock<Client>,
}

impl Settings {
    /// Settings for svix.com with a token. `now` is the clock.
    pub fn new(token: Secret, now: fn() -> DateTime<Utc>) -> Self {
        Self {
            server: None,
            token,
            region: None,
            timeout: Duration::from_secs(15),
            in_flight: 8,
            now,
            http: Arc::default(),
        }
    }

    /// Trusts certificates of authorities besides the system's, each as PEM.
    #[must_use]
    pub fn trusting(mut self, extra_roots: Vec<Vec<u8>>) -> Self {
        self.http = Arc::new(Http {
            extra_roots,
            client: OnceLock::new(),
        });
        self
    }

    /// HTTP client.
    pub(in crate::kinds::svix) fn http(&self) -> Result<Client, reqwest::Error> {
        if let Some(client) = self.http.client.get() {
            return Ok(client.clone());
        }
        let client = http::client(&self.http.extra_roots)?
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build()?;
        Ok(self.http.client.get_or_init(|| client).clone())
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A URL may hold a password.
        f.debug_struct("Settings")
            .field("own_server", &self.server.is_some())
            .field("token", &self.token)
            .field("region", &self.region)
            .field("timeout", &self.timeout)
            .field("in_flight", &self.in_flight)
            .finish_non_exhaustive()
    }
}
