//! What the environment sets, beside the URLs and keys that the client reads by itself.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use wearlab_client::models::Uuid;

pub(crate) struct Settings {
    pub(crate) org_id: String,
    /// A connector serves one team, whose key it ingests with.
    pub(crate) team_id: Uuid,
    pub(crate) provider_url: String,
    /// Where the cursors are.
    pub(crate) directory: PathBuf,
    /// The pause between two rounds; none: a single round.
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
