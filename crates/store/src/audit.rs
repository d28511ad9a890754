//! Audit log of writes.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The author of a write: a key by its id, with the id of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The [id](crate::KeyInfo::id) of the key.
    pub key_id: String,
    /// The id of the request.
    pub request_id: String,
}

/// An entry of the audit log. It holds ids, never values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Number in the order of the log. A number is never used again.
    pub number: i64,
    /// The team that was written to. None if the write was to the organisation itself.
    pub team_id: Option<Uuid>,
    /// Time of the write.
    pub written_on: DateTime<Utc>,
    /// The [id](crate::KeyInfo::id) of the key.
    pub key_id: String,
    /// The id of the request.
    pub request_id: String,
    /// The operation id of the document, such as `delete_user`.
    pub operation: String,
    /// The id of the written object. For a stream, the number of its accepted lines.
    pub subject: Option<String>,
}

/// Audit entry of a stream of lines. A stream has one entry, however many batches it is written in.
#[derive(Clone, Copy, Debug)]
pub struct StreamEntry<'a> {
    /// Number of the entry, once it exists.
    pub number: Option<i64>,
    /// The operation id of the document, such as `ingest_arrivals`.
    pub operation: &'a str,
    /// Number of lines accepted so far.
    pub lines: u64,
}

/// Position and direction from which to read an audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditLogPosition {
    /// Entries after a number, oldest first.
    After(i64),
    /// Entries before a number, newest first.
    Before(i64),
}
