//! The note that users were deleted, and what was known of them may still be in the files.

use uuid::Uuid;

use crate::StoreError;
use crate::sql::value::params;
use crate::sql::{Reader, Transaction};

/// Its value is another one after each deletion, so that one during a scrub is not taken for one before it.
const NOTE: &str = "deletions_to_scrub";

impl Reader<'_> {
    /// The note of deletions since the files were last scrubbed.
    pub(crate) fn deletions_to_scrub(&self) -> Result<Option<String>, StoreError> {
        self.meta(NOTE)
    }
}

impl Transaction<'_> {
    /// Notes that the files are to be scrubbed.
    pub(crate) fn note_deletion(&self) -> Result<(), StoreError> {
        self.put_meta(NOTE, &Uuid::new_v4().simple().to_string())
    }

    /// Deletes a note that was read before the files were scrubbed, unless something was deleted since.
    pub(crate) fn note_deletions_scrubbed(&self, note: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM meta WHERE name = ?1 AND value = ?2";
        self.connection.execute(sql, params![NOTE, note])?;
        Ok(())
    }
}
