//! Authorization requests of users at a provider's consent page.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use wearlab_models::ConnectedProvider;

use crate::sql::admin::sealing::open;
use crate::sql::connection::missing;
use crate::sql::document::{decode, encode, instant, rows};
use crate::sql::value::{Row, params};
use crate::sql::{Reader, Transaction};
use crate::{
    Arrival, AuthorizationId, ConnectionMade, Ingestion, KeyHash, NewAuthorization, OAuthTokens, OrganisationId,
    PendingAuthorization, Returned, StoreError, TeamId,
};

const KIND: &str = "authorization request";

/// Maximum number of open requests of one link token. Beyond it, the oldest request is deleted.
const MOST: u32 = 20;

const COLUMNS: &str = "SELECT authorization_requests.id, authorization_requests.document, teams.organisation_id,
    teams.team_id, users.user_id, authorization_requests.provider, link_tokens.document,
    authorization_requests.session, authorization_requests.exchanging_since
    FROM authorization_requests
    JOIN link_tokens ON link_tokens.hash = authorization_requests.link_token
    JOIN users ON users.id = link_tokens.user_row
    JOIN teams ON teams.team_id = link_tokens.team_id";

impl AuthorizationId {
    /// The id of the request of a state, which is random: there is nothing to guess it from.
    fn of(state: &str) -> Self {
        let mut id = [0; 16];
        id.copy_from_slice(&KeyHash::of(state).as_bytes()[..16]);
        Self(id)
    }
}

/// A request as its row has it.
struct Found {
    pending: PendingAuthorization,
    session: Option<[u8; 32]>,
    exchanging: bool,
}

impl Transaction<'_> {
    /// Puts an authorization request, whose state must be new and random.
    pub fn put_authorization_request(&self, new: &NewAuthorization<'_>) -> Result<(), StoreError> {
        let sql = "DELETE FROM authorization_requests WHERE id IN (SELECT id FROM authorization_requests
            WHERE link_token = ?1 AND exchanging_since IS NULL ORDER BY expires DESC LIMIT ?2 OFFSET ?3)";
        let link_token = new.link_token.as_bytes();
        let params = params![link_token, rows(usize::MAX), MOST - 1];
        self.connection.execute(sql, params)?;
        let sql = "INSERT INTO authorization_requests (id, link_token, provider, session, expires, document)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let id = AuthorizationId::of(new.state);
        let session = new.session.map(KeyHash::of);
        let params = params![
            id.0,
            link_token,
            new.provider,
            session.as_ref().map(|hash| hash.as_bytes()),
            instant(new.expires),
            self.seal
                .close_required("tokens of providers", &id.0, encode(KIND, new.secrets)?)?,
        ];
        self.connection.execute(sql, params).map_err(missing("link token"))?;
        Ok(())
    }

    /// Takes the authorization request of a state, for the one exchange of its code: only the first caller gets it.
    /// `session` is that of the user's browser.
    pub fn return_from_provider(
        &self,
        state: &str,
        session: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<Returned, StoreError> {
        let id = AuthorizationId::of(state);
        let sql = format!("{COLUMNS} WHERE authorization_requests.id = ?1 AND authorization_requests.expires > ?2");
        let found = self
            .connection
            .first(&sql, params![id.0, instant(now)], |row| self.found(row))?;
        let Some(found) = found else {
            return Ok(Returned::Unknown);
        };
        let session = session.map(KeyHash::of);
        if found.session.is_some() && found.session.as_ref() != session.as_ref().map(KeyHash::as_bytes) {
            // The state was passed on to another browser. An exchange in progress ends by itself.
            if !found.exchanging {
                self.end_authorization(id)?;
            }
            return Ok(Returned::OtherBrowser);
        }
        if found.exchanging {
            return Ok(Returned::Again(Box::new(found.pending)));
        }
        let sql = "UPDATE authorization_requests SET exchanging_since = ?2 WHERE id = ?1";
        self.connection.execute(sql, params![id.0, instant(now)])?;
        Ok(Returned::First(Box::new(found.pending)))
    }

    /// Deletes an authorization request. False if it is gone, such as with its link token or its user.
    pub fn end_authorization(&self, id: AuthorizationId) -> Result<bool, StoreError> {
        let sql = "DELETE FROM authorization_requests WHERE id = ?1";
        Ok(self.connection.execute(sql, params![id.0])? > 0)
    }

    /// Puts a linked connection with its tokens, ends the request, and logs the
    /// event. False if the request is gone; then nothing is put.
    pub fn link(
        &self,
        pending: &PendingAuthorization,
        connection: ConnectedProvider,
        tokens: &OAuthTokens,
        refresh_due: Option<DateTime<Utc>>,
        ingestion: &Ingestion,
    ) -> Result<bool, StoreError> {
        if !self.end_authorization(pending.id)? {
            return Ok(false);
        }
        let made = Arrival::ConnectionMade(ConnectionMade {
            team_id: pending.team.uuid(),
            user_id: pending.user_id,
            provider: connection,
            arrival_id: None,
        });
        let what = "the connection cannot be ingested";
        let made = made.try_into().map_err(|_| StoreError::Conflict { what })?;
        self.ingest(&made, ingestion)?;
        self.put_tokens(
            pending.team,
            pending.user_id,
            &pending.provider,
            tokens,
            refresh_due,
            (ingestion.fresh_id)(),
        )?;
        Ok(true)
    }

    /// The requests whose codes were sent to a provider at a time or before, and whose exchange has not ended: its
    /// process has ended.
    pub fn interrupted_authorizations(&self, before: DateTime<Utc>) -> Result<Vec<PendingAuthorization>, StoreError> {
        let sql = format!("{COLUMNS} WHERE authorization_requests.exchanging_since <= ?1");
        let found = self
            .connection
            .all(&sql, params![instant(before)], |row| self.found(row))?;
        Ok(found.into_iter().map(|found| found.pending).collect())
    }

    fn found(&self, row: &Row<'_>) -> Result<Found, StoreError> {
        let options: Option<String> = row.get(6)?;
        let pending = PendingAuthorization {
            id: AuthorizationId(row.get(0)?),
            organisation: OrganisationId::new(row.get::<String>(2)?),
            team: TeamId::new(Uuid::from_bytes(row.get(3)?)),
            user_id: Uuid::from_bytes(row.get(4)?),
            provider: row.get(5)?,
            options: options
                .map(|text| decode("link token", &text))
                .transpose()?
                .unwrap_or_default(),
            secrets: open(KIND, self.seal, row)?,
        };
        Ok(Found {
            pending,
            session: row.get(7)?,
            exchanging: row.get::<Option<i64>>(8)?.is_some(),
        })
    }
}

impl Reader<'_> {
    /// The organisation of the authorization request of a state. None for an unknown state.
    pub(crate) fn organisation_of_state(&self, state: &str) -> Result<Option<OrganisationId>, StoreError> {
        let sql = "SELECT teams.organisation_id FROM authorization_requests
            JOIN link_tokens ON link_tokens.hash = authorization_requests.link_token
            JOIN teams ON teams.team_id = link_tokens.team_id
            WHERE authorization_requests.id = ?1";
        let id = AuthorizationId::of(state);
        self.connection.first(sql, params![id.0], |row| {
            Ok::<_, StoreError>(OrganisationId::new(row.get::<String>(0)?))
        })
    }

    /// Returns whether the exchange of a code began at a time or before, and has not ended.
    pub(crate) fn has_interrupted_authorizations(&self, before: DateTime<Utc>) -> Result<bool, StoreError> {
        let sql = "SELECT min(exchanging_since) FROM authorization_requests WHERE exchanging_since IS NOT NULL";
        let oldest: Option<i64> = self.connection.one(sql, params![], |row| row.get(0))?;
        Ok(oldest.is_some_and(|oldest| oldest <= instant(before)))
    }
}
