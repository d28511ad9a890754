//! The event log and the audit log.

use uuid::Uuid;

use crate::reads::reads;
use crate::{
    AuditEntry, AuditLogPosition, Changes, EventFilter, LoggedAttempt, LoggedEvent, OrganisationId, Store, StoreError,
};

impl Store {
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
}

reads! { Store => self;
    /// Returns the highest event number ever used, or 0.
    read fn last_event_number(&self) -> i64 = |reader| reader.last_event_number();

    /// Reads the first `limit` entries of an organisation's audit log after a position, oldest first: of its teams and
    /// of the organisation itself.
    read fn audit_log(&self, organisation: &OrganisationId, after: i64, limit: i64) -> Vec<AuditEntry> =
        |reader| reader.audit_log(organisation, after, limit);

    /// Reads the last `limit` entries of an organisation's audit log before a position, newest first.
    read fn audit_log_back(&self, organisation: &OrganisationId, before: i64, limit: i64) -> Vec<AuditEntry> =
        |reader| reader.audit_log_back(organisation, before, limit);

    /// Reads the attempts to deliver events of these numbers, each with the number of its event, oldest first by event.
    read fn attempts_of_events(&self, numbers: &[i64]) -> Vec<(i64, LoggedAttempt)> =
        |reader| reader.attempts_of_events(numbers);

    /// Reads the first `limit` entries of an organisation's audit log after a position that are about any of these ids,
    /// such as a user and their orders.
    read fn audit_log_about(
        &self,
        organisation: &OrganisationId,
        subjects: &[String],
        after: i64,
        limit: usize,
    ) -> Vec<AuditEntry> =
        |reader| reader.audit_log_about(organisation, subjects, after, limit);

    /// Reads the next events of the log, oldest first.
    read fn events(&self, filter: &EventFilter, limit: usize) -> Vec<LoggedEvent> =
        |reader| reader.events(filter, limit);

    /// Reads the last events of the log, oldest first.
    read fn last_events(&self, filter: &EventFilter, limit: usize) -> Vec<LoggedEvent> =
        |reader| reader.last_events(filter, limit);

    /// Returns the number of the last event of the log, or 0.
    read fn last_event(&self) -> i64 = |reader| reader.last_event();

    /// Reads an event of the log by its id.
    read fn event(&self, event_id: &str) -> Option<LoggedEvent> = |reader| reader.event(event_id);

    /// Reads the change counters, which tell a dispatcher whether there is work.
    read fn changes(&self) -> Changes = |reader| reader.changes();

    /// Reads the organisations with events after a position in the log, each with its last event.
    read fn organisations_with_events(&self, after: i64) -> Vec<(String, i64)> =
        |reader| reader.organisations_with_events(after);

    /// Reads the teams with events after a position in the log.
    read fn teams_with_events(&self, after: i64) -> Vec<Uuid> = |reader| reader.teams_with_events(after);
}
