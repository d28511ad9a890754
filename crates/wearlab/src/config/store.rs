//! Settings of the embedded store.

use serde::Deserialize;
use wearlab_store::EmbeddedSettings;

/// The embedded store.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// Size of the page cache in bytes, at most 1 TiB, of which a quarter is for the cache of user documents. Default:
    /// 64 MiB.
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
