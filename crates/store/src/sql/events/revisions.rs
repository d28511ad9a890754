//! Change counters for dispatchers.

use crate::sql::value::params;
use crate::sql::{Reader, Transaction};
use crate::{Changes, StoreError};

/// Revision of the destinations of events.
pub(crate) const ROUTES: &str = "routes";
/// Revision of replays.
pub(crate) const REPLAYS: &str = "replays";

impl Reader<'_> {
    pub(crate) fn changes(&self) -> Result<Changes, StoreError> {
        let sql = "SELECT (SELECT coalesce(max(number), 0) FROM events),
            (SELECT number FROM revisions WHERE name = 'routes'), (SELECT number FROM revisions WHERE name = 'replays')";
        self.connection.one(sql, params![], |row| {
            Ok(Changes {
                last_event: row.get(0)?,
                routes: row.get(1)?,
                replays: row.get(2)?,
            })
        })
    }
}

impl Transaction<'_> {
    /// Increments a counter.
    pub(crate) fn bump(&self, name: &str) -> Result<(), StoreError> {
        let sql = "UPDATE revisions SET number = number + 1 WHERE name = ?1";
        self.connection.execute(sql, params![name])?;
        Ok(())
    }
}
