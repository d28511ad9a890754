//! Note of deleted users whose data may remain in the files until a scrub.

use uuid::Uuid;

use crate::StoreError;
use crate::sql::value::params;
use crate::sql::{Reader, Transaction};

/// Name of the note. Each deletion changes its value, so that one during a scrub differs from one before it.
const NOTE: &str = "deletions_to_scrub";

impl Reader<'_> {
    /// The note of deletions since the last scrub.
    pub(crate) fn deletions_to_scrub(&self) -> Result<Option<String>, StoreError> {
        self.meta(NOTE)
    }
}

impl Transaction<'_> {
    /// Records that the files must be scrubbed.
    pub(crate) fn note_deletion(&self) -> Result<(), StoreError> {
        self.put_meta(NOTE, &Uuid::new_v4().simple().to_string())
    }

    /// Deletes a note that was read before a scrub, unless there were deletions since.
    pub(crate) fn note_deletions_scrubbed(&self, note: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM meta WHERE name = ?1 AND value = ?2";
        self.connection.execute(sql, params![NOTE, note])?;
        Ok(())
    }
}
