//! Attempts to deliver events.

use std::time::Duration;

use chrono::DateTime;

use crate::sql::chunks::in_chunks;
use crate::sql::document::{instant, is_one_of};
use crate::sql::value::{Bind, OwnedValue, Row, params};
use crate::sql::{Reader, Transaction};
use crate::{AttemptOutcome, DeliveryAttempt, DestinationId, LoggedAttempt, OrganisationId, StoreError};

/// Number of stored attempts of an event and a destination.
const KEPT: usize = 20;

/// The columns of an attempt that are inserted, with their types.
const COLUMNS: [(&str, &str); 9] = [
    ("number", "BIGINT"),
    ("attempt", "BIGINT"),
    ("attempted_on", "BIGINT"),
    ("duration_ms", "BIGINT"),
    ("outcome", "TEXT"),
    ("status", "BIGINT"),
    ("reason", "TEXT"),
    ("content_type", "TEXT"),
    ("content_length", "BIGINT"),
];

impl Reader<'_> {
    /// The attempts to deliver an event of an organisation, oldest first. None if there is no such event.
    pub(crate) fn attempts_of(
        &self,
        organisation: &OrganisationId,
        event_id: &str,
    ) -> Result<Option<Vec<LoggedAttempt>>, StoreError> {
        let sql = "SELECT number FROM events WHERE event_id = ?1
            AND (SELECT organisation_id FROM teams WHERE teams.team_id = events.team_id) = ?2";
        let found = (self.connection).first(sql, params![event_id, organisation.as_str()], |row| row.get(0))?;
        let Some(number) = found else { return Ok(None) };
        let number: i64 = number;
        let sql = "SELECT kind, webhook_id, attempt, attempted_on, duration_ms, outcome, status, reason, content_type,
                content_length
            FROM attempts WHERE number = ?1 ORDER BY nth";
        self.connection.all(sql, params![number], attempt).map(Some)
    }

    /// The attempts to deliver events of these numbers, each with the number of its event, oldest first by event.
    pub(crate) fn attempts_of_events(&self, numbers: &[i64]) -> Result<Vec<(i64, LoggedAttempt)>, StoreError> {
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT kind, webhook_id, attempt, attempted_on, duration_ms, outcome, status, reason, content_type,
                content_length, number
            FROM attempts WHERE {} ORDER BY number, nth",
            is_one_of("number", 1, numbers.len())
        );
        let params: Vec<&dyn Bind> = numbers.iter().map(|number| number as &dyn Bind).collect();
        self.connection
            .all(&sql, &params, |row| Ok((row.get(10)?, attempt(row)?)))
    }
}

impl Transaction<'_> {
    /// Puts attempts, and keeps the last ones of each event and this destination. If `is_first`, no
    /// event was sent there before: there is nothing to delete.
    pub(crate) fn put_attempts(
        &self,
        destination: DestinationId,
        attempts: &[(i64, DeliveryAttempt)],
        is_first: impl Fn(i64) -> bool,
    ) -> Result<(), StoreError> {
        let rows: Vec<_> = attempts
            .iter()
            .map(|(number, attempt)| values(*number, attempt))
            .collect();
        self.on_each(destination, &rows, insert)?;
        let again = attempts
            .iter()
            .map(|(number, _)| *number)
            .filter(|number| !is_first(*number));
        let again: Vec<_> = again.map(|number| [OwnedValue::Integer(number)]).collect();
        self.on_each(destination, &again, trim)
    }

    /// Runs multi-row statements. The first parameter is the destination.
    fn on_each<const N: usize>(
        &self,
        destination: DestinationId,
        rows: &[[OwnedValue; N]],
        sql: impl Fn(usize) -> String,
    ) -> Result<(), StoreError> {
        in_chunks(rows, sql, |statement, part| {
            let mut params: Vec<&dyn Bind> = vec![&destination.0];
            params.extend(part.iter().flatten().map(|value| value as &dyn Bind));
            self.connection.execute(statement, &params)?;
            Ok(())
        })
    }
}

/// The statement that inserts rows, after the others of their events.
fn insert(rows: usize) -> String {
    let row = |row: usize| {
        let values: Vec<_> = (COLUMNS.iter().enumerate())
            .map(|(at, (_, ty))| format!("CAST(?{} AS {ty})", row * COLUMNS.len() + at + 2))
            .collect();
        format!("({})", values.join(", "))
    };
    let columns: Vec<_> = COLUMNS.iter().map(|(name, _)| *name).collect();
    let given: Vec<_> = (1..=COLUMNS.len()).map(|at| format!("column{at}")).collect();
    // The event may have been deleted with its user meanwhile. A lookup for each row, so that no engine reads the whole
    // log.
    format!(
        "INSERT INTO attempts (kind, webhook_id, nth, {columns})
        SELECT kind, webhook_id,
            1 + coalesce((SELECT max(nth) FROM attempts WHERE attempts.number = column1), 0), {given}
        FROM destinations CROSS JOIN (VALUES {rows}) AS given
        WHERE id = ?1 AND (SELECT count(*) FROM events WHERE events.number = column1) > 0",
        columns = columns.join(", "),
        given = given.join(", "),
        rows = (0..rows).map(row).collect::<Vec<_>>().join(", "),
    )
}

/// The statement that deletes the oldest attempts of events.
fn trim(rows: usize) -> String {
    let numbers: Vec<_> = (2..rows + 2).map(|at| format!("?{at}")).collect();
    format!(
        "DELETE FROM attempts WHERE (number, nth) IN (SELECT number, nth FROM (
            SELECT number, nth, row_number() OVER (PARTITION BY number ORDER BY nth DESC) AS newer
            FROM attempts JOIN destinations ON attempts.kind = destinations.kind
                AND attempts.webhook_id IS NOT DISTINCT FROM destinations.webhook_id
            WHERE destinations.id = ?1 AND number IN ({numbers})) AS of_destination WHERE newer > {KEPT})",
        numbers = numbers.join(", "),
    )
}

/// The values of a row, in the order of its columns.
fn values(number: i64, attempt: &DeliveryAttempt) -> [OwnedValue; COLUMNS.len()] {
    let integer = |number: Option<i64>| number.map_or(OwnedValue::Null, OwnedValue::Integer);
    let text = |text: &Option<String>| (text.as_deref()).map_or(OwnedValue::Null, |text| OwnedValue::Text(text.into()));
    let outcome = match attempt.outcome {
        AttemptOutcome::Delivered => "delivered",
        AttemptOutcome::Failed => "failed",
        AttemptOutcome::Undelivered => "undelivered",
    };
    [
        OwnedValue::Integer(number),
        OwnedValue::Integer(attempt.attempt.into()),
        OwnedValue::Integer(instant(attempt.attempted_on)),
        OwnedValue::Integer(i64::try_from(attempt.duration.as_millis()).unwrap_or(i64::MAX)),
        OwnedValue::Text(outcome.into()),
        integer(attempt.status.map(i64::from)),
        text(&attempt.reason),
        text(&attempt.content_type),
        integer(
            attempt
                .content_length
                .map(|length| i64::try_from(length).unwrap_or(i64::MAX)),
        ),
    ]
}

fn attempt(row: &Row<'_>) -> Result<LoggedAttempt, StoreError> {
    let outcome: String = row.get(5)?;
    let status: Option<i64> = row.get(6)?;
    let length: Option<i64> = row.get(9)?;
    Ok(LoggedAttempt {
        kind: row.get(0)?,
        webhook_id: row.get(1)?,
        attempt: DeliveryAttempt {
            attempt: row.get(2)?,
            attempted_on: DateTime::from_timestamp_nanos(row.get(3)?),
            duration: Duration::from_millis(row.get::<i64>(4)?.unsigned_abs()),
            outcome: match outcome.as_str() {
                "delivered" => AttemptOutcome::Delivered,
                "failed" => AttemptOutcome::Failed,
                _ => AttemptOutcome::Undelivered,
            },
            status: status.and_then(|status| u16::try_from(status).ok()),
            reason: row.get(7)?,
            content_type: row.get(8)?,
            content_length: length.map(i64::unsigned_abs),
        },
    })
}
