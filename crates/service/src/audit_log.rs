//! Conversion of entries of the audit log for responses.

use wearlab_server::operations::{IMPORT_RECORDS, INGEST_ARRIVALS};
use wearlab_store::AuditEntry;

/// Converts an entry for a response.
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
