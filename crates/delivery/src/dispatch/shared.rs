//! State shared by the dispatcher and all workers.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use wearlab_store::{Store, StoreError, Transaction};

use super::observer::DeliveryObserver;
use super::progress::ProgressWriter;
use super::settings::DispatchSettings;

/// Maximum pause of a destination that is down, and of a failed event.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Pause after a failure of the store.
pub(super) const STORE_PAUSE: Duration = Duration::from_secs(2);

/// State shared by all workers.
pub(super) struct Shared {
    pub(super) store: Store,
    pub(super) settings: DispatchSettings,
    pub(super) observer: Arc<dyn DeliveryObserver>,
    pub(super) now: fn() -> DateTime<Utc>,
    pub(super) random: fn() -> f64,
    pub(super) progress: Arc<ProgressWriter>,
}

impl Shared {
    /// Runs a write on a thread that may block on the disk.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.store.clone();
        let runtime = tokio::runtime::Handle::current();
        let written = tokio::task::spawn_blocking(move || runtime.block_on(store.write(work)));
        written.await.map_err(|error| StoreError::Engine(error.into()))?
    }
}
