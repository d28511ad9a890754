//! What destinations wait for, and which process works for them.

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::turn::Turn;
use crate::{
    Assignment, Backlog, DestinationId, DestinationStatus, Lease, PendingEvent, ReplayFilter, ReplayPosition,
    ReplayRead, Store, StoreError, Undelivered,
};

impl Store {
    /// Returns whether several processes may use the store at once, so that they must [share](Store::share) the
    /// destinations.
    pub fn is_shared(&self) -> bool {
        self.core.database().is_shared()
    }

    /// Says that a process goes on working for destinations, and which of those it wants it has for the next span: what
    /// it had, and what nobody has, up to its part of all. Called again well before the span is over, it keeps them.
    ///
    /// What a process had stays its own when the span is over, until another one takes it.
    pub async fn share(
        &self,
        holder: Uuid,
        wanted: &[DestinationId],
        span: Duration,
    ) -> Result<Assignment, StoreError> {
        self.run("share", Turn::Reading, |core| {
            core.database().share(holder, wanted, span)
        })
        .await
    }

    /// Leaves destinations to others.
    pub async fn release(&self, leases: &[Lease]) -> Result<(), StoreError> {
        self.run("release", Turn::Reading, |core| core.database().release(leases))
            .await
    }

    /// Leaves all destinations that a process has to others, and its part as well.
    pub async fn leave(&self, holder: Uuid) -> Result<(), StoreError> {
        self.run("leave", Turn::Reading, |core| core.database().leave(holder))
            .await
    }

    /// Events that a destination was not sent yet, oldest first.
    pub async fn fresh_events(
        &self,
        destination: DestinationId,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        self.fresh_events_after(destination, 0, limit).await
    }

    /// Those of them after a number of the log: what comes before is under way.
    pub async fn fresh_events_after(
        &self,
        destination: DestinationId,
        after: i64,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        self.read("fresh_events", |reader| reader.fresh(destination, after, limit))
            .await
    }

    /// Events that a destination is to be sent again by now, oldest first.
    pub async fn due_events(
        &self,
        destination: DestinationId,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        self.read("due_events", |reader| reader.due(destination, now, limit))
            .await
    }

    /// When the next event is to be sent again, if one waits.
    pub async fn next_due(&self, destination: DestinationId) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.read("next_due", |reader| reader.next_due(destination)).await
    }

    /// How many events wait to be sent again.
    pub async fn retried_events(&self, destination: DestinationId) -> Result<i64, StoreError> {
        self.read("retried_events", |reader| reader.retried(destination)).await
    }

    /// How far a destination is behind. Counts all.
    pub async fn backlog(&self, destination: DestinationId) -> Result<Backlog, StoreError> {
        self.snapshot("backlog", |reader| reader.backlog(destination, i64::MAX))
            .await
    }

    /// All destinations, by team and kind, and which of them cannot be reached.
    pub async fn destinations(&self) -> Result<Vec<DestinationStatus>, StoreError> {
        self.read("destinations", |reader| reader.destinations()).await
    }

    /// At most about `limit` deliveries of a selection to repeat, of all organisations, from a position on.
    pub async fn replay_part(
        &self,
        filter: &ReplayFilter,
        position: ReplayPosition,
        limit: usize,
    ) -> Result<ReplayRead, StoreError> {
        self.snapshot("replay_part", |reader| {
            reader.replay_part(None, filter, position, limit)
        })
        .await
    }

    /// Failed deliveries, oldest event first.
    pub async fn undelivered(&self, limit: usize) -> Result<Vec<Undelivered>, StoreError> {
        self.read("undelivered", |reader| reader.undelivered(limit)).await
    }
}
