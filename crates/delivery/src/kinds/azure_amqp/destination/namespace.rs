//! Namespace of Event Hubs of a pipeline.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{Mutex, OnceCell, Semaphore};
use tokio_rustls::rustls::ClientConfig;
use wearlab_models::AzureAmqp;

use super::connection::Connection;
use super::routes::Routes;
use crate::ConfigError;
use crate::kinds::azure_amqp::config::{EventHubsConfig, Gzip, NamespaceConfig};
use crate::kinds::azure_amqp::settings::Settings;

/// Maximum number of blobs that are written concurrently.
const BLOBS: usize = 32;

/// A namespace of Event Hubs, with the containers of blobs of a pipeline. `Debug` shows no secrets.
pub struct Namespace {
    pub(super) endpoint: NamespaceConfig,
    pub(super) routes: Routes,
    pub(super) gzip: Gzip,
    pub(super) settings: Settings,
    /// Created when it is first needed, since that reads the system's certificates.
    pub(super) tls: OnceCell<Arc<ClientConfig>>,
    /// The sender takes it out, so that it is dropped with an aborted call, and puts it back while it works.
    pub(super) connection: Mutex<Option<Connection>>,
    pub(super) blobs: Semaphore,
}

impl Namespace {
    /// Targets of a pipeline's block.
    ///
    /// # Errors
    ///
    /// For the first field of the block that cannot be used.
    pub fn new(block: &AzureAmqp, settings: Settings) -> Result<Self, ConfigError> {
        Self::from_config(EventHubsConfig::parse(block)?, settings)
    }

    /// A namespace from parsed configuration.
    ///
    /// # Errors
    ///
    /// For a masked key.
    pub fn from_config(config: EventHubsConfig, settings: Settings) -> Result<Self, ConfigError> {
        config.require_secrets()?;
        Ok(Self {
            routes: Routes::new(&config, &settings),
            endpoint: config.namespace,
            gzip: config.gzip,
            settings,
            tls: OnceCell::new(),
            connection: Mutex::new(None),
            blobs: Semaphore::new(BLOBS),
        })
    }
}

impl fmt::Debug for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Namespace")
            .field("host", &self.endpoint.host)
            .field("hubs", &self.routes.hubs)
            .field("gzip", &self.gzip)
            .finish_non_exhaustive()
    }
}
