//! Row numbers of users, by which other tables refer to them.
//!
//! They grow with each user, so that rows of new users are adjacent in indexes; ids are random.

use uuid::Uuid;

use crate::sql::Reader;
use crate::sql::value::{Bind, Row, Value, params};
use crate::{StoreError, TeamId};

pub(crate) const FIND_USER_ROW: &str = "SELECT id FROM users WHERE team_id = ?1 AND user_id = ?2";

/// The number of a user's row. It is only found by team and id, and so refers to a user of a checked team.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct UserRow(i64);

impl UserRow {
    /// Reads the number of a row of `users` from a column.
    pub(crate) fn of(row: &Row<'_>, column: usize) -> Result<Self, StoreError> {
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
    pub(crate) fn user_row(&self, team: TeamId, user_id: Uuid) -> Result<Option<UserRow>, StoreError> {
        let key = params![team.as_bytes(), user_id.as_bytes()];
        self.connection.first(FIND_USER_ROW, key, |row| UserRow::of(row, 0))
    }
}
