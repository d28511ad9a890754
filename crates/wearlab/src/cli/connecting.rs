//! Connectors of a service.

use anyhow::{Context, Result};
use wearlab_connect::{Connector, Puller};
use wearlab_linking::Linker;
use wearlab_providers::ConnectorsSettings;

use crate::config::files;

/// Creates the puller of the configured connectors. None if there are none.
pub(super) fn puller(settings: &ConnectorsSettings, linker: Linker) -> Result<Option<Puller>> {
    let mut connectors = settings.connectors();
    if connectors.is_empty() {
        return Ok(None);
    }
    for connector in &mut connectors {
        read_secret(connector)?;
    }
    Puller::new(linker, connectors)
        .map(Some)
        .context("cannot pull from providers")
}

/// Returns the slugs of the providers that the configured connectors set up.
pub(super) fn slugs(settings: &ConnectorsSettings) -> Vec<String> {
    let connectors = settings.connectors().into_iter();
    connectors
        .map(|connector| connector.provider.profile().slug.to_owned())
        .collect()
}

/// Reads the client's secret from its file, if it is in one.
fn read_secret(connector: &mut Connector) -> Result<()> {
    if let Some(file) = &connector.settings.client_secret_file {
        let slug = connector.provider.profile().slug;
        let secret = files::secret(file).with_context(|| format!("connectors.{slug}.client_secret_file"))?;
        connector.settings.client_secret = Some(secret);
    }
    Ok(())
}
