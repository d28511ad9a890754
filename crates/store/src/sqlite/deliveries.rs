//! What destinations have of the event log.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

use super::document::{instant, rows};
use super::error::missing;
use super::events::{COLUMNS, event};
use super::{Engine, Writer};
use crate::{Backlog, DestinationId, PendingEvent, Progress, StoreError, TeamId, Undelivered};

/// How many events wait to be tried again.
const RETRIED: &str = "SELECT count(*) FROM deliveries WHERE destination = ?1 AND due IS NOT NULL";

impl Engine {
    /// Events after the cursor, oldest first.
    pub(crate) fn fresh(&self, destination: DestinationId, limit: usize) -> Result<Vec<PendingEvent>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, 0 FROM destinations JOIN events ON events.team_id = destinations.team_id
                AND events.number > destinations.cursor
            WHERE destinations.id = ?1 ORDER BY events.number LIMIT ?2"
        );
        self.read(|connection| pending(connection, &sql, (destination.0, rows(limit))))
    }

    /// Events that are to be tried again by now, oldest first.
    pub(crate) fn due(
        &self,
        destination: DestinationId,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<PendingEvent>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, attempts FROM deliveries JOIN events USING (number)
            WHERE destination = ?1 AND due <= ?2 ORDER BY number LIMIT ?3"
        );
        self.read(|connection| pending(connection, &sql, (destination.0, instant(now), rows(limit))))
    }

    pub(crate) fn backlog(&self, destination: DestinationId) -> Result<Backlog, StoreError> {
        self.read_together(|connection| {
            let count = |sql: &str| -> Result<i64, StoreError> {
                Ok(connection
                    .prepare_cached(sql)?
                    .query_row([destination.0], |row| row.get(0))?)
            };
            let retried = count(RETRIED)?;
            let parked = count("SELECT count(*) FROM deliveries WHERE destination = ?1 AND due IS NULL")?;
            let fresh = count(
                "SELECT count(*) FROM destinations JOIN events ON events.team_id = destinations.team_id
                    AND events.number > cursor WHERE destinations.id = ?1",
            )?;
            let sql = "SELECT min(created_on) FROM events WHERE number = ifnull(
                (SELECT min(number) FROM deliveries WHERE destination = ?1 AND due IS NOT NULL),
                (SELECT min(number) FROM destinations JOIN events ON events.team_id = destinations.team_id
                    AND events.number > cursor WHERE destinations.id = ?1))";
            let oldest: Option<i64> = connection
                .prepare_cached(sql)?
                .query_row([destination.0], |row| row.get(0))?;
            Ok(Backlog {
                waiting: retried + fresh,
                parked,
                oldest: oldest.map(DateTime::from_timestamp_nanos),
            })
        })
    }

    /// How many events wait to be tried again.
    pub(crate) fn retried(&self, destination: DestinationId) -> Result<i64, StoreError> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached(RETRIED)?
                .query_row([destination.0], |row| row.get(0))?)
        })
    }

    pub(crate) fn undelivered(&self, limit: usize) -> Result<Vec<Undelivered>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT event_id, event_type, destinations.team_id, kind, webhook_id, attempts, due, reason
                FROM deliveries JOIN destinations ON destinations.id = destination JOIN events USING (number)
                ORDER BY number, destination LIMIT ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_map([rows(limit)], undelivered)?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn pending(connection: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<PendingEvent>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map(params, |row| {
        Ok(PendingEvent {
            event: event(row)?,
            attempts: row.get(7)?,
        })
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn undelivered(row: &Row<'_>) -> rusqlite::Result<Undelivered> {
    let due: Option<i64> = row.get(6)?;
    Ok(Undelivered {
        event_id: row.get(0)?,
        event_type: row.get(1)?,
        team_id: Uuid::from_bytes(row.get(2)?),
        kind: row.get(3)?,
        webhook_id: row.get(4)?,
        attempts: row.get(5)?,
        due: due.map(DateTime::from_timestamp_nanos),
        reason: row.get(7)?,
    })
}

impl Writer<'_> {
    /// The destination of a team and kind. A new one gets the events that are written from now on.
    pub(crate) fn destination(
        &self,
        team: TeamId,
        kind: &str,
        webhook_id: Option<&str>,
    ) -> Result<DestinationId, StoreError> {
        let sql = "INSERT INTO destinations (team_id, kind, webhook_id, cursor)
            VALUES (?1, ?2, ?3, (SELECT ifnull(max(number), 0) FROM events)) ON CONFLICT DO NOTHING";
        self.connection
            .prepare_cached(sql)?
            .execute(params![team.as_bytes(), kind, webhook_id])
            .map_err(missing("webhook"))?;
        let sql = "SELECT id FROM destinations WHERE team_id = ?1 AND kind = ?2 AND webhook_id IS ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        let id = statement.query_row(params![team.as_bytes(), kind, webhook_id], |row| row.get(0))?;
        Ok(DestinationId(id))
    }

    /// Keeps how it went with events, and how far the destination is. The cursor never goes back.
    pub(crate) fn progress(
        &self,
        destination: DestinationId,
        results: &[(i64, Progress)],
        cursor: i64,
    ) -> Result<(), StoreError> {
        for (number, progress) in results {
            let (attempts, due, reason) = match progress {
                Progress::Done => {
                    let sql = "DELETE FROM deliveries WHERE destination = ?1 AND number = ?2";
                    self.connection.prepare_cached(sql)?.execute([destination.0, *number])?;
                    continue;
                }
                Progress::Waiting { attempts, due, reason } => (attempts, Some(instant(*due)), reason),
                Progress::Parked { attempts, reason } => (attempts, None, reason),
            };
            // The event may have been deleted with its user meanwhile.
            let sql = "INSERT INTO deliveries (destination, number, attempts, due, reason)
                SELECT ?1, number, ?3, ?4, ?5 FROM events WHERE number = ?2
                ON CONFLICT DO UPDATE SET attempts = excluded.attempts, due = excluded.due, reason = excluded.reason";
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.execute(params![destination.0, number, attempts, due, reason])?;
        }
        let sql = "UPDATE destinations SET cursor = max(cursor, ?2) WHERE id = ?1";
        self.connection.prepare_cached(sql)?.execute([destination.0, cursor])?;
        Ok(())
    }

    /// Has an event tried again, now, at all destinations of its team that had it before; returns at how many.
    pub(crate) fn replay(&self, event_id: &str, now: DateTime<Utc>) -> Result<Option<usize>, StoreError> {
        let sql = "SELECT number, team_id FROM events WHERE event_id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found: Option<(i64, [u8; 16])> = statement
            .query_row([event_id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((number, team)) = found else { return Ok(None) };
        let sql = "INSERT INTO deliveries (destination, number, attempts, due, reason)
            SELECT id, ?1, 0, ?3, 'replayed' FROM destinations WHERE team_id = ?2 AND cursor >= ?1
            ON CONFLICT DO UPDATE SET attempts = 0, due = excluded.due, reason = excluded.reason";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(Some(statement.execute(params![number, team, instant(now)])?))
    }
}
