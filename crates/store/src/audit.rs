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
    /// The id of what was written.
    pub subject: Option<String>,
}

/// From where on an audit log is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditLogPosition {
    /// What follows, oldest first.
    After(i64),
    /// What is ahead, newest first.
    Before(i64),
}
