//! The event log.

use super::value::{Row, params};
use chrono::DateTime;
use uuid::Uuid;
use wearlab_models::{Encoded, Event, User};

use super::document::{encode, instant, rows};
use super::{Engine, Writer};
use crate::payload::Envelope;
use crate::{EventFilter, Ingestion, LoggedEvent, StoreError, TeamId};

/// What [`event`] reads.
pub(super) const COLUMNS: &str = "events.number, events.event_id, events.team_id, events.user_id, events.event_type,
    events.created_on, events.payload";

impl Engine {
    pub(crate) fn events(&self, filter: &EventFilter, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        self.read(|connection| {
            let (after, limit) = (filter.after, rows(limit));
            let events = match &filter.team_id {
                Some(team) => {
                    let sql = format!(
                        "SELECT {COLUMNS} FROM events WHERE team_id = ?1 AND number > ?2 ORDER BY number LIMIT ?3"
                    );
                    connection.all(&sql, params![team.as_bytes(), after, limit], event)?
                }
                None => {
                    let sql = format!("SELECT {COLUMNS} FROM events WHERE number > ?1 ORDER BY number LIMIT ?2");
                    connection.all(&sql, params![after, limit], event)?
                }
            };
            Ok(events)
        })
    }

    /// The teams that events after a place in the log are for.
    pub(crate) fn teams_with_events(&self, after: i64) -> Result<Vec<Uuid>, StoreError> {
        self.read(|connection| {
            let teams = connection.all(
                "SELECT DISTINCT team_id FROM events WHERE number > ?1",
                params![after],
                |row| Ok(Uuid::from_bytes(row.get(0)?)),
            )?;
            Ok(teams)
        })
    }

    pub(crate) fn last_event(&self) -> Result<i64, StoreError> {
        self.read(|connection| {
            connection.one("SELECT coalesce(max(number), 0) FROM events", params![], |row| {
                row.get(0)
            })
        })
    }

    pub(crate) fn event(&self, event_id: &str) -> Result<Option<LoggedEvent>, StoreError> {
        self.read(|connection| {
            connection.first(
                &format!("SELECT {COLUMNS} FROM events WHERE event_id = ?1"),
                params![event_id],
                event,
            )
        })
    }
}

pub(super) fn event(row: &Row<'_>) -> Result<LoggedEvent, StoreError> {
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

impl Writer<'_> {
    /// Appends an event about a user to the log.
    pub(crate) fn emit(
        &self,
        team: TeamId,
        user: &User,
        ingestion: &Ingestion,
        event: impl FnOnce(Envelope) -> Result<Event, StoreError>,
    ) -> Result<(), StoreError> {
        let event_id = format!("evt_{}", (ingestion.fresh_id)().simple());
        let event = event(Envelope {
            event_id: event_id.clone(),
            team_id: team.uuid(),
            user_id: user.user_id,
            client_user_id: user.client_user_id.clone(),
        })?;
        self.connection.make_room(instant(ingestion.now))?;
        let sql = "INSERT INTO events (event_id, team_id, user_id, event_type, created_on, payload)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.connection.execute(
            sql,
            params![
                event_id,
                team.as_bytes(),
                user.user_id.as_bytes(),
                event.event_type(),
                instant(ingestion.now),
                encode("event", &event)?,
            ],
        )?;
        Ok(())
    }
}
