//! The numbers of users' rows, by which other tables refer to users.
//!
//! They grow with each user, so that rows of new users lie beside each other in indexes; ids are random.

use uuid::Uuid;

use super::value::{Bind, Params, Row, Value, params};
use super::{Reader, Transaction};
use crate::{StoreError, TeamId};

const FIND: &str = "SELECT id FROM users WHERE team_id = ?1 AND user_id = ?2";

/// The number of a user's row. It is found by team and id alone, and so names a user of a team that is known.
#[derive(Clone, Copy)]
pub(super) struct UserRow(i64);

impl UserRow {
    /// That of a row of `users`, in a column of it.
    pub(super) fn of(row: &Row<'_>, column: usize) -> Result<Self, StoreError> {
        row.get(column).map(Self)
    }
}

impl Bind for UserRow {
    fn bind(&self) -> Value<'_> {
        Value::Integer(self.0)
    }
}

impl Reader<'_> {
    /// The number of a user's row, if the team has the user.
    pub(super) fn user_row(&self, team: TeamId, user_id: Uuid) -> Result<Option<UserRow>, StoreError> {
        let key = params![team.as_bytes(), user_id.as_bytes()];
        self.connection.first(FIND, key, |row| UserRow::of(row, 0))
    }
}

impl Transaction<'_> {
    /// Fails where a user has as many rows of a kind, beside one, as they may have. `others` counts these.
    pub(super) fn check_count(
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
    pub(super) fn user_row(&self, team: TeamId, user_id: Uuid) -> Result<Option<UserRow>, StoreError> {
        if let Some((of_team, of_user, row)) = self.last_user.get()
            && (of_team, of_user) == (team, user_id)
        {
            return Ok(Some(row));
        }
        let key = params![team.as_bytes(), user_id.as_bytes()];
        let row = self.connection.first(FIND, key, |row| UserRow::of(row, 0))?;
        if let Some(row) = row {
            self.last_user.set(Some((team, user_id, row)));
        }
        Ok(row)
    }

    /// Asks ahead for the number of a user's row.
    pub(super) fn ask_user_row(&self, team: TeamId, user_id: Uuid) -> Result<(), StoreError> {
        self.connection
            .ask_ahead(FIND, params![team.as_bytes(), user_id.as_bytes()])
    }

    /// The number of the row of a user who must be there.
    pub(super) fn known_user_row(&self, team: TeamId, user_id: Uuid) -> Result<UserRow, StoreError> {
        let row = self.user_row(team, user_id)?;
        row.ok_or(StoreError::Missing { what: "user" })
    }
}
