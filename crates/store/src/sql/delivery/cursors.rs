//! Delivery cursors.

use std::collections::HashSet;

use crate::leases;
use crate::sql::value::params;
use chrono::{DateTime, Utc};

use crate::sql::Transaction;
use crate::sql::connection::missing;
use crate::sql::document::instant;
use crate::{Advance, DestinationId, Lease, Progress, StoreError, TeamId};

/// Reason for holding an event.
const BEHIND: &str = "behind an earlier event of the user";

/// Maximum number of held events of one user that are released together.
const TOGETHER: i64 = 100;

impl Transaction<'_> {
    /// The destination of a team and kind, and of a webhook if it is one. A new one gets the events from now on.
    pub fn destination(&self, team: TeamId, kind: &str, webhook_id: Option<&str>) -> Result<DestinationId, StoreError> {
        let sql = "INSERT INTO destinations (team_id, kind, webhook_id, cursor)
            VALUES (?1, ?2, ?3, (SELECT coalesce(max(number), 0) FROM events)) ON CONFLICT DO NOTHING";
        self.connection
            .execute(sql, params![team.as_bytes(), kind, webhook_id])
            .map_err(missing("webhook"))?;
        let sql = "SELECT id FROM destinations WHERE team_id = ?1 AND kind = ?2 AND webhook_id IS NOT DISTINCT FROM ?3";
        let id = self
            .connection
            .one(sql, params![team.as_bytes(), kind, webhook_id], |row| row.get(0))?;
        Ok(DestinationId(id))
    }

    /// Checks that a lease is valid until the transaction ends.
    ///
    /// # Errors
    ///
    /// [`StoreError::Superseded`] if another process has taken over.
    pub fn hold(&self, lease: &Lease) -> Result<(), StoreError> {
        match leases::is_valid(self.connection, lease)? {
            true => Ok(()),
            false => Err(StoreError::Superseded),
        }
    }

    /// Saves the progress of a destination.
    pub fn advance(&self, destination: DestinationId, advance: &Advance, now: DateTime<Utc>) -> Result<(), StoreError> {
        let results = &advance.results;
        for (number, progress) in results {
            self.put_delivery(destination, *number, progress, now)?;
        }
        // The order of events is final only now.
        for (number, progress) in results {
            match progress {
                Progress::Waiting { .. } if advance.ordered => self.hold_later(destination, *number)?,
                Progress::Done => self.delete_delivery(destination, *number)?,
                _ => {}
            }
        }
        if advance.ordered {
            for (number, _) in results {
                self.release_user(destination, *number, now)?;
            }
        }
        if !advance.attempts.is_empty() {
            let saved: HashSet<_> = results.iter().map(|(number, _)| *number).collect();
            // Implied by the cursor: new, and delivered.
            self.put_attempts(destination, &advance.attempts, |number| !saved.contains(&number))?;
        }
        let sql = "UPDATE destinations SET cursor = ?2 WHERE id = ?1 AND cursor < ?2";
        self.connection.execute(sql, params![destination.0, advance.cursor])?;
        match &advance.reachability {
            Some(reachability) => self.put_reachability(destination, reachability, now),
            None => Ok(()),
        }
    }

    fn put_delivery(
        &self,
        destination: DestinationId,
        number: i64,
        progress: &Progress,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let (state, attempts, due, reason) = match progress {
            Progress::Done => return Ok(()),
            Progress::Waiting { attempts, due, reason } => ("waiting", Some(*attempts), *due, reason.as_str()),
            Progress::Held => ("held", None, now, BEHIND),
            Progress::Parked { attempts, reason } => ("parked", Some(*attempts), now, reason.as_str()),
        };
        // The event may have been deleted with its user meanwhile.
        let sql = "INSERT INTO deliveries (destination, number, user_id, state, attempts, due, reason)
            SELECT ?1, number, user_id, ?3, coalesce(CAST(?4 AS BIGINT), 0), ?5, ?6 FROM events WHERE number = ?2
            ON CONFLICT (destination, number) DO UPDATE SET state = excluded.state,
                attempts = coalesce(?4, deliveries.attempts), due = excluded.due,
                reason = excluded.reason";
        self.connection.execute(
            sql,
            params![destination.0, number, state, attempts, instant(due), reason],
        )?;
        Ok(())
    }

    /// Holds the later events of a user whose event waits.
    fn hold_later(&self, destination: DestinationId, number: i64) -> Result<(), StoreError> {
        let sql = "UPDATE deliveries SET state = 'held' WHERE destination = ?1 AND number > ?2 AND state = 'waiting'
            AND user_id = (SELECT user_id FROM events WHERE number = ?2)";
        self.connection.execute(sql, params![destination.0, number])?;
        Ok(())
    }

    fn delete_delivery(&self, destination: DestinationId, number: i64) -> Result<(), StoreError> {
        let sql = "DELETE FROM deliveries WHERE destination = ?1 AND number = ?2";
        self.connection.execute(sql, params![destination.0, number])?;
        Ok(())
    }

    /// Releases the next events of the user of an event, unless another one holds them.
    fn release_user(&self, destination: DestinationId, number: i64, now: DateTime<Utc>) -> Result<(), StoreError> {
        let sql = "UPDATE deliveries SET state = 'waiting', due = ?3
            WHERE destination = ?1 AND state = 'held' AND number IN (
                SELECT later.number FROM deliveries AS later
                WHERE later.destination = ?1 AND later.state = 'held'
                    AND later.user_id = (SELECT user_id FROM events WHERE number = ?2)
                ORDER BY later.number LIMIT ?4)
            AND NOT EXISTS (SELECT 1 FROM deliveries AS first
                WHERE first.destination = ?1 AND first.state = 'waiting'
                    AND first.user_id = (SELECT user_id FROM events WHERE number = ?2))";
        self.connection
            .execute(sql, params![destination.0, number, instant(now), TOGETHER])?;
        Ok(())
    }

    /// Releases the events of all users without a blocking event, at all destinations.
    pub(crate) fn release(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let sql = "UPDATE deliveries SET state = 'waiting', due = ?1 WHERE state = 'held' AND NOT EXISTS (
            SELECT 1 FROM deliveries AS earlier WHERE earlier.destination = deliveries.destination
                AND earlier.user_id = deliveries.user_id AND earlier.state <> 'parked'
                AND earlier.number < deliveries.number)";
        self.connection.execute(sql, params![instant(now)])?;
        Ok(())
    }
}
