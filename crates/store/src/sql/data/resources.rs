//! Sync status of each resource of a user: the time of the last attempt, and the number of events of its data.

use chrono::{DateTime, Utc};

use crate::sql::Transaction;
use crate::sql::document::instant;
use crate::sql::users::row::UserRow;
use crate::sql::value::params;
use crate::{DataArrival, StoreError};

impl Transaction<'_> {
    /// Records new data, with the number of their events.
    pub(crate) fn note_success(
        &self,
        user_row: UserRow,
        arrival: &DataArrival,
        now: DateTime<Utc>,
        events: i64,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO resources (user_row, provider, resource, attempted_on, failed, events)
            VALUES (?1, ?2, ?3, ?4, 0, ?5)
            ON CONFLICT (user_row, provider, resource) DO UPDATE SET attempted_on = excluded.attempted_on, failed = 0,
                events = resources.events + excluded.events";
        let (provider, resource) = (&arrival.provider, arrival.resource.as_str());
        Ok(self
            .connection
            .execute_pipelined(sql, params![user_row, provider, resource, instant(now), events])?)
    }

    /// Records that a provider has no more data, for all its resources so far.
    pub(crate) fn note_failure(&self, user_row: UserRow, provider: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
        let sql = "UPDATE resources SET attempted_on = ?3, failed = 1 WHERE user_row = ?1 AND provider = ?2";
        Ok(self
            .connection
            .execute_pipelined(sql, params![user_row, provider, instant(now)])?)
    }

    /// Records imported data, which are not an attempt and cause no event.
    pub(crate) fn note_import(&self, user_row: UserRow, arrival: &DataArrival) -> Result<(), StoreError> {
        let sql = "INSERT INTO resources (user_row, provider, resource, failed, events) VALUES (?1, ?2, ?3, 0, 0)
            ON CONFLICT (user_row, provider, resource) DO NOTHING";
        let (provider, resource) = (&arrival.provider, arrival.resource.as_str());
        Ok(self
            .connection
            .execute_pipelined(sql, params![user_row, provider, resource])?)
    }
}
