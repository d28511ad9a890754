//! Settings of deliveries.

use std::path::PathBuf;
use std::time::Duration;
use std::{fs, io};

use serde::Deserialize;
use wearlab_delivery::DispatchSettings;

use super::span;

/// How events are delivered, to whatever kind of destination.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeliverySettings {
    /// How old an event may become before it is tried no more, but for webhooks, which have a schedule. Default: 7 days.
    #[serde(deserialize_with = "span::read")]
    pub give_up_after: Duration,
    /// A file of certificates, as PEM, of authorities that RabbitMQ and Event Hubs are trusted by besides the system's.
    /// Default: none.
    pub authorities_file: Option<PathBuf>,
}

impl DeliverySettings {
    /// The settings of the dispatcher.
    pub fn dispatcher(&self) -> DispatchSettings {
        let mut settings = DispatchSettings::default();
        settings.give_up_after = self.give_up_after;
        settings
    }

    /// The certificates of the file, if there is one.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read.
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
