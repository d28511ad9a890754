//! Connectors of a service.

use std::sync::Arc;

use anyhow::{Context, Result};
use wearlab_connect::{Connector, Inbox, NoticeObserver, Puller};
use wearlab_linking::Linker;
use wearlab_providers::ConnectorsSettings;
use wearlab_service::Service;

use crate::config::files;

/// Error of a command that needs a connector.
pub(super) const NONE_ON: &str =
    "no connector is on: set client_id in a section of the configuration such as [connectors.oura]";

/// Returns the configured connectors, with the secrets of their clients.
pub(super) fn connectors(settings: &ConnectorsSettings) -> Result<Vec<Connector>> {
    let mut connectors = settings.connectors();
    for connector in &mut connectors {
        read_secret(connector)?;
    }
    Ok(connectors)
}

/// Creates the puller of connectors. None if there are none.
pub(super) fn puller(connectors: Vec<Connector>, linker: Linker) -> Result<Option<Puller>> {
    if connectors.is_empty() {
        return Ok(None);
    }
    Puller::new(linker, connectors)
        .map(Some)
        .context("cannot pull from providers")
}

/// Creates the inbox of the notices of connectors' providers. None if there are no connectors.
pub(super) fn inbox(connectors: &[Connector], service: &Arc<Service>, observer: NoticeObserver) -> Option<Inbox> {
    let service = service.clone();
    let linker = move || service.linker().ok();
    (!connectors.is_empty()).then(|| Inbox::new(connectors.iter().cloned(), linker, observer))
}

/// Returns the slugs of the providers that the configured connectors set up.
pub(super) fn slugs(connectors: &[Connector]) -> Vec<String> {
    let slug = |connector: &Connector| connector.provider.profile().slug.to_owned();
    connectors.iter().map(slug).collect()
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
