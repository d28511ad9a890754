//! Reads of the audit log.

use wearlab_models::AuditLog;
use wearlab_server::{ApiResult, ListAuditLogInput};
use wearlab_store::{AuditEntry, OrganisationId};

use super::auth::Caller;
use super::managed::organisation;
use super::{Service, store_error};

impl Service {
    /// Entries after a position, of all teams or of one.
    pub(super) async fn audit_log(
        &self,
        caller: Caller<OrganisationId>,
        input: ListAuditLogInput,
    ) -> ApiResult<AuditLog> {
        let organisation = organisation(caller, &input.org_id)?;
        let (store, after, limit) = (self.store()?, input.after, input.limit);
        let (entries, last) = match input.team_id {
            Some(team_id) => {
                let limit = usize::try_from(limit).unwrap_or_default();
                let found = store.team_audit_log(&organisation, team_id, after, limit).await;
                found.map_err(store_error)?
            }
            None => {
                let entries = store
                    .audit_log(&organisation, after, limit)
                    .await
                    .map_err(store_error)?;
                let last = entries.last().map_or(after, |entry| entry.number);
                (entries, last)
            }
        };
        let entries = entries.into_iter().map(shown).collect();
        Ok(AuditLog::builder().entries(entries).last(last).build().into())
    }
}

/// An entry as the interface shows it.
pub(super) fn shown(entry: AuditEntry) -> wearlab_models::AuditEntry {
    wearlab_models::AuditEntry::builder()
        .number(entry.number)
        .written_on(entry.written_on.fixed_offset())
        .key_id(entry.key_id)
        .request_id(entry.request_id)
        .operation(entry.operation)
        .maybe_team_id(entry.team_id)
        .maybe_subject(entry.subject)
        .build()
}
