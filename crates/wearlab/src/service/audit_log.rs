//! Reads of the audit log.

use wearlab_models::AuditLog;
use wearlab_server::operations::{IMPORT_RECORDS, INGEST_ARRIVALS};
use wearlab_server::{ApiResult, ListAuditLogInput};
use wearlab_store::{AuditEntry, AuditLogPosition, OrganisationId};

use super::auth::Caller;
use super::managed::organisation;
use super::{Service, store_error};

impl Service {
    /// Entries after a position, or ahead of one, of all teams or of one.
    pub(super) async fn audit_log(
        &self,
        caller: Caller<OrganisationId>,
        input: ListAuditLogInput,
    ) -> ApiResult<AuditLog> {
        let organisation = organisation(caller, &input.org_id)?;
        let (store, after, limit) = (self.store()?, input.after, input.limit);
        let from = input
            .before
            .map_or(AuditLogPosition::After(after), AuditLogPosition::Before);
        let start = input.before.unwrap_or(after);
        let (mut entries, last) = match (input.team_id, from) {
            (Some(team_id), from) => {
                let limit = usize::try_from(limit).unwrap_or_default();
                let found = store.team_audit_log(&organisation, team_id, from, limit).await;
                found.map_err(store_error)?
            }
            (None, from) => {
                let entries = match from {
                    AuditLogPosition::After(after) => store.audit_log(&organisation, after, limit).await,
                    AuditLogPosition::Before(before) => store.audit_log_back(&organisation, before, limit).await,
                };
                let entries = entries.map_err(store_error)?;
                let last = entries.last().map_or(start, |entry| entry.number);
                (entries, last)
            }
        };
        entries.retain(|entry| entry.number > after);
        let entries = entries.into_iter().map(shown).collect();
        Ok(AuditLog::builder().entries(entries).last(last).build().into())
    }
}

/// An entry as the interface shows it.
pub(super) fn shown(entry: AuditEntry) -> wearlab_models::AuditEntry {
    let is_stream = [INGEST_ARRIVALS.id, IMPORT_RECORDS.id].contains(&entry.operation.as_str());
    let (subject, lines) = match is_stream {
        true => (None, entry.subject.and_then(|lines| lines.parse::<i64>().ok())),
        false => (entry.subject, None),
    };
    wearlab_models::AuditEntry::builder()
        .number(entry.number)
        .written_on(entry.written_on.fixed_offset())
        .key_id(entry.key_id)
        .request_id(entry.request_id)
        .operation(entry.operation)
        .maybe_team_id(entry.team_id)
        .maybe_subject(subject)
        .maybe_lines(lines)
        .build()
}
