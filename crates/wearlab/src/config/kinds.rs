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
    /// The age at which an event is no longer retried but parked; webhooks follow a schedule instead. Default: 7 days.
    #[serde(deserialize_with = "duration::deserialize")]
    pub give_up_after: Duration,
    /// PEM file of certificate authorities to trust for message brokers besides those of the system. Default: none.
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

/// The connection to Cloud Pub/Sub.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CloudPubsubSettings {
    /// An emulator, such as `127.0.0.1:8085`, or a regional endpoint of the service. Default: the variable
    /// `PUBSUB_EMULATOR_HOST`, or the service.
    pub endpoint: Option<String>,
    /// A credentials file. Default: Google's Application Default Credentials.
    pub credentials_file: Option<PathBuf>,
    /// The projects that organisations may publish to, such as `org_example=my-project`. Default: none.
    #[serde(deserialize_with = "list::deserialize")]
    pub projects: Vec<ProjectBinding>,
}

/// The Svix server, if one is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SvixSettings {
    /// The URL of a self-hosted server. Default: svix.com.
    pub server: Option<String>,
    /// The token. Without it, pipelines of the kind svix use the built-in webhooks.
    pub token: Option<Secret>,
    /// A file that contains only the token.
    pub token_file: Option<PathBuf>,
}
