//! Probe of the files of a running service's store.

use std::time::Duration;

use wearlab_store::Store;

/// Interval of checks.
const INTERVAL: Duration = Duration::from_millis(500);

/// Checks until `stop` is ready that the files exist and are valid, and logs an error once. `/readyz` and requests fail
/// on their own.
pub(crate) async fn run(store: Store, stop: impl Future<Output = ()>) {
    tokio::pin!(stop);
    loop {
        if let Err(error) = store.check_files() {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the store can no longer be used"
            );
            return stop.await;
        }
        tokio::select! {
            () = &mut stop => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}
