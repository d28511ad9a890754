//! Settings of the kinds of destinations that are not webhooks.

use std::path::PathBuf;

use serde::Deserialize;
use wearlab_models::Secret;

/// How Cloud Pub/Sub is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CloudPubsubSettings {
    /// An emulator, such as `127.0.0.1:8085`, or a regional endpoint of the service. Default: the variable
    /// `PUBSUB_EMULATOR_HOST`, or the service.
    pub endpoint: Option<String>,
    /// A file of credentials. Default: Google's Application Default Credentials.
    pub credentials_file: Option<PathBuf>,
}

/// Which Svix server is used, if any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SvixSettings {
    /// The address of a server of one's own. Default: svix.com.
    pub server: Option<String>,
    /// The token. Without one, webhooks of our own stand in for Svix.
    pub token: Option<Secret>,
    /// A file that holds the token alone.
    pub token_file: Option<PathBuf>,
}
