//! Connections between users and providers, and the sources of a user that follow from them.

use crate::sql::value::{Params, params};
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, ConnectedSource, Encoded, Provider};

use crate::sql::connection::{Connection, Failure, missing};
use crate::sql::document::{decode, encode, instant, of_user};
use crate::sql::users::row::UserRow;
use crate::sql::{Reader, Transaction};
use crate::{StoreError, TeamId};

const KIND: &str = "connection";
const FIND: &str = "SELECT document FROM connections WHERE user_row = ?1 AND slug = ?2";
const ALL: &str = "SELECT document FROM connections WHERE user_row = ?1 ORDER BY created_on, slug";

impl Reader<'_> {
    /// The connection of a user with a provider.
    pub(crate) fn connection(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
    ) -> Result<Option<ConnectedProvider>, StoreError> {
        let user_row = self.user_row(team, user_id)?;
        user_row.map_or(Ok(None), |row| of_provider(self.connection, row, slug))
    }

    pub(crate) fn connections(
        &self,
        team: TeamId,
        user_id: Uuid,
    ) -> Result<Option<Vec<Encoded<ConnectedProvider>>>, StoreError> {
        stored(self.connection, team, user_id)
    }
}

/// The stored connections of a user, oldest first. None if the team has no such user.
fn stored(
    connection: &Connection<'_>,
    team: TeamId,
    user_id: Uuid,
) -> Result<Option<Vec<Encoded<ConnectedProvider>>>, StoreError> {
    let sql = "SELECT connections.document FROM users
        LEFT JOIN connections ON connections.user_row = users.id
        WHERE users.team_id = ?1 AND users.user_id = ?2
        ORDER BY connections.created_on, connections.slug";
    of_user(connection, sql, team, user_id, &[])
}

fn of_provider(
    connection: &Connection<'_>,
    user_row: UserRow,
    slug: &str,
) -> Result<Option<ConnectedProvider>, StoreError> {
    let text: Option<String> = connection.first(FIND, params![user_row, slug], |row| row.get(0))?;
    text.map(|text| decode(KIND, &text)).transpose()
}

/// Maximum number of connections that arrivals may create for a user: each read of the user has all of them.
const MAX_CONNECTIONS: i64 = 200;

impl Transaction<'_> {
    /// The connections of a user, oldest first and then by slug. None if the team has no such user.
    pub fn stored_connections(
        &self,
        team: TeamId,
        user_id: Uuid,
    ) -> Result<Option<Vec<Encoded<ConnectedProvider>>>, StoreError> {
        stored(self.connection, team, user_id)
    }

    /// Puts a connection of a user, one for each provider, and keeps the user's `connected_sources` in step.
    pub fn put_connection(
        &self,
        team: TeamId,
        user_id: Uuid,
        connection: &ConnectedProvider,
    ) -> Result<(), StoreError> {
        let changed = self.write_connection(team, user_id, connection, |insert, update, row| {
            self.connection.insert_or_update(insert, update, row)
        })?;
        if changed > 0 {
            self.stale.borrow_mut().insert((team, user_id));
        }
        Ok(())
    }

    /// Pipelined variant of [`Self::put_connection`], which does not return whether it changes anything.
    pub(crate) fn put_connection_later(
        &self,
        team: TeamId,
        user_id: Uuid,
        connection: &ConnectedProvider,
    ) -> Result<(), StoreError> {
        let may_have_changed = self.write_connection(team, user_id, connection, |insert, update, row| {
            self.connection.insert_or_update_pipelined(insert, update, row)
        })?;
        if may_have_changed {
            self.stale.borrow_mut().insert((team, user_id));
        }
        Ok(())
    }

    /// Checks that a user may have another connection, with this provider.
    pub(crate) fn check_connection_count(&self, user_row: UserRow, slug: &str) -> Result<(), StoreError> {
        let others = "SELECT count(*) FROM connections WHERE user_row = ?1 AND slug <> ?2";
        self.check_count(others, params![user_row, slug], MAX_CONNECTIONS, |most| {
            StoreError::Refused {
                field: "provider.slug".into(),
                reason: format!("a user has connections with at most {most} providers"),
            }
        })
    }

    fn write_connection<T>(
        &self,
        team: TeamId,
        user_id: Uuid,
        connection: &ConnectedProvider,
        write: impl FnOnce(&str, &str, Params<'_>) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        // After any change, it differs from the arrival that created it.
        let insert = "INSERT INTO connections (user_row, slug, created_on, document) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (user_row, slug) DO NOTHING";
        let update = "UPDATE connections SET created_on = ?3, document = ?4, made = NULL
            WHERE user_row = ?1 AND slug = ?2 AND document IS DISTINCT FROM ?4";
        let row = params![
            self.require_user_row(team, user_id)?,
            connection.slug,
            instant(connection.created_on),
            encode(KIND, connection)?,
        ];
        write(insert, update, row).map_err(missing("user"))
    }

    /// The connection of a user with a provider.
    pub fn connection(&self, team: TeamId, user_id: Uuid, slug: &str) -> Result<Option<ConnectedProvider>, StoreError> {
        let user_row = self.user_row(team, user_id)?;
        user_row.map_or(Ok(None), |row| of_provider(self.connection, row, slug))
    }

    /// Prefetches the connection of a user with a provider.
    pub(crate) fn prefetch_connection(&self, user_row: UserRow, slug: &str) -> Result<(), StoreError> {
        self.connection.prefetch(FIND, params![user_row, slug])
    }

    /// Updates the details of an existing connection, without a change of its creation.
    pub(crate) fn note_connection(
        &self,
        team: TeamId,
        user_id: Uuid,
        connection: &ConnectedProvider,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE connections SET document = ?3 WHERE user_row = ?1 AND slug = ?2";
        let document = encode(KIND, connection)?;
        let params = params![self.require_user_row(team, user_id)?, connection.slug, document];
        Ok(self.connection.execute_pipelined(sql, params)?)
    }

    /// The hash of the arrival that created a connection, unless the connection has changed since.
    pub(crate) fn made(&self, team: TeamId, user_id: Uuid, slug: &str) -> Result<Option<[u8; 32]>, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(None);
        };
        let sql = "SELECT made FROM connections WHERE user_row = ?1 AND slug = ?2";
        let made = self.connection.first(sql, params![user_row, slug], |row| row.get(0));
        Ok(made?.flatten())
    }

    /// Records the arrival that created a connection.
    pub(crate) fn set_made(&self, team: TeamId, user_id: Uuid, slug: &str, hash: &[u8; 32]) -> Result<(), StoreError> {
        let sql = "UPDATE connections SET made = ?3 WHERE user_row = ?1 AND slug = ?2";
        let params = params![self.require_user_row(team, user_id)?, slug, hash];
        self.connection.execute(sql, params)?;
        Ok(())
    }

    /// Deletes a connection of a user, and keeps the user's `connected_sources` in step. False if there is none, or the
    /// team has no such user.
    pub fn delete_connection(&self, team: TeamId, user_id: Uuid, slug: &str) -> Result<bool, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(false);
        };
        let sql = "DELETE FROM connections WHERE user_row = ?1 AND slug = ?2";
        let found = self.connection.execute(sql, params![user_row, slug])? > 0;
        if found {
            self.stale.borrow_mut().insert((team, user_id));
        }
        Ok(found)
    }

    /// The connected sources of a user, oldest first.
    pub(crate) fn sources(&self, team: TeamId, user_id: Uuid) -> Result<Vec<ConnectedSource>, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(Vec::new());
        };
        let connections = self.connections_of(user_row)?;
        Ok(connections.into_iter().map(source).collect())
    }

    /// Prefetches the connections of a user.
    pub(crate) fn prefetch_connections(&self, user_row: UserRow) -> Result<(), StoreError> {
        self.connection.prefetch(ALL, params![user_row])
    }

    /// The connections of a user, oldest first.
    pub(crate) fn connections_of(&self, user_row: UserRow) -> Result<Vec<ConnectedProvider>, StoreError> {
        self.connection
            .all(ALL, params![user_row], |row| decode(KIND, &row.get::<String>(0)?))
    }
}

/// The source of a connection.
pub(crate) fn source(connection: ConnectedProvider) -> ConnectedSource {
    let provider = Provider::builder()
        .name(connection.name)
        .slug(connection.slug)
        .logo(connection.logo)
        .build();
    ConnectedSource::builder()
        .created_on(connection.created_on)
        .source(provider.clone())
        .provider(provider)
        .build()
}
