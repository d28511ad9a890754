//! Idempotency keys and stored responses, for a day.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::sql::Transaction;
use crate::sql::document::instant;
use crate::sql::value::params;
use crate::{IdempotencyOutcome, IdempotentRequest, StoreError, TeamId};

/// Time for which responses are stored.
const KEPT: TimeDelta = TimeDelta::hours(24);

/// Returns the time up to which responses are expired.
fn expiry(now: DateTime<Utc>) -> i64 {
    instant(now - KEPT)
}

impl Transaction<'_> {
    /// Looks up a request of the last 24 hours.
    pub fn repeat(&self, request: &IdempotentRequest, now: DateTime<Utc>) -> Result<IdempotencyOutcome, StoreError> {
        let sql = "SELECT content_hash, kept_on, response FROM repeatable_requests WHERE request_hash = ?1";
        let key = params![request.id()];
        let found = self.connection.first(sql, key, |row| {
            Ok((row.get::<[u8; 32]>(0)?, row.get::<i64>(1)?, row.get::<Vec<u8>>(2)?))
        })?;
        let Some((content, kept_on, response)) = found else {
            // Treated as absent, it would be executed twice.
            return Ok(IdempotencyOutcome::First);
        };
        if kept_on <= expiry(now) {
            return Ok(IdempotencyOutcome::First);
        }
        match content == *request.content() {
            false => Ok(IdempotencyOutcome::Other),
            true if response.is_empty() => Ok(IdempotencyOutcome::Deleted),
            true => request.open(&response).map(IdempotencyOutcome::Again),
        }
    }

    /// Stores the response to a request for 24 hours, encrypted, in place of an older one. The request must be the
    /// [first](IdempotencyOutcome::First). A response about a user is deleted with them.
    pub fn keep_response(
        &self,
        request: &IdempotentRequest,
        response: &str,
        user: Option<(TeamId, Uuid)>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO repeatable_requests (request_hash, content_hash, kept_on, response, user_row)
            VALUES (?1, ?2, ?3, ?4, ?6)
            ON CONFLICT (request_hash) DO UPDATE SET content_hash = excluded.content_hash,
                kept_on = excluded.kept_on, response = excluded.response, user_row = excluded.user_row
            WHERE repeatable_requests.kept_on <= ?5";
        let sealed = request.close(response)?;
        let user_row = match user {
            Some((team, user_id)) => self.user_row(team, user_id)?,
            None => None,
        };
        let params = params![
            request.id(),
            request.content(),
            instant(now),
            sealed.as_slice(),
            expiry(now),
            user_row,
        ];
        match self.connection.execute(sql, params)? {
            0 => Err(StoreError::Conflict {
                what: "the request has a response already",
            }),
            _ => Ok(()),
        }
    }

    /// Deletes the responses about a user of a team, before the user. Their requests stay, so that a repeat is not
    /// treated as a first request.
    pub(crate) fn delete_responses(&self, team: TeamId, user_id: Uuid) -> Result<(), StoreError> {
        let sql = "UPDATE repeatable_requests SET response = ?3
            WHERE user_row = (SELECT id FROM users WHERE team_id = ?1 AND user_id = ?2)";
        let nothing: &[u8] = &[];
        self.connection
            .execute(sql, params![team.as_bytes(), user_id.as_bytes(), nothing])?;
        Ok(())
    }

    /// Deletes the requests with responses older than 24 hours, and returns their number.
    pub fn delete_idempotency_keys(&self, now: DateTime<Utc>) -> Result<usize, StoreError> {
        let sql = "DELETE FROM repeatable_requests WHERE kept_on <= ?1";
        Ok(self.connection.execute(sql, params![expiry(now)])?)
    }
}
