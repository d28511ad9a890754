//! Users.

use crate::sql::connection::Connection;
use crate::sql::value::params;
use uuid::Uuid;
use wearlab_models::{Encoded, User};

use super::available::{Available, UserWithAvailable};
use super::order;
use super::row::UserRow;
use crate::sql::document::{encode, id, instant, stored};
use crate::sql::linking::connections::source;
use crate::sql::{Reader, Transaction};
use crate::{StoreError, TeamId, UserPage};

const KIND: &str = "user";
const CREATED: &str = "SELECT created_on FROM users WHERE team_id = ?1 AND user_id = ?2";
const IS_TAKEN: &str =
    "SELECT EXISTS (SELECT 1 FROM users WHERE team_id = ?1 AND client_user_id = ?2 AND user_id <> ?3)";
/// Number of users whose rows are prefetched together.
const TOGETHER: usize = 128;
const NOT_AS_COUNTED: &str = "the users are not those that were counted";
const ONE: &str = "SELECT document, id FROM users WHERE team_id = ?1 AND user_id = ?2";

impl Reader<'_> {
    pub(crate) fn user(&self, team: TeamId, user_id: Uuid) -> Result<Option<Encoded<User>>, StoreError> {
        one(self.connection, team, user_id)
    }

    pub(crate) fn user_of_client(
        &self,
        team: TeamId,
        client_user_id: &str,
    ) -> Result<Option<Encoded<User>>, StoreError> {
        let sql = "SELECT document, id FROM users WHERE team_id = ?1 AND client_user_id = ?2";
        let key = params![team.as_bytes(), client_user_id];
        self.connection.first(sql, key, stored)
    }

    pub(crate) fn users_by_prefix(
        &self,
        team: TeamId,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<Encoded<User>>, StoreError> {
        let sql = "SELECT document, id FROM users \
                   WHERE team_id = ?1 AND client_user_id >= ?2 AND client_user_id <= ?3 \
                   ORDER BY client_user_id LIMIT ?4";
        // No text with this prefix sorts after this one.
        let last = format!("{prefix}{}", char::MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connection
            .all(sql, params![team.as_bytes(), prefix, last, limit], stored)
    }

    pub(crate) fn users(&self, team: TeamId, offset: i64, limit: i64) -> Result<UserPage, StoreError> {
        let page = page(self.connection, team, offset, limit)?;
        page.ok_or_else(|| self.damaged(NOT_AS_COUNTED))
    }

    /// The same by one statement, which takes one round trip to a server.
    pub(crate) fn users_at_once(&self, team: TeamId, offset: i64, limit: i64) -> Result<UserPage, StoreError> {
        let (offset, limit) = (offset.max(0), limit.max(0));
        let (mut total, mut found) = (0, Vec::new());
        let params = params![team.as_bytes(), offset, limit];
        self.connection.all(order::PAGE_AT_ONCE, params, |row| {
            total = row.get(0)?;
            if let Some(document) = row.get::<Option<String>>(1)? {
                found.push((order::key_from(row, 2)?, document));
            }
            Ok(())
        })?;
        // They arrive in this order, though no engine guarantees it.
        found.sort_by_key(|(key, _)| *key);
        let users: Vec<_> = found
            .into_iter()
            .map(|(_, document)| Encoded::from_stored(document))
            .collect();
        match are_all(total, offset, limit, users.len()) {
            true => Ok(UserPage { users, total }),
            false => Err(self.damaged(NOT_AS_COUNTED)),
        }
    }
}

/// A user of a team.
fn one(connection: &Connection<'_>, team: TeamId, user_id: Uuid) -> Result<Option<Encoded<User>>, StoreError> {
    let key = params![team.as_bytes(), user_id.as_bytes()];
    connection.first(ONE, key, stored)
}

/// A page of users. None if their number differs from the count of their order.
pub(crate) fn page(
    connection: &Connection<'_>,
    team: TeamId,
    offset: i64,
    limit: i64,
) -> Result<Option<UserPage>, StoreError> {
    let offset = offset.max(0);
    let total = order::total(connection, team)?;
    let users = match order::seek(connection, team, offset)? {
        // A negative limit is unlimited.
        Some((from, skip)) => {
            let params = params![team.as_bytes(), from.0, from.1, limit.max(0), skip];
            connection.all(PAGE, params, stored)?
        }
        None => Vec::new(),
    };
    Ok(are_all(total, offset, limit, users.len()).then_some(UserPage { users, total }))
}

/// Returns whether a page has all users from its offset on.
fn are_all(total: i64, offset: i64, limit: i64, users: usize) -> bool {
    let expected = total.saturating_sub(offset).clamp(0, limit.max(0));
    i64::try_from(users) == Ok(expected)
}

pub(crate) const PAGE: &str = "SELECT document FROM users WHERE team_id = ?1 AND (created_on, user_id) >= (?2, ?3)
    ORDER BY created_on, user_id LIMIT ?4 OFFSET ?5";

impl Transaction<'_> {
    /// Puts a user. Their `connected_sources` are ignored: they follow from the connections.
    pub fn put_user(&self, team: TeamId, user: &User) -> Result<(), StoreError> {
        self.clear_prefetched_arrivals();
        if user.team_id != team.uuid() {
            let what = "the user names another team";
            return Err(StoreError::Conflict { what });
        }
        self.require_team(team.uuid())?;
        if self.client_user_id_is_taken(team, user)? {
            let what = "another user of the team has the same client_user_id";
            return Err(StoreError::Conflict { what });
        }
        let key = params![team.as_bytes(), user.user_id.as_bytes()];
        let known: Option<i64> = self.connection.first(CREATED, key, |row| row.get(0))?;
        let mut user = user.clone();
        user.connected_sources = match known {
            Some(_) => self.sources(team, user.user_id)?,
            // There can be no connections: they refer to users.
            None => Vec::new(),
        };
        let created_on = instant(user.created_on);
        if known.is_some_and(|before| before != created_on) {
            self.count_entered()?;
        }
        let sql = match known {
            None => {
                "INSERT INTO users (team_id, user_id, client_user_id, created_on, document)
                VALUES (?1, ?2, ?3, ?4, ?5)"
            }
            Some(_) => {
                "UPDATE users SET client_user_id = ?3, created_on = ?4, document = ?5
                WHERE team_id = ?1 AND user_id = ?2 AND document IS DISTINCT FROM ?5"
            }
        };
        let row = params![
            team.as_bytes(),
            user.user_id.as_bytes(),
            user.client_user_id,
            created_on,
            encode(KIND, &user)?,
        ];
        match known {
            // Queries for other users stay valid.
            None => self.connection.execute_pipelined(sql, row)?,
            Some(_) => self.connection.execute(sql, row).map(drop)?,
        }
        let rank_key = |created_on| (created_on, *user.user_id.as_bytes());
        if known == Some(created_on) {
            return Ok(());
        }
        if let Some(before) = known {
            self.leave(team, rank_key(before))?;
        }
        self.enter(team, rank_key(created_on))
    }

    /// Deletes a user and all child rows. False if the team has no such user.
    ///
    /// A note records that the store's files may still hold traces of them, until a scrub:
    /// [`Store::forget`](crate::Store::forget) does both, and [`Store::scrub_deletions`](crate::Store::scrub_deletions)
    /// scrubs if there is a note.
    pub fn delete_user(&self, team: TeamId, user_id: Uuid) -> Result<bool, StoreError> {
        let sql = "DELETE FROM users WHERE team_id = ?1 AND user_id = ?2 RETURNING created_on";
        self.last_user.take();
        self.clear_prefetched();
        self.count_entered()?;
        self.delete_responses(team, user_id)?;
        let created_on = self
            .connection
            .first(sql, params![team.as_bytes(), user_id.as_bytes()], |row| row.get(0))?;
        let Some(created_on) = created_on else {
            return Ok(false);
        };
        self.leave(team, (created_on, *user_id.as_bytes()))?;
        self.note_deletion()?;
        Ok(true)
    }

    /// The id of the user of a team that has the customer's own id.
    pub fn user_id_of_client(&self, team: TeamId, client_user_id: &str) -> Result<Option<Uuid>, StoreError> {
        let sql = "SELECT user_id FROM users WHERE team_id = ?1 AND client_user_id = ?2";
        let key = params![team.as_bytes(), client_user_id];
        self.connection.first(sql, key, id)
    }

    /// A user as [`TeamStore::user`](crate::TeamStore::user) returns them, such as for an entity tag.
    ///
    /// It shows connections that this transaction puts or deletes only after its end: the document is updated once.
    pub fn stored_user(&self, team: TeamId, user_id: Uuid) -> Result<Option<Encoded<User>>, StoreError> {
        one(self.connection, team, user_id)
    }

    /// Updates the documents of users whose connections changed.
    ///
    /// Once for each user at the end, for any number of connections.
    pub(crate) fn refresh_sources(&self) -> Result<(), StoreError> {
        self.clear_prefetched();
        let stale: Vec<_> = self.stale.take().into_iter().collect();
        for users in stale.chunks(TOGETHER) {
            let mut users = users.iter().copied();
            users
                .clone()
                .try_for_each(|(team, user_id)| self.prefetch_user(team, user_id))?;
            let known = users.try_fold(Vec::new(), |mut known, (team, user_id)| {
                // The change that made them stale may have been rolled back.
                if let Some(user) = self.user_with_available(team, user_id)? {
                    let user_row = self.require_user_row(team, user_id)?;
                    self.prefetch_connections(user_row)?;
                    known.push((user_row, user));
                }
                Ok::<_, StoreError>(known)
            })?;
            let mut known = known.into_iter();
            known.try_for_each(|(user_row, user)| self.refresh_sources_of(user_row, user))?;
        }
        Ok(())
    }

    fn refresh_sources_of(&self, user_row: UserRow, known: UserWithAvailable) -> Result<(), StoreError> {
        let UserWithAvailable { mut user, available } = known;
        let connections = self.connections_of(user_row)?;
        let now_available = Available::of(&connections);
        let sources: Vec<_> = connections.into_iter().map(source).collect();
        if user.connected_sources == sources && available.as_ref() == Some(&now_available) {
            return Ok(());
        }
        user.connected_sources = sources;
        // Nothing else of the row changes, so that no index does.
        self.connection.execute_pipelined(
            "UPDATE users SET document = ?2, available = ?3 WHERE id = ?1",
            params![user_row, encode(KIND, &user)?, now_available.encode()?],
        )?;
        Ok(())
    }

    /// A user. Fails if there is none.
    pub(crate) fn require_user(&self, team: TeamId, user_id: Uuid) -> Result<User, StoreError> {
        let known = self.user_with_available(team, user_id)?;
        known
            .map(|known| known.user)
            .ok_or(StoreError::Missing { what: "user" })
    }

    fn client_user_id_is_taken(&self, team: TeamId, user: &User) -> Result<bool, StoreError> {
        let params = params![team.as_bytes(), user.client_user_id, user.user_id.as_bytes()];
        self.connection.one(IS_TAKEN, params, |row| row.get(0))
    }

    /// Prefetches the rows that [`Self::put_user`] needs.
    pub(crate) fn prefetch_put_user(&self, team: TeamId, user: &User) -> Result<(), StoreError> {
        let (team, user_id) = (team.as_bytes(), user.user_id.as_bytes());
        self.connection
            .prefetch(IS_TAKEN, params![team, user.client_user_id, user_id])?;
        self.connection.prefetch(CREATED, params![team, user_id])
    }
}
