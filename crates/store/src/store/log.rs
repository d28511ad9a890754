//! The event log and the audit log.

use uuid::Uuid;

use crate::{AuditEntry, Changes, EventFilter, LoggedEvent, OrganisationId, Store, StoreError};

impl Store {
    /// The first `limit` entries of an organisation's audit log after a position in it, oldest first: of all of its teams
    /// and of itself.
    pub async fn audit_log(
        &self,
        organisation: &OrganisationId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.read("audit_log", |reader| reader.audit_log(organisation, after, limit))
            .await
    }

    /// The next events of the log, oldest first.
    pub async fn events(&self, filter: &EventFilter, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        self.read("events", |reader| reader.events(filter, limit)).await
    }

    /// The last events of the log, oldest first.
    pub async fn last_events(&self, filter: &EventFilter, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        self.read("last_events", |reader| reader.last_events(filter, limit))
            .await
    }

    /// The number of the last event of the log, or 0.
    pub async fn last_event(&self) -> Result<i64, StoreError> {
        self.read("last_event", |reader| reader.last_event()).await
    }

    /// An event of the log, by its id.
    pub async fn event(&self, event_id: &str) -> Result<Option<LoggedEvent>, StoreError> {
        self.read("event", |reader| reader.event(event_id)).await
    }

    /// Shows whether a dispatcher has something to do.
    pub async fn changes(&self) -> Result<Changes, StoreError> {
        self.read("changes", |reader| reader.changes()).await
    }

    /// The teams that events after a position in the log are for.
    pub async fn teams_with_events(&self, after: i64) -> Result<Vec<Uuid>, StoreError> {
        self.read("teams_with_events", |reader| reader.teams_with_events(after))
            .await
    }
}
