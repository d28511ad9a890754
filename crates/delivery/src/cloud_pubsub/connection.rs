//! The connection to the service: made when it is needed, kept, and made again after a fault.

use std::io;
use std::time::Duration;

use google_cloud_auth::credentials::Credentials;
use google_cloud_gax::exponential_backoff::ExponentialBackoffBuilder;
use google_cloud_gax::retry_policy::RetryPolicyExt;
use google_cloud_gax::retry_throttler::CircuitBreaker;
use google_cloud_pubsub::client::BasePublisher;
use google_cloud_pubsub::retry_policy::RetryableErrors;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::credentials;
use super::settings::{Endpoint, Settings};
use crate::{ConfigError, Reason};

/// How often the library tries a request.
const ATTEMPTS: u32 = 3;
/// How long it waits in between, at first and at most.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// The connection to an endpoint.
pub(super) struct Connection {
    pub(super) settings: Settings,
    endpoint: Endpoint,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    client: Option<BasePublisher>,
    /// Kept longer than the connection: each has a task of the library's that ends only an hour later.
    credentials: Option<Credentials>,
}

/// What is made again after a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Renew {
    Nothing,
    Connection,
    Credentials,
}

impl Connection {
    pub(super) fn new(settings: Settings) -> Result<Self, ConfigError> {
        Ok(Self {
            endpoint: settings.checked_endpoint()?,
            settings,
            kept: Mutex::default(),
        })
    }

    /// What requests are made by.
    pub(super) async fn client(&self) -> Result<BasePublisher, Reason> {
        let mut kept = self.kept.lock().await;
        if let Some(client) = &kept.client {
            return Ok(client.clone());
        }
        self.reach().await?;
        match timeout(self.settings.connect_timeout, self.connect(&mut kept)).await {
            Ok(client) => client,
            Err(_) => Err(self.slow("no token")),
        }
    }

    /// After a fault: what is not kept is made again when it is needed.
    pub(super) async fn renew(&self, renew: Renew) {
        let mut kept = self.kept.lock().await;
        match renew {
            Renew::Nothing => {}
            Renew::Connection => kept.client = None,
            Renew::Credentials => *kept = Kept::default(),
        }
    }

    async fn connect(&self, kept: &mut Kept) -> Result<BasePublisher, Reason> {
        let credentials = match &kept.credentials {
            Some(credentials) => credentials.clone(),
            None => credentials::load(&self.settings, &self.endpoint).await?,
        };
        kept.credentials = Some(credentials.clone());
        let pauses = ExponentialBackoffBuilder::new()
            .with_initial_delay(PAUSES[0])
            .with_maximum_delay(PAUSES[1]);
        let client = BasePublisher::builder()
            .with_endpoint(&self.endpoint.url)
            .with_credentials(credentials)
            .with_retry_policy(
                RetryableErrors
                    .with_attempt_limit(ATTEMPTS)
                    .with_time_limit(self.settings.timeout),
            )
            .with_backoff_policy(pauses.clamp())
            // Attempts are few already. This one never refuses one, where the library's own would wait on and on.
            .with_retry_throttler(CircuitBreaker::clamp(1, 0, 0))
            .build()
            .await
            .map_err(|_| {
                Reason::new(
                    "Google's library takes no such endpoint: check it, GOOGLE_CLOUD_UNIVERSE_DOMAIN, and that the \
                     system has certificates",
                )
            })?;
        kept.client = Some(client.clone());
        Ok(client)
    }

    /// Whether somebody listens. The library sets no bound for connecting, and holds back what is sent in the meantime.
    async fn reach(&self) -> Result<(), Reason> {
        let Endpoint { host, port, .. } = &self.endpoint;
        match timeout(
            self.settings.connect_timeout,
            TcpStream::connect((host.as_str(), *port)),
        )
        .await
        {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(self.unreachable(&error)),
            Err(_) => Err(self.slow("no connection")),
        }
    }

    pub(super) fn unreachable(&self, error: &io::Error) -> Reason {
        let Endpoint { host, port, .. } = &self.endpoint;
        Reason::new(format!(
            "no connection to {host}:{port}: {error}; check the endpoint, DNS and the firewall"
        ))
    }

    fn slow(&self, what: &str) -> Reason {
        let Endpoint { host, port, .. } = &self.endpoint;
        let time = self.settings.connect_timeout;
        Reason::new(format!(
            "{what} for {host}:{port} within {time:?}; check the network and the firewall"
        ))
    }
}
