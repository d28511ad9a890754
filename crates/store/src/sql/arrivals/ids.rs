//! Ids of arrivals that were taken, for a while.

use crate::sql::value::params;
use chrono::{DateTime, TimeDelta, Utc};

use crate::StoreError;
use crate::sql::Transaction;
use crate::sql::document::instant;
use crate::sql::users::row::UserRow;

/// Time that ids are stored. Senders repeat arrivals sooner.
const REMEMBERED: TimeDelta = TimeDelta::days(7);

const FIND: &str = "SELECT 1 FROM arrivals WHERE user_row = ?1 AND arrival_id = ?2";

impl Transaction<'_> {
    /// Remembers the id of an arrival. False where it is remembered already: it was taken lately.
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
        // One statement in place of two, where it need not be waited for.
        Ok(self.connection.execute(sql, params![user_row, id, instant(now)])? > 0)
    }

    /// Prefetches whether the id of an arrival is remembered.
    pub(crate) fn prefetch_arrival_id(&self, user_row: UserRow, id: &str) -> Result<(), StoreError> {
        self.connection.prefetch(FIND, params![user_row, id])
    }

    /// Counts an arrival that was taken, and whose id is remembered.
    pub(crate) fn count_remembered(&self, now: DateTime<Utc>) {
        let before = self.remembered.get().map_or(0, |(count, _)| count);
        self.remembered.set(Some((before + 1, now)));
    }

    /// Forgets the id of an arrival that was not taken after all.
    pub(crate) fn forget_arrival(&self, user_row: UserRow, id: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM arrivals WHERE user_row = ?1 AND arrival_id = ?2";
        Ok(self.connection.execute_pipelined(sql, params![user_row, id])?)
    }

    /// Forgets old ids, two for each that was remembered: what comes in is less than what may go, so that old ones run
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
