//! Settings of delivery.

use std::path::PathBuf;
use std::time::Duration;
use std::{fs, io};

use serde::Deserialize;
use wearlab_delivery::DispatchSettings;

use super::duration;

/// Delivery to all kinds of destinations.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeliverySettings {
    /// The age at which an event is no longer retried but parked; webhooks follow a schedule instead. Default: 7 days.
    #[serde(deserialize_with = "duration::deserialize")]
    pub give_up_after: Duration,
    /// PEM file of certificate authorities to trust for RabbitMQ and Event Hubs besides those of the system. Default: none.
    pub authorities_file: Option<PathBuf>,
}

impl DeliverySettings {
    /// The settings of the dispatcher.
    pub fn dispatcher(&self) -> DispatchSettings {
        let mut settings = DispatchSettings::default();
        settings.give_up_after = self.give_up_after;
        settings
    }

    /// The certificates of the file, if one is configured.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn authorities(&self) -> io::Result<Option<Vec<u8>>> {
        self.authorities_file.as_ref().map(fs::read).transpose()
    }
}

impl Default for DeliverySettings {
    fn default() -> Self {
        Self {
            give_up_after: DispatchSettings::default().give_up_after,
            authorities_file: None,
        }
    }
}
