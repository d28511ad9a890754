//! Takes from the store's files what they keep of users who were deleted.

use std::time::{Duration, Instant};

use wearlab_store::{Store, StoreError};

/// How often it looks whether users were deleted: several in that time are scrubbed together.
const EVERY: Duration = Duration::from_secs(2);

/// How many times as long as a scrub took the next one waits at least: other writes wait meanwhile.
const REST: u32 = 20;

/// Scrubs the files after deletions, by whatever process, until `stop` is ready. One that began before is ended.
///
/// It works on the calling thread, for as long as the disk needs: call it where nobody waits for that.
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
            // What is wrong with the store is reported by the probe of its files and by requests; a busy one is tried again.
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
        let pause = EVERY.max(began.elapsed() * REST);
        tokio::select! {
            () = &mut stop => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}
