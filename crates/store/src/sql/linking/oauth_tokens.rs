//! Tokens of connections, and the leases of their refreshes.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, ConnectionError, ConnectionStatus};

use crate::seal::Seal;
use crate::sql::admin::sealing::open;
use crate::sql::connection::Connection;
use crate::sql::document::{decode, encode, instant, rows};
use crate::sql::value::{Row, params};
use crate::sql::{Reader, Transaction};
use crate::{
    Arrival, ConnectionFailed, ConnectionId, ConnectionTokens, Ingestion, LinkedConnection, OAuthTokens,
    OrganisationId, StoreError, TeamId,
};
use wearlab_ingest::payload;

const KIND: &str = "tokens";
/// Name in errors.
const TOKENS: &str = "tokens of providers";

const COLUMNS: &str = "SELECT oauth_tokens.grant_id, oauth_tokens.document, oauth_tokens.connection,
    oauth_tokens.version, oauth_tokens.refreshing_until, oauth_tokens.failures, oauth_tokens.uncertain,
    teams.organisation_id, teams.team_id, users.user_id, connections.slug, connections.document,
    oauth_tokens.refresh_due, provider_users.provider_user_id
    FROM oauth_tokens
    JOIN connections ON connections.id = oauth_tokens.connection
    JOIN users ON users.id = connections.user_row
    JOIN teams ON teams.team_id = users.team_id
    LEFT JOIN provider_users ON provider_users.connection = connections.id";

fn linked(seal: &Seal, row: &Row<'_>) -> Result<LinkedConnection, StoreError> {
    let connection: ConnectedProvider = decode("connection", &row.get::<String>(11)?)?;
    Ok(LinkedConnection {
        id: ConnectionId(row.get(2)?),
        organisation: OrganisationId::new(row.get::<String>(7)?),
        team: TeamId::new(Uuid::from_bytes(row.get(8)?)),
        user_id: Uuid::from_bytes(row.get(9)?),
        provider: row.get(10)?,
        status: connection.status,
        tokens: open(KIND, seal, row)?,
        refreshing_until: row.get::<Option<i64>>(4)?.map(DateTime::from_timestamp_nanos),
        refresh_due: row.get::<Option<i64>>(12)?.map(DateTime::from_timestamp_nanos),
        failures: row.get(5)?,
        provider_user_id: row.get(13)?,
        grant_id: row.get(0)?,
        version: row.get(3)?,
        uncertain: row.get(6)?,
    })
}

fn of_connection(
    connection: &Connection<'_>,
    seal: &Seal,
    id: ConnectionId,
) -> Result<Option<LinkedConnection>, StoreError> {
    let sql = format!("{COLUMNS} WHERE oauth_tokens.connection = ?1");
    connection.first(&sql, params![id.0], |row| linked(seal, row))
}

impl Reader<'_> {
    /// Reads the tokens of a connection. None if the team has no such user, or the user no such connection.
    pub(crate) fn connection_tokens(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
    ) -> Result<Option<ConnectionTokens>, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(None);
        };
        let sql = "SELECT id, document FROM connections WHERE user_row = ?1 AND slug = ?2";
        let key = params![user_row, slug];
        let found = self.connection.first(sql, key, |row| {
            Ok::<_, StoreError>((ConnectionId(row.get(0)?), row.get::<String>(1)?))
        })?;
        let Some((id, document)) = found else {
            return Ok(None);
        };
        Ok(Some(match of_connection(self.connection, self.seal, id)? {
            Some(linked) => ConnectionTokens::Linked(Box::new(linked)),
            None => {
                let connection: ConnectedProvider = decode("connection", &document)?;
                ConnectionTokens::None(connection.status)
            }
        }))
    }

    /// The connections whose tokens are due for a refresh at a time, without a lease, longest due
    /// first.
    pub(crate) fn due_refreshes(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<ConnectionId>, StoreError> {
        let sql = "SELECT connection FROM oauth_tokens WHERE refresh_due <= ?1
            AND (refreshing_until IS NULL OR refreshing_until <= ?1) ORDER BY refresh_due LIMIT ?2";
        self.connection.all(sql, params![instant(now), rows(limit)], |row| {
            row.get(0).map(ConnectionId)
        })
    }
}

impl Transaction<'_> {
    /// The tokens of the connections of a user, or of one of them, such as to revoke them.
    pub fn linked_connections(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: Option<&str>,
    ) -> Result<Vec<LinkedConnection>, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(Vec::new());
        };
        let sql = format!("{COLUMNS} WHERE connections.user_row = ?1 AND (connections.slug = ?2 OR ?2 IS NULL)");
        self.connection
            .all(&sql, params![user_row, slug], |row| linked(self.seal, row))
    }

    /// Puts the tokens of a connection, in place of those of an earlier link, and restarts the tasks of its connector.
    /// `grant_id` is a new random id.
    pub fn put_tokens(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
        tokens: &OAuthTokens,
        refresh_due: Option<DateTime<Utc>>,
        grant_id: Uuid,
    ) -> Result<(), StoreError> {
        let user_row = self.require_user_row(team, user_id)?;
        let sql = "SELECT id, created_on FROM connections WHERE user_row = ?1 AND slug = ?2";
        let connection = self.connection.first(sql, params![user_row, slug], |row| {
            Ok::<(i64, i64), StoreError>((row.get(0)?, row.get(1)?))
        })?;
        let what = "connection between the user and the provider";
        let (connection, created_on) = connection.ok_or(StoreError::Missing { what })?;
        let grant_id = grant_id.into_bytes();
        let sql = "INSERT INTO oauth_tokens
            (connection, grant_id, version, expires, refresh_due, failures, uncertain, document)
            VALUES (?1, ?2, 0, ?3, ?4, 0, 0, ?5)
            ON CONFLICT (connection) DO UPDATE SET grant_id = excluded.grant_id, version = 0,
                expires = excluded.expires, refresh_due = excluded.refresh_due, refreshing_until = NULL, failures = 0,
                uncertain = 0, document = excluded.document";
        let params = params![
            connection,
            grant_id,
            tokens.expires_at.map(instant),
            refresh_due.map(instant),
            self.seal.close_required(TOKENS, &grant_id, encode(KIND, tokens)?)?,
        ];
        self.connection.execute(sql, params)?;
        self.restart_pull_tasks(connection, team, slug, DateTime::from_timestamp_nanos(created_on))
    }

    /// Schedules a refresh of the tokens of all connections of an organisation to a provider, such as after its
    /// settings have changed.
    pub fn schedule_refreshes(
        &self,
        organisation: &OrganisationId,
        slug: &str,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE oauth_tokens SET refresh_due = ?3 WHERE connection IN (SELECT connections.id FROM connections
            JOIN users ON users.id = connections.user_row
            JOIN teams ON teams.team_id = users.team_id
            WHERE connections.slug = ?2 AND teams.organisation_id = ?1)";
        let params = params![organisation.as_str(), slug, instant(now)];
        self.connection.execute(sql, params)?;
        Ok(())
    }

    /// Takes the refresh lease of the tokens of a connection, until a time. None if the tokens are gone, another
    /// process has the lease, or, with `if_due`, it is too early.
    ///
    /// A previous holder that did not release the lease in time may have got new tokens, and lost them.
    pub fn lease_refresh(
        &self,
        id: ConnectionId,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        if_due: bool,
    ) -> Result<Option<LinkedConnection>, StoreError> {
        let Some(mut linked) = of_connection(self.connection, self.seal, id)? else {
            return Ok(None);
        };
        // Before the request to a provider: it may end the earlier tokens when it issues new ones.
        self.seal.require_key(TOKENS)?;
        if linked.refreshing_until.is_some_and(|until| until > now) {
            return Ok(None);
        }
        let sql = "UPDATE oauth_tokens SET refreshing_until = ?2, uncertain = ?3
            WHERE connection = ?1 AND (?4 = 0 OR refresh_due <= ?5)";
        linked.uncertain |= linked.refreshing_until.is_some();
        let params = params![
            id.0,
            instant(until),
            u32::from(linked.uncertain),
            u32::from(if_due),
            instant(now)
        ];
        if self.connection.execute(sql, params)? == 0 {
            return Ok(None);
        }
        linked.refreshing_until = Some(until);
        Ok(Some(linked))
    }

    /// Puts the tokens of a refresh, and restores a connection that has failed meanwhile. False if the tokens were
    /// replaced or deleted.
    pub fn save_refreshed(
        &self,
        linked: &LinkedConnection,
        tokens: &OAuthTokens,
        refresh_due: Option<DateTime<Utc>>,
        ingestion: &Ingestion,
    ) -> Result<bool, StoreError> {
        let sql =
            "UPDATE oauth_tokens SET version = version + 1, expires = ?4, refresh_due = ?5, refreshing_until = NULL,
                failures = 0, uncertain = 0, document = ?6
            WHERE connection = ?1 AND grant_id = ?2 AND version = ?3";
        let params = params![
            linked.id.0,
            linked.grant_id,
            linked.version,
            tokens.expires_at.map(instant),
            refresh_due.map(instant),
            self.seal
                .close_required(TOKENS, &linked.grant_id, encode(KIND, tokens)?)?,
        ];
        if self.connection.execute(sql, params)? == 0 {
            return Ok(false);
        }
        let mut connection = self.require_connection(linked.team, linked.user_id, &linked.provider)?;
        if connection.status == ConnectionStatus::Error {
            connection.status = ConnectionStatus::Connected;
            connection.error_details = None;
            self.put_connection(linked.team, linked.user_id, &connection)?;
            let with_source = ingestion.forms.connection_source.holds(ingestion.now);
            self.log(linked.team, linked.user_id, ingestion, |envelope| {
                Ok(payload::connection_created(envelope, &connection, with_source))
            })?;
        }
        Ok(true)
    }

    /// Releases the refresh lease after a transient failure. `uncertain`: they may have been refreshed.
    pub fn put_off_refresh(
        &self,
        linked: &LinkedConnection,
        refresh_due: DateTime<Utc>,
        uncertain: bool,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE oauth_tokens SET refreshing_until = NULL, refresh_due = ?4, failures = failures + 1,
                uncertain = ?5
            WHERE connection = ?1 AND grant_id = ?2 AND version = ?3";
        let params = params![
            linked.id.0,
            linked.grant_id,
            linked.version,
            instant(refresh_due),
            u32::from(uncertain || linked.uncertain),
        ];
        self.connection.execute(sql, params)?;
        Ok(())
    }

    /// Deletes tokens that the provider no longer accepts: their connection has failed, until the user links it again.
    /// False if the tokens were replaced or deleted.
    pub fn refuse_refresh(
        &self,
        linked: &LinkedConnection,
        error: ConnectionError,
        ingestion: &Ingestion,
    ) -> Result<bool, StoreError> {
        let sql = "DELETE FROM oauth_tokens WHERE connection = ?1 AND grant_id = ?2 AND version = ?3";
        let params = params![linked.id.0, linked.grant_id, linked.version];
        if self.connection.execute(sql, params)? == 0 {
            return Ok(false);
        }
        self.fail_connection(linked.team, linked.user_id, &linked.provider, error, ingestion)?;
        Ok(true)
    }

    /// Marks a connection as failed, like an arrival with that status.
    pub fn fail_connection(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
        error: ConnectionError,
        ingestion: &Ingestion,
    ) -> Result<(), StoreError> {
        let failed = Arrival::ConnectionFailed(ConnectionFailed {
            team_id: team.uuid(),
            user_id,
            provider: slug.to_owned(),
            error_details: error,
            arrival_id: None,
        });
        let what = "the failure cannot be ingested";
        let failed = failed.try_into().map_err(|_| StoreError::Conflict { what })?;
        self.ingest(&failed, ingestion).map(drop)
    }
}
