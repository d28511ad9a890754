//! Backlogs and leases of destinations.

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::access::Access;
use crate::{
    Assignment, Backlog, DestinationId, DestinationStatus, Lease, PendingEvent, ReplayFilter, ReplayPosition,
    ReplayRead, Store, StoreError, Undelivered,
};

impl Store {
    /// Returns whether several processes may use the store at the same time, so that they must [share](Store::share)
    /// the destinations.
    pub fn is_shared(&self) -> bool {
        self.core.database().is_shared()
    }

    /// Registers a process as active, and leases destinations to it for `span`. It keeps its leases, and gets free
    /// destinations up to its fair share. Call it again well before `span` ends to renew the leases.
    ///
    /// An expired lease stays with its process until another process takes it.
    pub async fn share(
        &self,
        holder: Uuid,
        wanted: &[DestinationId],
        span: Duration,
    ) -> Result<Assignment, StoreError> {
        self.run("share", Access::Read, |core| {
            core.database().share(holder, wanted, span)
        })
        .await
    }

    /// Releases destinations to other processes.
    pub async fn release(&self, leases: &[Lease]) -> Result<(), StoreError> {
        self.run("release", Access::Read, |core| core.database().release(leases))
            .await
    }

    /// Releases all destinations of a process, and unregisters it.
    pub async fn leave(&self, holder: Uuid) -> Result<(), StoreError> {
        self.run("leave", Access::Read, |core| core.database().leave(holder))
            .await
    }

    /// Reads events that were not sent to a destination yet, oldest first.
    pub async fn fresh_events(
        &self,
        destination: DestinationId,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        self.fresh_events_after(destination, 0, limit).await
    }

    /// Reads those of them after a number of the log. Earlier ones are in flight.
    pub async fn fresh_events_after(
        &self,
        destination: DestinationId,
        after: i64,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        self.read("fresh_events", |reader| reader.fresh(destination, after, limit))
            .await
    }

    /// Reads events that are due for a retry, oldest first.
    pub async fn due_events(
        &self,
        destination: DestinationId,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        self.read("due_events", |reader| reader.due(destination, now, limit))
            .await
    }

    /// Returns the time of the next retry, if an event waits.
    pub async fn next_due(&self, destination: DestinationId) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.read("next_due", |reader| reader.next_due(destination)).await
    }

    /// Counts the events that wait for a retry.
    pub async fn retried_events(&self, destination: DestinationId) -> Result<i64, StoreError> {
        self.read("retried_events", |reader| reader.retried(destination)).await
    }

    /// Reads the backlog of a destination, with exact counts.
    pub async fn backlog(&self, destination: DestinationId) -> Result<Backlog, StoreError> {
        self.snapshot("backlog", |reader| reader.backlog(destination, i64::MAX))
            .await
    }

    /// Reads all destinations, by team and kind, with their outages.
    pub async fn destinations(&self) -> Result<Vec<DestinationStatus>, StoreError> {
        self.read("destinations", |reader| reader.destinations()).await
    }

    /// Reads about `limit` deliveries of a selection to repeat, of all organisations, from a position on.
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

    /// Reads failed deliveries, oldest event first.
    pub async fn undelivered(&self, limit: usize) -> Result<Vec<Undelivered>, StoreError> {
        self.read("undelivered", |reader| reader.undelivered(limit)).await
    }
}
