//! The connections of all users of an organisation.

use uuid::Uuid;
use wearlab_models::ConnectedProvider;

use crate::sql::Reader;
use crate::sql::document::{decode, rows};
use crate::sql::value::{Params, params};
use crate::{ConnectionFilter, ConnectionPage, ListedConnection, OrganisationId, StoreError};

/// Maximum number of connections that a page reads, including those of other organisations between them.
const WINDOW: usize = 4_000;

impl Reader<'_> {
    /// A page of the connections of an organisation, in the order in which they were first created.
    pub(crate) fn connections_of_organisation(
        &self,
        organisation: &OrganisationId,
        filter: &ConnectionFilter<'_>,
        limit: usize,
    ) -> Result<ConnectionPage, StoreError> {
        if let Some(provider_user_id) = filter.provider_user_id {
            return self.connections_of_account(organisation, filter, provider_user_id, limit);
        }
        let after = filter.after.unwrap_or(i64::MIN);
        let sql = "SELECT id FROM connections WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2";
        let end: Option<i64> = self
            .connection
            .first(sql, params![after, rows(WINDOW - 1)], |row| row.get(0))?;
        let sql = "SELECT connections.id, users.team_id, users.user_id, connections.document,
                provider_users.provider_user_id
            FROM connections
            JOIN users ON users.id = connections.user_row
            JOIN teams ON teams.team_id = users.team_id
            LEFT JOIN provider_users ON provider_users.connection = connections.id
            WHERE connections.id > ?1 AND connections.id <= ?2 AND teams.organisation_id = ?3
                AND (connections.slug = ?4 OR ?4 IS NULL) AND (users.team_id = ?5 OR ?5 IS NULL)
            ORDER BY connections.id";
        let params = params![
            after,
            end.unwrap_or(i64::MAX),
            organisation.as_str(),
            filter.provider,
            filter.team_id.as_ref().map(|id| id.as_bytes()),
        ];
        let (page, more) = self.listed(sql, params, filter, limit)?;
        let next = if more { page.next } else { end };
        Ok(ConnectionPage { next, ..page })
    }

    /// A page of the connections of an account at a provider, by an index.
    fn connections_of_account(
        &self,
        organisation: &OrganisationId,
        filter: &ConnectionFilter<'_>,
        provider_user_id: &str,
        limit: usize,
    ) -> Result<ConnectionPage, StoreError> {
        let sql = "SELECT connections.id, users.team_id, users.user_id, connections.document,
                provider_users.provider_user_id
            FROM provider_users
            JOIN connections ON connections.id = provider_users.connection
            JOIN users ON users.id = connections.user_row
            JOIN teams ON teams.team_id = users.team_id
            WHERE provider_users.provider_user_id = ?1 AND provider_users.connection > ?2
                AND teams.organisation_id = ?3
                AND (provider_users.provider = ?4 OR ?4 IS NULL) AND (users.team_id = ?5 OR ?5 IS NULL)
            ORDER BY provider_users.connection";
        let params = params![
            provider_user_id,
            filter.after.unwrap_or(i64::MIN),
            organisation.as_str(),
            filter.provider,
            filter.team_id.as_ref().map(|id| id.as_bytes()),
        ];
        let (page, more) = self.listed(sql, params, filter, limit)?;
        let next = page.next.filter(|_| more);
        Ok(ConnectionPage { next, ..page })
    }

    /// The connections of a statement with the status of a filter, up to the limit, with the last of them
    /// as the next position, and whether there are more.
    fn listed(
        &self,
        sql: &str,
        params: Params<'_>,
        filter: &ConnectionFilter<'_>,
        limit: usize,
    ) -> Result<(ConnectionPage, bool), StoreError> {
        let (mut connections, mut last, mut more) = (Vec::new(), None, false);
        self.connection.each(sql, params, |row| {
            let connection: ConnectedProvider = decode("connection", &row.get::<String>(3)?)?;
            if filter.status.is_some_and(|status| *status != connection.status) {
                return Ok::<_, StoreError>(std::ops::ControlFlow::Continue(()));
            }
            if connections.len() == limit {
                more = true;
                return Ok(std::ops::ControlFlow::Break(()));
            }
            last = Some(row.get(0)?);
            connections.push(ListedConnection {
                team_id: Uuid::from_bytes(row.get(1)?),
                user_id: Uuid::from_bytes(row.get(2)?),
                connection,
                provider_user_id: row.get(4)?,
            });
            Ok(std::ops::ControlFlow::Continue(()))
        })?;
        let page = ConnectionPage {
            connections,
            next: last,
        };
        Ok((page, more))
    }
}
