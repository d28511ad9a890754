//! Whether the files of a running service's store are still there and whole.

use std::time::Duration;

use wearlab_store::Store;

/// How often.
const EVERY: Duration = Duration::from_millis(500);

/// Looks at the files until `stop` is ready, and logs once what is wrong with them. `/readyz` and the requests say no
/// by themselves.
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
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}
