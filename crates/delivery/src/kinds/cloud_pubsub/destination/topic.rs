//! Topic of Cloud Pub/Sub of a pipeline.

use std::fmt;

use tokio::sync::Semaphore;
use wearlab_models::CloudPubsub;

use super::connection::Connection;
use crate::ConfigError;
use crate::kinds::cloud_pubsub::config::TopicConfig;
use crate::kinds::cloud_pubsub::settings::Settings;

/// Maximum size of messages in flight, of all calls.
const BYTES_IN_FLIGHT: usize = 32 << 20;

/// A topic of Cloud Pub/Sub.
pub struct Topic {
    pub(super) name: String,
    pub(super) ordered: bool,
    pub(super) connection: Connection,
    pub(super) room: Semaphore,
}

impl Topic {
    /// The topic of a pipeline. Makes no connection and reads no file.
    ///
    /// # Errors
    ///
    /// For names that the service cannot have, or a setting `endpoint` that is not a URL.
    pub fn new(block: &CloudPubsub, settings: Settings) -> Result<Self, ConfigError> {
        Self::from_config(TopicConfig::parse(block)?, settings)
    }

    /// A topic from parsed configuration.
    ///
    /// # Errors
    ///
    /// For a setting `endpoint` that is not a URL.
    pub fn from_config(config: TopicConfig, settings: Settings) -> Result<Self, ConfigError> {
        Ok(Self {
            name: config.name,
            ordered: config.ordered,
            connection: Connection::new(settings)?,
            room: Semaphore::new(BYTES_IN_FLIGHT),
        })
    }
}

impl fmt::Debug for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Topic")
            .field("name", &self.name)
            .field("ordered", &self.ordered)
            .finish_non_exhaustive()
    }
}
