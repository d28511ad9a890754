//! Ids of recent arrivals.

use crate::sql::value::params;
use chrono::{DateTime, TimeDelta, Utc};

use crate::StoreError;
use crate::sql::Transaction;
use crate::sql::document::instant;
use crate::sql::users::row::UserRow;

/// Time for which ids are stored. Senders repeat arrivals sooner.
const REMEMBERED: TimeDelta = TimeDelta::days(7);

const FIND: &str = "SELECT 1 FROM arrivals WHERE user_row = ?1 AND arrival_id = ?2";

impl Transaction<'_> {
    /// Stores the id of an arrival. False if it is stored already: it arrived recently.
    pub(crate) fn remember(&self, user_row: UserRow, id: &str, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let sql = "INSERT INTO arrivals (user_row, arrival_id, taken_on) VALUES (?1, ?2, ?3)
            ON CONFLICT (user_row, arrival_id) DO NOTHING";
        if self.connection.is_prefetched(FIND, params![user_row, id]) {
            let found = self.connection.first(FIND, params![user_row, id], |_| Ok(()))?;
            if found.is_none() {
                self.connection
                    .execute_pipelined(sql, params![user_row, id, instant(now)])?;
            }
            return Ok(found.is_none());
        }
        // One statement in place of two, if its response is not awaited.
        Ok(self.connection.execute(sql, params![user_row, id, instant(now)])? > 0)
    }

    /// Prefetches the lookup of an arrival's id.
    pub(crate) fn prefetch_arrival_id(&self, user_row: UserRow, id: &str) -> Result<(), StoreError> {
        self.connection.prefetch(FIND, params![user_row, id])
    }

    /// Counts an arrival whose id was stored.
    pub(crate) fn count_remembered(&self, now: DateTime<Utc>) {
        let before = self.remembered.get().map_or(0, |(count, _)| count);
        self.remembered.set(Some((before + 1, now)));
    }

    /// Deletes the id of an arrival that was rejected.
    pub(crate) fn forget_arrival(&self, user_row: UserRow, id: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM arrivals WHERE user_row = ?1 AND arrival_id = ?2";
        Ok(self.connection.execute_pipelined(sql, params![user_row, id])?)
    }

    /// Deletes old ids, two for each stored one: deletions exceed insertions, so that old ones run
    /// out.
    pub(crate) fn forget_old_arrivals(&self) -> Result<(), StoreError> {
        let Some((count, now)) = self.remembered.take() else {
            return Ok(());
        };
        let sql = "DELETE FROM arrivals WHERE id IN
            (SELECT id FROM arrivals WHERE taken_on < ?1 ORDER BY taken_on LIMIT ?2)";
        Ok(self
            .connection
            .execute_pipelined(sql, params![instant(now - REMEMBERED), 2 * count])?)
    }
}
