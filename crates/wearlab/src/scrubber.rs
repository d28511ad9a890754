//! Removes the data of deleted users from the free space of the store's files.

use std::time::{Duration, Instant};

use wearlab_store::{Store, StoreError};

/// Interval of checks for deletions: deletions in between are scrubbed together.
const INTERVAL: Duration = Duration::from_secs(2);

/// Minimum pause after a scrub, as a multiple of its duration: a scrub blocks other writes.
const PAUSE_FACTOR: u32 = 20;

/// Scrubs the files after deletions, by any process, until `stop` is ready. A scrub in progress is completed.
///
/// It blocks the calling thread while it reads and writes the disk: do not call it on a thread of the runtime.
pub(crate) async fn run(store: Store, stop: impl Future<Output = ()>) {
    tokio::pin!(stop);
    let mut failing = false;
    loop {
        let began = Instant::now();
        match store.scrub_deletions().await {
            Ok(true) => {
                failing = false;
                tracing::info!(
                    seconds = began.elapsed().as_secs_f64(),
                    "scrubbed the store's files of deleted users"
                );
            }
            Ok(false) => failing = false,
            // Errors of the store are reported by the probe of its files and by requests. A busy store is retried.
            Err(error) if error.is_transient() || matches!(error, StoreError::Replaced { .. }) => {}
            Err(error) if failing => tracing::debug!(error = &error as &dyn std::error::Error, "still cannot scrub"),
            Err(error) => {
                failing = true;
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "cannot scrub the store's files of deleted users; retrying"
                );
            }
        }
        let pause = INTERVAL.max(began.elapsed() * PAUSE_FACTOR);
        tokio::select! {
            () = &mut stop => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}
