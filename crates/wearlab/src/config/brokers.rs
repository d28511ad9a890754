//! Settings of Cloud Pub/Sub and Svix.

use std::path::PathBuf;

use serde::Deserialize;
use wearlab_models::Secret;

/// The connection to Cloud Pub/Sub.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CloudPubsubSettings {
    /// An emulator, such as `127.0.0.1:8085`, or a regional endpoint of the service. Default: the variable
    /// `PUBSUB_EMULATOR_HOST`, or the service.
    pub endpoint: Option<String>,
    /// A credentials file. Default: Google's Application Default Credentials.
    pub credentials_file: Option<PathBuf>,
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
