//! Quota that the processes of a store share. Each reserves some requests at a time in the store.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use tokio::sync::Mutex;
use wearlab_store::{Store, StoreError};

use crate::quota::Quota;

/// Pause after a failure of the store.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// Quota of a client of a provider, for all processes.
#[derive(Debug)]
pub(crate) struct SharedQuota {
    store: Store,
    now: fn() -> DateTime<Utc>,
    /// Name of the note with the time at which all reserved requests are due, one after the other.
    note: String,
    quota: Quota,
    /// Requests that this process has reserved and not sent.
    reserved: Mutex<u32>,
}

impl SharedQuota {
    /// Creates a quota of a provider. `number` is its place among those of the provider.
    pub(crate) fn new(store: Store, now: fn() -> DateTime<Utc>, slug: &str, number: usize, quota: Quota) -> Self {
        Self {
            store,
            now,
            note: format!("quota {slug} {number}"),
            quota,
            reserved: Mutex::default(),
        }
    }

    /// Waits until a request may be sent.
    pub(crate) async fn permit(&self) {
        let mut reserved = self.reserved.lock().await;
        while *reserved == 0 {
            match self.reserve().await {
                Ok(time) => {
                    let wait = (time - (self.now)()).to_std().unwrap_or_default();
                    tokio::time::sleep(wait).await;
                    *reserved = self.together();
                }
                // Logged by the queue, which needs the store, too.
                Err(_) => tokio::time::sleep(STORE_PAUSE).await,
            }
        }
        *reserved -= 1;
    }

    /// Returns the number of requests that are reserved together: a quarter of the burst.
    fn together(&self) -> u32 {
        (self.quota.burst().get() / 4).max(1)
    }

    /// Reserves some requests. Returns the time from which they may be sent.
    async fn reserve(&self) -> Result<DateTime<Utc>, StoreError> {
        let now = (self.now)();
        let delta = |duration: Duration| TimeDelta::from_std(duration).unwrap_or(TimeDelta::MAX);
        let (interval, burst) = (self.quota.interval(), self.quota.burst().get());
        let reserving = self.store.write(|write| {
            let note = write.meta(&self.note)?;
            let known: Option<DateTime<Utc>> = note.and_then(|text| text.parse().ok());
            // Not beyond the period: the clock of another process may have been ahead.
            let latest = now + delta(self.quota.period);
            let begin = known.map_or(now, |known| known.clamp(now, latest));
            let end = begin + delta(interval * self.together());
            write.put_meta(&self.note, &end.to_rfc3339_opts(SecondsFormat::Nanos, true))?;
            Ok(end - delta(interval * burst))
        });
        reserving.await
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::sync::atomic::{AtomicI64, Ordering};
    use std::time::Duration;

    use chrono::{DateTime, Utc};
    use wearlab_store::{EmbeddedSettings, Store};

    use super::SharedQuota;
    use crate::quota::Quota;

    /// Milliseconds since 1970.
    static NOW: AtomicI64 = AtomicI64::new(1_770_000_000_000);

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp_millis(NOW.load(Ordering::Relaxed)).expect("a time")
    }

    fn set(time: DateTime<Utc>) {
        NOW.store(time.timestamp_millis() + 1, Ordering::Relaxed);
    }

    #[tokio::test]
    async fn processes_together_keep_to_a_quota() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open_with(directory.path(), &EmbeddedSettings::default(), &[]).expect("a store");
        let quota = Quota {
            requests: NonZeroU32::new(200).expect("not zero"),
            period: Duration::from_secs(60),
        };
        let processes = [(); 3].map(|()| SharedQuota::new(store.clone(), now, "ringlet", 0, quota));
        // A burst, and then as many as in four periods.
        let (begin, mut sent) = (now(), Vec::new());
        for turn in 0..160 {
            let process = &processes[turn % 3];
            let time = process.reserve().await.expect("a store");
            if time > now() {
                set(time);
            }
            sent.extend(std::iter::repeat_n(now(), process.together() as usize));
        }
        for first in &sent {
            let within = |time: &&DateTime<Utc>| **time >= *first && **time - *first < chrono::TimeDelta::seconds(60);
            let count = sent.iter().filter(within).count();
            assert!(count <= 200, "{count} in a minute");
        }
        let minutes = (now() - begin).as_seconds_f64() / 60.0;
        let rate = sent.len() as f64 / minutes;
        assert!(rate > 170.0, "{rate} in a minute");
    }

    #[tokio::test]
    async fn a_clock_that_was_ahead_does_not_block_for_long() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open_with(directory.path(), &EmbeddedSettings::default(), &[]).expect("a store");
        let quota = Quota {
            requests: NonZeroU32::new(10).expect("not zero"),
            period: Duration::from_secs(60),
        };
        let put = store.write(|write| write.put_meta("quota ringlet 0", "2099-01-01T00:00:00Z"));
        put.await.expect("a store");
        let shared = SharedQuota::new(store, Utc::now, "ringlet", 0, quota);
        let time = shared.reserve().await.expect("a store");
        assert!(time <= Utc::now() + chrono::TimeDelta::seconds(60), "{time}");
    }
}
