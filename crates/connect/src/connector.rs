//! Connector of a provider in a service.

use std::fmt;
use std::sync::Arc;

use crate::provider::Provider;
use crate::settings::ConnectorSettings;

/// Connector of a provider, with the operator's settings.
#[derive(Clone)]
pub struct Connector {
    /// Provider.
    pub provider: Arc<dyn Provider>,
    /// Client of the operator.
    pub settings: ConnectorSettings,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector")
            .field("slug", &self.provider.profile().slug)
            .finish_non_exhaustive()
    }
}
