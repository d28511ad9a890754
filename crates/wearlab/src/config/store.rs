//! The embedded store, in the folder of the data.

use serde::Deserialize;
use wearlab_store::EmbeddedSettings;

/// How the embedded store is kept.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// How many bytes of the store's file a process keeps in memory at most. Default: 64 MiB.
    pub page_cache_bytes: u64,
}

impl Default for StoreSettings {
    fn default() -> Self {
        let page_cache_bytes = EmbeddedSettings::default().page_cache_bytes;
        Self { page_cache_bytes }
    }
}

impl StoreSettings {
    pub(crate) fn embedded(&self) -> EmbeddedSettings {
        EmbeddedSettings {
            page_cache_bytes: self.page_cache_bytes,
        }
    }
}
