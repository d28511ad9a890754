//! Settings of delivery: to all kinds of destinations, and to those that have settings of their own. Webhooks:
//! `webhooks.rs`.

use std::path::PathBuf;
use std::time::Duration;
use std::{fs, io};

use serde::Deserialize;
use wearlab_delivery::DispatchSettings;
use wearlab_delivery::egress::ProjectBinding;
use wearlab_models::Secret;
use wearlab_settings::{duration, list};

/// Delivery to all kinds of destinations.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeliverySettings {
    /// Age at which an event is parked instead of retried; webhooks follow a schedule instead. Default: 7 days.
    #[serde(deserialize_with = "duration::deserialize")]
    pub give_up_after: Duration,
    /// PEM file of certificate authorities to trust for message brokers besides those of the system. Default: none.
    pub authorities_file: Option<PathBuf>,
}

impl DeliverySettings {
    /// Returns the settings of the dispatcher.
    pub fn dispatcher(&self) -> DispatchSettings {
        let mut settings = DispatchSettings::default();
        settings.give_up_after = self.give_up_after;
        settings
    }

    /// Returns the certificates of the file, if one is configured.
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

/// Connection to Cloud Pub/Sub.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CloudPubsubSettings {
    /// URL of an emulator, such as `127.0.0.1:8085`, or of a regional endpoint of the service. Default: the variable
    /// `PUBSUB_EMULATOR_HOST`, or the service.
    pub endpoint: Option<String>,
    /// Credentials file. Default: Google's Application Default Credentials.
    pub credentials_file: Option<PathBuf>,
    /// Projects that organisations may publish to, such as `org_example=my-project`. Default: none.
    #[serde(deserialize_with = "list::deserialize")]
    pub projects: Vec<ProjectBinding>,
}

/// Svix server, if one is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SvixSettings {
    /// URL of a self-hosted server. Default: svix.com.
    pub server: Option<String>,
    /// Token of the server. Without it, pipelines of the kind svix use the built-in webhooks.
    pub token: Option<Secret>,
    /// File that contains only the token.
    pub token_file: Option<PathBuf>,
}
