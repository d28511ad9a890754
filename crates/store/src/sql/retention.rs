//! How long events are kept.

use super::value::params;

use super::Writer;
use super::document::{instant, rows};
use crate::{EventRetention, Pruned, StoreError};

impl Writer<'_> {
    /// Looks at so many events after a place in the log, and deletes those that are no longer kept.
    pub(crate) fn prune(&self, retention: &EventRetention, after: i64, limit: usize) -> Result<Pruned, StoreError> {
        let (delivered, undelivered) = (instant(retention.delivered), instant(retention.undelivered));
        // What can go by the day goes first, when a round begins.
        let mut deleted = match after {
            0 => self.connection.drop_days(delivered, undelivered)?,
            _ => 0,
        };
        let sql = "SELECT count(*), coalesce(max(number), 0), coalesce(min(created_on), 0)
            FROM (SELECT number, created_on FROM events WHERE number > ?1 ORDER BY number LIMIT ?2) AS next";
        let (looked_at, last, oldest): (i64, i64, i64) =
            self.connection.one(sql, params![after, rows(limit)], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        let some_old = looked_at > 0 && oldest < delivered.max(undelivered);
        if some_old {
            let sql = "DELETE FROM events WHERE number > ?1 AND number <= ?2 AND (created_on < ?3 OR created_on < ?4
                AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.number = events.number)
                AND NOT EXISTS (SELECT 1 FROM destinations
                    WHERE destinations.team_id = events.team_id AND cursor < events.number))";
            deleted += self
                .connection
                .execute(sql, params![after, last, undelivered, delivered])?;
        }
        if deleted > 0 {
            self.release(retention.now)?;
        }
        Ok(Pruned {
            deleted,
            next: (some_old && looked_at == rows(limit)).then_some(last),
        })
    }
}
