//! Settings from the environment, beside the URLs and keys that the client reads itself.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use wearlab_client::models::Uuid;

pub(crate) struct Settings {
    pub(crate) org_id: String,
    /// Team that the connector serves. Its key ingests the data.
    pub(crate) team_id: Uuid,
    pub(crate) provider_url: String,
    /// Directory of the cursors.
    pub(crate) directory: PathBuf,
    /// Pause between two rounds; none for a single round.
    pub(crate) every: Option<Duration>,
}

impl Settings {
    pub(crate) fn from_env() -> Result<Self> {
        let read = |name: &'static str| env::var(name).with_context(|| format!("{name} is not set"));
        let seconds = |text: String| text.parse().map(Duration::from_secs);
        Ok(Self {
            org_id: read("WEARLAB_ORG_ID")?,
            team_id: read("WEARLAB_TEAM_ID")?
                .parse()
                .context("WEARLAB_TEAM_ID is not a UUID")?,
            provider_url: read("PROVIDER_URL")?,
            directory: read("CONNECTOR_DATA")?.into(),
            every: env::var("CONNECTOR_EVERY")
                .ok()
                .map(seconds)
                .transpose()
                .context("CONNECTOR_EVERY: expected seconds")?,
        })
    }
}
