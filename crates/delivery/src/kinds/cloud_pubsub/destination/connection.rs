//! The connection to the service: created on demand, and again after a fault.

use std::io;

use google_cloud_auth::credentials::Credentials;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::client::Client;
use super::credentials;
use crate::kinds::cloud_pubsub::settings::{Endpoint, Settings};
use crate::{ConfigError, Reason};

/// The connection to an endpoint.
pub(super) struct Connection {
    pub(super) settings: Settings,
    endpoint: Endpoint,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    client: Option<Client>,
    /// Kept longer than the connection: each has a task that ends only an hour later.
    credentials: Option<Credentials>,
}

/// State that is created again after a fault.
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

    /// Client of requests.
    pub(super) async fn client(&self) -> Result<Client, Reason> {
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

    /// Drops the state that is created again after a fault.
    pub(super) async fn renew(&self, renew: Renew) {
        let mut kept = self.kept.lock().await;
        match renew {
            Renew::Nothing => {}
            Renew::Connection => kept.client = None,
            Renew::Credentials => *kept = Kept::default(),
        }
    }

    async fn connect(&self, kept: &mut Kept) -> Result<Client, Reason> {
        let credentials = match &kept.credentials {
            Some(credentials) => credentials.clone(),
            None => credentials::load(&self.settings, &self.endpoint).await?,
        };
        kept.credentials = Some(credentials.clone());
        let client = Client::new(&self.endpoint.url, credentials)
            .map_err(|_| Reason::new("cannot connect: check the endpoint, and that the system has certificates"))?;
        kept.client = Some(client.clone());
        Ok(client)
    }

    /// Checks that the endpoint listens, so that connecting has its own timeout and error.
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
