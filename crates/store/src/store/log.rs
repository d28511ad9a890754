//! The event log and the audit log.

use uuid::Uuid;

use crate::{
    AuditEntry, AuditLogPosition, Changes, EventFilter, LoggedAttempt, LoggedEvent, OrganisationId, Store, StoreError,
};

impl Store {
    /// Returns the highest event number ever used, or 0.
    pub async fn last_event_number(&self) -> Result<i64, StoreError> {
        self.read("last_event_number", |reader| reader.last_event_number())
            .await
    }

    /// Reads the first `limit` entries of an organisation's audit log after a position, oldest first: of its teams and
    /// of the organisation itself.
    pub async fn audit_log(
        &self,
        organisation: &OrganisationId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.read("audit_log", |reader| reader.audit_log(organisation, after, limit))
            .await
    }

    /// Reads the last `limit` entries of an organisation's audit log before a position, newest first.
    pub async fn audit_log_back(
        &self,
        organisation: &OrganisationId,
        before: i64,
        limit: i64,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.read("audit_log_back", |reader| {
            reader.audit_log_back(organisation, before, limit)
        })
        .await
    }

    /// Reads the first `limit` entries after a position, or before it and newest first, that are about a team of the
    /// organisation. Returns also the position to continue from. A call reads at most 10,000 entries, so it may return
    /// fewer entries although others follow.
    pub async fn team_audit_log(
        &self,
        organisation: &OrganisationId,
        team_id: Uuid,
        from: AuditLogPosition,
        limit: usize,
    ) -> Result<(Vec<AuditEntry>, i64), StoreError> {
        const PAGES: usize = 10;
        const PAGE: i64 = 1_000;
        let (AuditLogPosition::After(mut last) | AuditLogPosition::Before(mut last)) = from;
        let mut found = Vec::new();
        self.snapshot("team_audit_log", |reader| {
            for _ in 0..PAGES {
                let entries = match from {
                    AuditLogPosition::After(_) => reader.audit_log(organisation, last, PAGE)?,
                    AuditLogPosition::Before(_) => reader.audit_log_back(organisation, last, PAGE)?,
                };
                let ended = i64::try_from(entries.len()) != Ok(PAGE);
                for entry in entries {
                    last = entry.number;
                    if entry.team_id == Some(team_id) {
                        found.push(entry);
                    }
                    if found.len() >= limit {
                        return Ok(());
                    }
                }
                if ended {
                    break;
                }
            }
            Ok(())
        })
        .await?;
        Ok((found, last))
    }

    /// Reads the attempts to deliver events of these numbers, each with the number of its event, oldest first by event.
    pub async fn attempts_of_events(&self, numbers: &[i64]) -> Result<Vec<(i64, LoggedAttempt)>, StoreError> {
        self.read("attempts_of_events", |reader| reader.attempts_of_events(numbers))
            .await
    }

    /// Reads the first `limit` entries of an organisation's audit log after a position that are about any of these ids,
    /// such as a user and their orders.
    pub async fn audit_log_about(
        &self,
        organisation: &OrganisationId,
        subjects: &[String],
        after: i64,
        limit: usize,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.read("audit_log_about", |reader| {
            reader.audit_log_about(organisation, subjects, after, limit)
        })
        .await
    }

    /// Reads the next events of the log, oldest first.
    pub async fn events(&self, filter: &EventFilter, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        self.read("events", |reader| reader.events(filter, limit)).await
    }

    /// Reads the last events of the log, oldest first.
    pub async fn last_events(&self, filter: &EventFilter, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        self.read("last_events", |reader| reader.last_events(filter, limit))
            .await
    }

    /// Returns the number of the last event of the log, or 0.
    pub async fn last_event(&self) -> Result<i64, StoreError> {
        self.read("last_event", |reader| reader.last_event()).await
    }

    /// Reads an event of the log by its id.
    pub async fn event(&self, event_id: &str) -> Result<Option<LoggedEvent>, StoreError> {
        self.read("event", |reader| reader.event(event_id)).await
    }

    /// Reads the change counters, which tell a dispatcher whether there is work.
    pub async fn changes(&self) -> Result<Changes, StoreError> {
        self.read("changes", |reader| reader.changes()).await
    }

    /// Reads the organisations with events after a position in the log, each with its last event.
    pub async fn organisations_with_events(&self, after: i64) -> Result<Vec<(String, i64)>, StoreError> {
        self.read("organisations_with_events", |reader| {
            reader.organisations_with_events(after)
        })
        .await
    }

    /// Reads the teams with events after a position in the log.
    pub async fn teams_with_events(&self, after: i64) -> Result<Vec<Uuid>, StoreError> {
        self.read("teams_with_events", |reader| reader.teams_with_events(after))
            .await
    }
}
