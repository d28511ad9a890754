//! The event log.

use crate::schema::EVENTS;
use crate::sql::connection::Connection;
use crate::sql::value::{Bind, Row, params};
use chrono::DateTime;
use uuid::Uuid;
use wearlab_ingest::payload::{Envelope, Payload};
use wearlab_models::{Encoded, User};

use crate::sql::document::{instant, rows};
use crate::sql::{Reader, Transaction};
use crate::{EventFilter, Ingestion, LoggedEvent, StoreError, TeamId};

/// Columns of [`event`].
pub(crate) const COLUMNS: &str = "events.number, events.event_id, events.team_id, events.user_id, events.event_type,
    events.created_on, events.payload";

impl Reader<'_> {
    /// The first events that pass a filter.
    pub(crate) fn events(&self, filter: &EventFilter, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        filtered(self.connection, filter, "ORDER BY number", limit)
    }

    /// The last events that pass a filter, oldest first.
    pub(crate) fn last_events(&self, filter: &EventFilter, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        let mut events = filtered(self.connection, filter, "ORDER BY number DESC", limit)?;
        events.reverse();
        Ok(events)
    }

    /// The teams of events after a position in the log.
    pub(crate) fn teams_with_events(&self, after: i64) -> Result<Vec<Uuid>, StoreError> {
        let teams = self.connection.all(
            "SELECT DISTINCT team_id FROM events WHERE number > ?1",
            params![after],
            |row| Ok(Uuid::from_bytes(row.get(0)?)),
        )?;
        Ok(teams)
    }

    pub(crate) fn last_event(&self) -> Result<i64, StoreError> {
        self.connection
            .one("SELECT coalesce(max(number), 0) FROM events", params![], |row| {
                row.get(0)
            })
    }

    pub(crate) fn last_event_number(&self) -> Result<i64, StoreError> {
        self.connection.last_number(EVENTS.table, "number")
    }

    pub(crate) fn event(&self, event_id: &str) -> Result<Option<LoggedEvent>, StoreError> {
        self.connection.first(
            &format!("SELECT {COLUMNS} FROM events WHERE event_id = ?1"),
            params![event_id],
            event,
        )
    }
}

fn filtered(
    connection: &Connection<'_>,
    filter: &EventFilter,
    order: &str,
    limit: usize,
) -> Result<Vec<LoggedEvent>, StoreError> {
    let limit = rows(limit);
    let mut params: Vec<&dyn Bind> = vec![&filter.after, &limit];
    let mut conditions = "number > ?1".to_owned();
    let team = filter.team_id.as_ref().map(|id| id.as_bytes());
    let user = filter.user_id.as_ref().map(|id| id.as_bytes());
    for (column, id) in [("team_id", &team), ("user_id", &user)] {
        if let Some(id) = id {
            params.push(id);
            conditions += &format!(" AND {column} = ?{}", params.len());
        }
    }
    if let Some(prefix) = &filter.event_type_prefix {
        params.push(prefix);
        let at = params.len();
        conditions += &format!(" AND substr(event_type, 1, length(CAST(?{at} AS TEXT))) = ?{at}");
    }
    let sql = format!("SELECT {COLUMNS} FROM events WHERE {conditions} {order} LIMIT ?2");
    connection.all(&sql, &params, event)
}

pub(crate) fn event(row: &Row<'_>) -> Result<LoggedEvent, StoreError> {
    Ok(LoggedEvent {
        number: row.get(0)?,
        event_id: row.get(1)?,
        team_id: Uuid::from_bytes(row.get(2)?),
        user_id: Uuid::from_bytes(row.get(3)?),
        event_type: row.get(4)?,
        created_on: DateTime::from_timestamp_nanos(row.get(5)?),
        payload: Encoded::from_stored(row.get::<String>(6)?),
    })
}

impl Transaction<'_> {
    /// Appends an event about a user to the log.
    pub(crate) fn emit(
        &self,
        team: TeamId,
        user: &User,
        ingestion: &Ingestion,
        event: impl FnOnce(Envelope) -> Result<Payload, StoreError>,
    ) -> Result<(), StoreError> {
        let event_id = format!("evt_{}", (ingestion.fresh_id)().simple());
        let event = event(Envelope {
            event_id: event_id.clone(),
            team_id: team.uuid(),
            user_id: user.user_id,
            client_user_id: user.client_user_id.clone(),
        })?;
        let event_type = event.event_type().to_owned();
        self.connection.ensure_partition(&EVENTS, instant(ingestion.now))?;
        let sql = "INSERT INTO events (event_id, team_id, user_id, event_type, created_on, payload)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.connection.execute_pipelined(
            sql,
            params![
                event_id,
                team.as_bytes(),
                user.user_id.as_bytes(),
                event_type,
                instant(ingestion.now),
                event.encode()?,
            ],
        )?;
        Ok(())
    }
}
