//! Ids of arrivals that were taken, for a while.

use super::value::params;
use chrono::{DateTime, TimeDelta, Utc};
use wearlab_models::User;

use super::Transaction;
use super::document::instant;
use crate::{StoreError, TeamId};

/// How long ids are remembered. Whoever sends an arrival again does it sooner.
const REMEMBERED: TimeDelta = TimeDelta::days(7);

impl Transaction<'_> {
    /// Whether an arrival with this id was taken lately.
    pub(super) fn remembers(&self, team: TeamId, user: &User, id: &str) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM arrivals WHERE user_row = ?1 AND arrival_id = ?2)";
        let key = params![self.known_user_row(team, user.user_id)?, id];
        self.connection.one(sql, key, |row| row.get(0))
    }

    /// Remembers an id.
    pub(super) fn remember(&self, team: TeamId, user: &User, id: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
        let sql = "INSERT INTO arrivals (user_row, arrival_id, taken_on) VALUES (?1, ?2, ?3)";
        let row = params![self.known_user_row(team, user.user_id)?, id, instant(now)];
        self.connection.execute(sql, row)?;
        let before = self.remembered.get().map_or(0, |(count, _)| count);
        self.remembered.set(Some((before + 1, now)));
        Ok(())
    }

    /// Forgets old ids, two for each that was remembered: what comes in is less than what may go, so that old ones run
    /// out.
    pub(super) fn forget_old_arrivals(&self) -> Result<(), StoreError> {
        let Some((count, now)) = self.remembered.take() else {
            return Ok(());
        };
        let sql = "DELETE FROM arrivals WHERE id IN
            (SELECT id FROM arrivals WHERE taken_on < ?1 ORDER BY taken_on LIMIT ?2)";
        self.connection
            .execute(sql, params![instant(now - REMEMBERED), 2 * count])?;
        Ok(())
    }
}
