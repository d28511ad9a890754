//! Pages of users, and their connections. A page is read by the same number of statements whatever its length.

use chrono::NaiveDate;
use uuid::Uuid;
use wearlab_models::ConnectedProvider;

use crate::sql::Reader;
use crate::sql::document::{decode, is_one_of, rows};
use crate::sql::users::row::UserRow;
use crate::sql::value::{Bind, Row, params};
use crate::{IntrospectionFilter, IntrospectionPage, StoreError, TeamId, UserPosition};

/// Maximum number of users that one page scans for those of a provider.
const MOST_LOOKED_THROUGH: usize = 10_000;

/// A user of a page.
pub(super) struct Introspected {
    pub(super) position: UserPosition,
    pub(super) row: UserRow,
}

impl Introspected {
    /// Returns the parameters of a statement about users: a provider, or an empty text for all of them, and then the rows of
    /// the users, which [`of_users`] finds.
    pub(super) fn params<'p>(users: &'p [Self], provider: &'p Option<&str>) -> Vec<&'p dyn Bind> {
        let provider: &dyn Bind = match provider {
            Some(provider) => provider,
            None => &"",
        };
        let rows = users.iter().map(|user| &user.row as &dyn Bind);
        std::iter::once(provider).chain(rows).collect()
    }
}

/// Returns the condition that a column has the row of one of a number of users.
pub(super) fn of_users(column: &str, count: usize) -> String {
    is_one_of(column, 2, count)
}

impl Reader<'_> {
    /// A page of users with the results of `of` for them, in their order; with a provider, only users who are connected with
    /// it, or have a row of it in `table`.
    pub(super) fn introspected<T>(
        &self,
        team: TeamId,
        filter: &IntrospectionFilter<'_>,
        table: &str,
        limit: usize,
        of: impl Fn(&[Introspected]) -> Result<Vec<T>, StoreError>,
    ) -> Result<Option<IntrospectionPage<T>>, StoreError> {
        if let Some(user_id) = filter.user_id {
            let key = params![team.as_bytes(), user_id.as_bytes()];
            let sql = "SELECT id, created_on, user_id FROM users WHERE team_id = ?1 AND user_id = ?2";
            let Some(user) = self.connection.first(sql, key, user)? else {
                return Ok(None);
            };
            let has_any = match filter.provider {
                None => true,
                Some(provider) => self.has_provider(user.row, table, provider)?,
            };
            let users = if has_any { of(&[user])? } else { Vec::new() };
            return Ok(Some(IntrospectionPage { users, next: None }));
        }
        if let Some(provider) = filter.provider {
            let (found, next) = self.users_of_provider(team, filter.after.as_ref(), table, provider, limit)?;
            let users = of(&found)?;
            return Ok(Some(IntrospectionPage { users, next }));
        }
        let (created_on, user_id) = match &filter.after {
            Some(after) => (after.created_on, after.user_id),
            None => (i64::MIN, Uuid::nil()),
        };
        let sql = "SELECT id, created_on, user_id FROM users WHERE team_id = ?1 AND (created_on, user_id) > (?2, ?3)
            ORDER BY created_on, user_id LIMIT ?4";
        // One more row shows whether there is another page.
        let params = params![
            team.as_bytes(),
            created_on,
            user_id.as_bytes(),
            rows(limit.saturating_add(1))
        ];
        let mut found = self.connection.all(sql, params, user)?;
        let more = found.len() > limit;
        found.truncate(limit);
        let users = of(&found)?;
        let next = found.pop().filter(|_| more).map(|last| last.position);
        Ok(Some(IntrospectionPage { users, next }))
    }

    /// At most `limit` users with rows of a provider, after a position, and the position to continue from. No more than
    /// [`MOST_LOOKED_THROUGH`] users are scanned, so that a page may be short before the last one.
    fn users_of_provider(
        &self,
        team: TeamId,
        after: Option<&UserPosition>,
        table: &str,
        provider: &str,
        limit: usize,
    ) -> Result<(Vec<Introspected>, Option<UserPosition>), StoreError> {
        let sql = format!(
            "SELECT id, created_on, user_id,
                (SELECT count(*) FROM connections WHERE connections.user_row = users.id AND slug = ?5)
                    + (SELECT count(*) FROM {table} WHERE {table}.user_row = users.id AND {table}.provider = ?5)
            FROM users WHERE team_id = ?1 AND (created_on, user_id) > (?2, ?3)
            ORDER BY created_on, user_id LIMIT ?4"
        );
        let (created_on, user_id) = match after {
            Some(after) => (after.created_on, after.user_id),
            None => (i64::MIN, Uuid::nil()),
        };
        let params = params![
            team.as_bytes(),
            created_on,
            user_id.as_bytes(),
            rows(MOST_LOOKED_THROUGH),
            provider
        ];
        let seen = self.connection.all(&sql, params, |row| {
            let count: i64 = row.get(3)?;
            Ok::<_, StoreError>((user(row)?, count > 0))
        })?;
        let is_whole = seen.len() < MOST_LOOKED_THROUGH;
        let (mut found, mut last) = (Vec::new(), None);
        for (user, has_any) in seen {
            if has_any && found.len() == limit {
                return Ok((found, last));
            }
            last = Some(user.position.clone());
            if has_any {
                found.push(user);
            }
        }
        Ok((found, last.filter(|_| !is_whole)))
    }

    fn has_provider(&self, user_row: UserRow, table: &str, provider: &str) -> Result<bool, StoreError> {
        let sql = format!(
            "SELECT (SELECT count(*) FROM connections WHERE user_row = ?1 AND slug = ?2)
                + (SELECT count(*) FROM {table} WHERE user_row = ?1 AND provider = ?2)"
        );
        let count: i64 = self
            .connection
            .one(&sql, params![user_row, provider], |row| row.get(0))?;
        Ok(count > 0)
    }

    /// The connections of users, each with the user's row.
    pub(super) fn introspected_connections(
        &self,
        users: &[Introspected],
        provider: Option<&str>,
    ) -> Result<Vec<(UserRow, ConnectedProvider)>, StoreError> {
        if users.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT user_row, document FROM connections WHERE (?1 = '' OR slug = ?1) AND {} ORDER BY user_row, slug",
            of_users("user_row", users.len())
        );
        self.connection
            .all(&sql, &Introspected::params(users, &provider), |row| {
                Ok((UserRow::of(row, 0)?, decode("connection", &row.get::<String>(1)?)?))
            })
    }
}

fn user(row: &Row<'_>) -> Result<Introspected, StoreError> {
    let position = UserPosition {
        created_on: row.get(1)?,
        user_id: Uuid::from_bytes(row.get(2)?),
    };
    let row = UserRow::of(row, 0)?;
    Ok(Introspected { position, row })
}

/// The day in a column, if there is one.
pub(super) fn day(row: &Row<'_>, column: usize) -> Result<Option<NaiveDate>, StoreError> {
    let day: Option<String> = row.get(column)?;
    let day = day.map(|day| day.parse().map_err(|_| StoreError::Document { what: "day" }));
    day.transpose()
}
