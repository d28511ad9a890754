//! Backlogs and leases of destinations.

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use wearlab_database::Access;

use crate::leases;
use crate::reads::reads;
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
            leases::share(core.database(), holder, wanted, span)
        })
        .await
    }

    /// Releases destinations to other processes.
    pub async fn release(&self, leases: &[Lease]) -> Result<(), StoreError> {
        self.run("release", Access::Read, |core| leases::release(core.database(), leases))
            .await
    }

    /// Releases all destinations of a process, and unregisters it.
    pub async fn leave(&self, holder: Uuid) -> Result<(), StoreError> {
        self.run("leave", Access::Read, |core| leases::leave(core.database(), holder))
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
}

reads! { Store => self;
    /// Reads those of them after a number of the log. Earlier ones are in flight.
    read fn fresh_events_after(
        &self,
        destination: DestinationId,
        after: i64,
        limit: usize,
    ) -> Vec<PendingEvent> as "fresh_events" =
        |reader| reader.fresh(destination, after, limit);

    /// Reads events that are due for a retry, oldest first.
    read fn due_events(&self, destination: DestinationId, now: DateTime<Utc>, limit: usize) -> Vec<PendingEvent> =
        |reader| reader.due(destination, now, limit);

    /// Returns the time of the next retry, if an event waits.
    read fn next_due(&self, destination: DestinationId) -> Option<DateTime<Utc>> =
        |reader| reader.next_due(destination);

    /// Counts the events that wait for a retry.
    read fn retried_events(&self, destination: DestinationId) -> i64 = |reader| reader.retried(destination);

    /// Reads the backlog of a destination, with exact counts.
    snapshot fn backlog(&self, destination: DestinationId) -> Backlog = |reader| reader.backlog(destination, i64::MAX);

    /// Reads all destinations, by team and kind, with their outages.
    read fn destinations(&self) -> Vec<DestinationStatus> = |reader| reader.destinations();

    /// Reads about `limit` deliveries of a selection to repeat, of all organisations, from a position on.
    snapshot fn replay_part(&self, filter: &ReplayFilter, position: ReplayPosition, limit: usize) -> ReplayRead =
        |reader| reader.replay_part(None, filter, position, limit);

    /// Reads failed deliveries, oldest event first.
    read fn undelivered(&self, limit: usize) -> Vec<Undelivered> = |reader| reader.undelivered(limit);
}
