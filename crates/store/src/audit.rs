//! Who wrote what.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Who writes: a key by its id, with the id of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The [id](crate::KeyInfo::id) of the key.
    pub key_id: String,
    /// The id of the request.
    pub request_id: String,
}

/// A write, as the audit log has it. It holds ids, never values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its number, in the order of the log. A number is never used again.
    pub number: i64,
    /// The team that was written to; none where it was the organisation itself.
    pub team_id: Option<Uuid>,
    /// When it was written.
    pub written_on: DateTime<Utc>,
    /// The [id](crate::KeyInfo::id) of the key.
    pub key_id: String,
    /// The id of the request.
    pub request_id: String,
    /// The operation id of the document, such as `delete_user`.
    pub operation: String,
    /// The id of what was written; of a stream, the number of its lines that were taken.
    pub subject: Option<String>,
}

/// The entry of a stream of lines, of which there is one however many batches it is written in.
#[derive(Clone, Copy, Debug)]
pub struct StreamEntry<'a> {
    /// The number of its entry, once there is one.
    pub number: Option<i64>,
    /// The operation id of the document, such as `ingest_arrivals`.
    pub operation: &'a str,
    /// The number of its lines that were taken so far.
    pub lines: u64,
}

/// From where on an audit log is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditLogPosition {
    /// What follows, oldest first.
    After(i64),
    /// What is ahead, newest first.
    Before(i64),
}
