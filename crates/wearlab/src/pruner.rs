//! Retention: a running service deletes expired events, values and other records.

use std::panic::AssertUnwindSafe;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use futures_util::FutureExt;
use wearlab_store::{ClockReading, EventRetention, Store, StoreError, ValueRetention};

use crate::config::events::EventSettings;
use crate::config::values::{Keep, ValueSettings};

/// Interval of pruning.
const INTERVAL: Duration = Duration::from_secs(3600);

/// Maximum events that one transaction checks: few, since it blocks all other writes.
const EVENTS: usize = 1000;

/// Maximum users whose values one transaction checks.
const USERS: usize = 50;

/// Lead of the clock over the time counted by retention that causes a warning.
const MAX_LEAD: TimeDelta = TimeDelta::hours(2);

/// Maximum ids of events in a line of the log.
const MAX_IDS: usize = 100;

/// Reading of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Wall-clock time.
    pub now: DateTime<Utc>,
    /// Uptime of the process, by a monotonic clock.
    pub running: Duration,
}

impl Reading {
    /// Reads the clock of the machine. The uptime counts from the first call.
    pub(crate) fn take() -> Self {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        Self {
            now: wearlab_clock::now(),
            running: START.elapsed(),
        }
    }
}

/// Numbers of deleted records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PruneReport {
    /// Events of the log.
    pub events: usize,
    /// Events among them that were not delivered to a destination.
    pub undelivered: usize,
    /// Historical pulls that were never completed.
    pub pulls: usize,
    /// Expired link tokens.
    pub link_tokens: usize,
    /// Responses stored for repeated requests.
    pub responses: usize,
    /// Summaries.
    pub summaries: usize,
    /// Chunks of samples, each of a day or a part of it.
    pub chunks: usize,
}

/// Deletes expired records. The age of events and pulls is by the time that the store's
/// [retention counts](wearlab_store::Transaction::retention_time), which is not moved by a clock that jumps.
pub struct Pruner<F> {
    store: Store,
    settings: EventSettings,
    values: ValueSettings,
    /// Day of the last pruning of values.
    values_day: Option<NaiveDate>,
    /// Called with the number of undelivered events that were deleted.
    lost: F,
    /// Time at the last count, and the uptime of the process then.
    last: Option<(DateTime<Utc>, Duration)>,
    /// Lead of the clock at the last warning.
    warned: TimeDelta,
}

impl<F: Fn(u64)> Pruner<F> {
    /// Creates the pruner of a store. `lost` is called with the number of undelivered events that were deleted.
    pub fn new(store: Store, settings: EventSettings, values: ValueSettings, lost: F) -> Self {
        Self {
            store,
            settings,
            values,
            values_day: None,
            lost,
            last: None,
            warned: TimeDelta::zero(),
        }
    }

    /// Prunes immediately, and then every hour, until `stop` is ready. `clock` reads the time.
    ///
    /// It blocks the calling thread while it reads and writes the disk: do not call it on a thread of the runtime.
    pub async fn run(&mut self, clock: fn() -> Reading, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        loop {
            match AssertUnwindSafe(self.prune(clock())).catch_unwind().await {
                Ok(Ok(pruned)) if pruned != PruneReport::default() => tracing::info!(
                    events = pruned.events,
                    undelivered = pruned.undelivered,
                    pulls = pruned.pulls,
                    link_tokens = pruned.link_tokens,
                    responses = pruned.responses,
                    summaries = pruned.summaries,
                    sample_chunks = pruned.chunks,
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
                () = &mut stop => break,
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
        // The next process continues from the end of this one, not from the last pruning.
        if let Err(error) = self.retention_time(clock()).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "cannot save the time of retention"
            );
        }
    }

    /// Deletes expired records, once.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn prune(&mut self, reading: Reading) -> Result<PruneReport, StoreError> {
        let time = self.retention_time(reading).await?;
        let before = |kept: Duration| {
            let kept = TimeDelta::from_std(kept).unwrap_or(TimeDelta::MAX);
            time.checked_sub_signed(kept).unwrap_or(DateTime::UNIX_EPOCH)
        };
        let mut report = PruneReport::default();
        let retention = EventRetention {
            now: reading.now,
            delivered: before(self.settings.keep),
            undelivered: before(self.settings.keep_undelivered),
        };
        let mut next = Some(0);
        while let Some(after) = next {
            let pruned = self.store.write(|write| write.prune(&retention, after, EVENTS)).await?;
            report.events += pruned.deleted;
            report.undelivered += pruned.undelivered.len();
            self.report_lost(&pruned.undelivered);
            next = pruned.next;
        }
        let pulls_since = before(self.settings.keep_unfinished_pulls);
        (report.pulls, report.link_tokens, report.responses) = self
            .store
            .write(|write| {
                Ok((
                    write.delete_unfinished_pulls(pulls_since)?,
                    write.delete_link_tokens(reading.now)?,
                    write.delete_idempotency_keys(reading.now)?,
                ))
            })
            .await?;
        self.prune_values(time, &mut report).await?;
        Ok(report)
    }

    /// Deletes the values of expired days, once a day.
    async fn prune_values(&mut self, time: DateTime<Utc>, report: &mut PruneReport) -> Result<(), StoreError> {
        let today = time.date_naive();
        let first = |keep: Keep| {
            let kept = TimeDelta::from_std(keep.0?).ok()?;
            time.checked_sub_signed(kept).map(|first| first.date_naive())
        };
        let by_resource = self.values.keep_by_resource.iter();
        let retention = ValueRetention {
            before: first(self.values.keep),
            by_resource: by_resource.map(|of| (of.resource.clone(), first(of.keep))).collect(),
        };
        if self.values_day == Some(today) || retention == ValueRetention::default() {
            return Ok(());
        }
        let mut next = Some(0);
        while let Some(after) = next {
            let pruned = self
                .store
                .write(|write| write.prune_values(&retention, after, USERS))
                .await?;
            report.summaries += pruned.summaries;
            report.chunks += pruned.chunks;
            next = pruned.next;
        }
        self.values_day = Some(today);
        Ok(())
    }

    /// Returns the time that the age of events is relative to. Warns if the clock is far ahead of it.
    async fn retention_time(&mut self, reading: Reading) -> Result<DateTime<Utc>, StoreError> {
        let Reading { now, running } = reading;
        let last = self.last.map(|(counted, then)| (counted, running.saturating_sub(then)));
        let reading = ClockReading { now, last };
        let counted = self.store.write(|write| write.retention_time(&reading)).await?;
        self.last = Some((counted, running));
        let ahead = now - counted;
        if ahead - self.warned > MAX_LEAD {
            tracing::warn!(
                clock = %now,
                counted = %counted,
                "the clock is ahead of the time that the service has run: it jumped, or the service was stopped; events \
                 are kept for that much longer; if the clock is right, run `wearlab events accept-clock`"
            );
            self.warned = ahead;
        }
        self.warned = self.warned.min(ahead.max(TimeDelta::zero()));
        Ok(counted.min(now))
    }

    fn report_lost(&self, ids: &[String]) {
        for ids in ids.chunks(MAX_IDS) {
            (self.lost)(u64::try_from(ids.len()).unwrap_or(u64::MAX));
            tracing::warn!(
                count = ids.len(),
                event_ids = ids.join(" "),
                "deleted undelivered events, which were older than events.keep_undelivered"
            );
        }
    }
}

#[cfg(test)]
mod tests;
