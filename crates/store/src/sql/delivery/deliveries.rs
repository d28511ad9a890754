//! Events that are due at destinations.

use std::ops::ControlFlow;

use crate::sql::connection::Connection;
use crate::sql::value::{Params, Row, params};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::sql::Reader;
use crate::sql::document::{instant, rows};
use crate::sql::events::log::{COLUMNS, event};
use crate::{Backlog, DeliveryState, DestinationId, PendingEvent, StoreError, Undelivered};

/// Maximum size of payloads that are read together, unless one alone is longer.
pub(crate) const LONGEST: usize = 8 * 1024 * 1024;

/// The events that were not sent to a destination yet.
const FRESH: &str = "team_id = (SELECT team_id FROM destinations WHERE id = ?1)
    AND number > (SELECT cursor FROM destinations WHERE id = ?1)";

/// Selects whether any event of the destination waits or is held. Usually none does.
const ANY_BEHIND: &str = "EXISTS (SELECT 1 FROM deliveries WHERE destination = ?1 AND state IN ('waiting', 'held'))";

/// Counts the events that wait for a retry.
const RETRIED: &str = "SELECT count(*) FROM deliveries WHERE destination = ?1 AND state = 'waiting'";

impl Reader<'_> {
    /// Events after the cursor and a number, oldest first.
    pub(crate) fn fresh(
        &self,
        destination: DestinationId,
        after: i64,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        // Without a join: no engine recognises that it has one row, and keeps the order of numbers.
        let sql = format!(
            "SELECT {COLUMNS}, 0, CASE WHEN {ANY_BEHIND} THEN EXISTS (SELECT 1 FROM deliveries WHERE destination = ?1
                    AND deliveries.user_id = events.user_id AND state <> 'parked') ELSE 1 = 0 END
            FROM events WHERE {FRESH} AND number > ?3 ORDER BY number LIMIT ?2"
        );
        pending(self.connection, &sql, params![destination.0, rows(limit), after])
    }

    /// Events that are due for a retry, oldest first.
    pub(crate) fn due(
        &self,
        destination: DestinationId,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, attempts, 0 FROM deliveries JOIN events USING (number)
            WHERE destination = ?1 AND state = 'waiting' AND due <= ?2 ORDER BY number LIMIT ?3"
        );
        pending(self.connection, &sql, params![destination.0, instant(now), rows(limit)])
    }

    /// Time of the next retry.
    pub(crate) fn next_due(&self, destination: DestinationId) -> Result<Option<DateTime<Utc>>, StoreError> {
        let sql = "SELECT min(due) FROM deliveries WHERE destination = ?1 AND state = 'waiting'";
        let due: Option<i64> = self.connection.one(sql, params![destination.0], |row| row.get(0))?;
        Ok(due.map(DateTime::from_timestamp_nanos))
    }

    /// Reads the backlog of a destination. Each count reads at most `most` rows.
    pub(crate) fn backlog(&self, destination: DestinationId, most: i64) -> Result<Backlog, StoreError> {
        let count = |from: &str, most: i64| -> Result<i64, StoreError> {
            // Sorted, so that no engine scans the whole table to find the first ones.
            let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {from} ORDER BY number LIMIT ?2) AS counted");
            self.connection
                .one(&sql, params![destination.0, most], |row| row.get(0))
        };
        let first = |from: &str| -> Result<Option<i64>, StoreError> {
            let sql = format!("SELECT min(number) FROM {from}");
            self.connection.one(&sql, params![destination.0], |row| row.get(0))
        };
        // State by state: the rows of each are adjacent in the index.
        let (mut sent, mut oldest) = (0, None);
        for state in ["waiting", "held"] {
            let of = format!("deliveries WHERE destination = ?1 AND state = '{state}'");
            sent += count(&of, most - sent)?;
            oldest = [oldest, first(&of)?].into_iter().flatten().min();
        }
        let parked = count("deliveries WHERE destination = ?1 AND state = 'parked'", most)?;
        let of_log = format!("events WHERE {FRESH}");
        let fresh = count(&of_log, most - sent)?;
        if oldest.is_none() && fresh > 0 {
            oldest = first(&of_log)?;
        }
        let written = match oldest {
            Some(number) => {
                let sql = "SELECT min(created_on) FROM events WHERE number = ?1";
                self.connection
                    .one(sql, params![number], |row| row.get::<Option<i64>>(0))?
            }
            None => None,
        };
        Ok(Backlog {
            waiting: sent + fresh,
            parked,
            oldest: written.map(DateTime::from_timestamp_nanos),
        })
    }

    /// Counts the events that wait for a retry.
    pub(crate) fn retried(&self, destination: DestinationId) -> Result<i64, StoreError> {
        self.connection.one(RETRIED, params![destination.0], |row| row.get(0))
    }

    pub(crate) fn undelivered(&self, limit: usize) -> Result<Vec<Undelivered>, StoreError> {
        let sql = "SELECT event_id, event_type, destinations.team_id, kind, webhook_id, attempts, state, due, reason,
                number
            FROM deliveries JOIN destinations ON destinations.id = destination JOIN events USING (number)
            ORDER BY number, destination LIMIT ?1";
        self.connection.all(sql, params![rows(limit)], undelivered)
    }
}

fn pending(connection: &Connection<'_>, sql: &str, params: Params<'_>) -> Result<Vec<PendingEvent>, StoreError> {
    let (mut events, mut length) = (Vec::new(), 0);
    connection.each(sql, params, |row| {
        let event = event(row)?;
        length += event.payload.as_bytes().len();
        if length > LONGEST && !events.is_empty() {
            return Ok::<_, StoreError>(ControlFlow::Break(()));
        }
        events.push(PendingEvent {
            event,
            attempts: row.get(7)?,
            behind: row.get(8)?,
        });
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(events)
}

pub(crate) fn undelivered(row: &Row<'_>) -> Result<Undelivered, StoreError> {
    let state: String = row.get(6)?;
    Ok(Undelivered {
        event_id: row.get(0)?,
        event_type: row.get(1)?,
        team_id: Uuid::from_bytes(row.get(2)?),
        kind: row.get(3)?,
        webhook_id: row.get(4)?,
        attempts: row.get(5)?,
        state: match state.as_str() {
            "waiting" => DeliveryState::Waiting(DateTime::from_timestamp_nanos(row.get(7)?)),
            "held" => DeliveryState::Held,
            _ => DeliveryState::Parked,
        },
        reason: row.get(8)?,
        number: row.get(9)?,
    })
}
