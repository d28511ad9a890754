//! Lookups of users' rows within a transaction.

use uuid::Uuid;

use super::row::{FIND_USER_ROW, UserRow};
use crate::sql::Transaction;
use crate::sql::value::{Params, params};
use crate::{StoreError, TeamId};

impl Transaction<'_> {
    /// Fails if a user has the maximum number of rows of a kind, besides one. `others` counts these.
    pub(crate) fn check_count(
        &self,
        others: &str,
        key: Params<'_>,
        most: i64,
        refused: impl FnOnce(i64) -> StoreError,
    ) -> Result<(), StoreError> {
        let count: i64 = self.connection.one(others, key, |row| row.get(0))?;
        match count >= most {
            true => Err(refused(most)),
            false => Ok(()),
        }
    }

    /// The number of a user's row, if the team has the user.
    pub(crate) fn user_row(&self, team: TeamId, user_id: Uuid) -> Result<Option<UserRow>, StoreError> {
        if let Some((of_team, of_user, row)) = self.last_user.get()
            && (of_team, of_user) == (team, user_id)
        {
            return Ok(Some(row));
        }
        let key = params![team.as_bytes(), user_id.as_bytes()];
        let row = self.connection.first(FIND_USER_ROW, key, |row| UserRow::of(row, 0))?;
        if let Some(row) = row {
            self.last_user.set(Some((team, user_id, row)));
        }
        Ok(row)
    }

    /// Prefetches the number of a user's row.
    pub(crate) fn prefetch_user_row(&self, team: TeamId, user_id: Uuid) -> Result<(), StoreError> {
        self.connection
            .prefetch(FIND_USER_ROW, params![team.as_bytes(), user_id.as_bytes()])
    }

    /// The number of the row of a user. Fails if there is none.
    pub(crate) fn require_user_row(&self, team: TeamId, user_id: Uuid) -> Result<UserRow, StoreError> {
        let row = self.user_row(team, user_id)?;
        row.ok_or(StoreError::Missing { what: "user" })
    }
}
