//! What a running service tidies up, now and then.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_store::{EventRetention, Store, StoreError};

use crate::clock;
use crate::config::events::EventSettings;

/// How often.
const EVERY: Duration = Duration::from_secs(3600);

/// How many events are looked at in one transaction: few, since all other writes wait meanwhile.
const EVENTS: usize = 1000;

/// Tidies up at once, and then every hour, until `stop` is ready.
pub async fn run(store: Store, settings: EventSettings, stop: impl Future<Output = ()>) {
    tokio::pin!(stop);
    loop {
        let (store, runtime) = (store.clone(), tokio::runtime::Handle::current());
        let tidied = tokio::task::spawn_blocking(move || runtime.block_on(tidy_up(&store, &settings, clock::now())));
        match tidied.await {
            Ok(Ok(tidied)) if tidied != Tidied::default() => tracing::info!(
                events = tidied.events,
                pulls = tidied.pulls,
                link_tokens = tidied.link_tokens,
                "deleted what is no longer kept"
            ),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "cannot delete what is no longer kept"
                );
            }
            Err(_) => tracing::error!("deleting what is no longer kept panicked"),
        }
        tokio::select! {
            () = &mut stop => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

/// How much was deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Events of the log.
    pub events: usize,
    /// Historical pulls that never became whole.
    pub pulls: usize,
    /// Link tokens that are expired.
    pub link_tokens: usize,
}

/// Deletes what is no longer kept.
///
/// # Errors
///
/// Where the store fails.
pub async fn tidy_up(store: &Store, settings: &EventSettings, now: DateTime<Utc>) -> Result<Tidied, StoreError> {
    let before = |kept: Duration| {
        let kept = TimeDelta::from_std(kept).unwrap_or(TimeDelta::MAX);
        now.checked_sub_signed(kept).unwrap_or(DateTime::UNIX_EPOCH)
    };
    let mut tidied = Tidied::default();
    let retention = EventRetention {
        now,
        delivered: before(settings.keep),
        undelivered: before(settings.keep_undelivered),
    };
    let mut next = Some(0);
    while let Some(after) = next {
        let pruned = store.write(|write| write.prune(&retention, after, EVENTS)).await?;
        tidied.events += pruned.deleted;
        next = pruned.next;
    }
    let pulls_since = before(settings.keep_unfinished_pulls);
    (tidied.pulls, tidied.link_tokens) = store
        .write(|write| {
            Ok((
                write.delete_unfinished_pulls(pulls_since)?,
                write.delete_link_tokens(now)?,
            ))
        })
        .await?;
    Ok(tidied)
}
