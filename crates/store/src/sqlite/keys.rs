//! Keys and link tokens, known by their hashes alone.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Params, params};
use sha2::{Digest, Sha256};

use super::document::{id, instant};
use super::error::missing;
use super::{Engine, Writer};
use crate::{OrganisationId, StoreError, TeamId};

const TAKEN: StoreError = StoreError::Conflict {
    what: "the key or token belongs to somebody else",
};

/// A random key needs no salt and no slow hash: there is nothing to guess it from.
/// Looking up its hash also tells nothing by the time that it takes.
fn hash(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

impl Engine {
    pub(crate) fn team_of_key(&self, key: &str) -> Result<Option<TeamId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT team_id FROM team_keys WHERE hash = ?1 AND NOT revoked";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row([hash(key)], id).optional()?.map(TeamId::new))
        })
    }

    pub(crate) fn organisation_of_key(&self, key: &str) -> Result<Option<OrganisationId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT organisation_id FROM management_keys WHERE hash = ?1 AND NOT revoked";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement
                .query_row([hash(key)], |row| row.get::<_, String>(0))
                .optional()?;
            Ok(found.map(OrganisationId::new))
        })
    }

    pub(crate) fn team_of_link_token(&self, token: &str, now: DateTime<Utc>) -> Result<Option<TeamId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT team_id FROM link_tokens WHERE hash = ?1 AND expires > ?2";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement
                .query_row(params![hash(token), instant(now)], id)
                .optional()?
                .map(TeamId::new))
        })
    }
}

impl Writer<'_> {
    /// Writes a credential of somebody, whose absence is an error; one that is somebody else's is left alone.
    fn claim(&self, sql: &str, params: impl Params, owner: &'static str) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        match statement.execute(params).map_err(missing(owner))? {
            0 => Err(TAKEN),
            _ => Ok(()),
        }
    }

    pub(crate) fn put_team_key(&self, team: TeamId, key: &str) -> Result<(), StoreError> {
        // Setting the owner to itself changes nothing, and tells a key that is there from one that is somebody else's.
        let sql = "INSERT INTO team_keys (hash, team_id) VALUES (?1, ?2)
            ON CONFLICT (hash) DO UPDATE SET team_id = excluded.team_id WHERE team_id = excluded.team_id";
        let params = params![hash(key), team.as_bytes()];
        self.claim(sql, params, "team")
    }

    pub(crate) fn put_management_key(&self, organisation: &OrganisationId, key: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO management_keys (hash, organisation_id) VALUES (?1, ?2)
            ON CONFLICT (hash) DO UPDATE SET organisation_id = excluded.organisation_id
            WHERE organisation_id = excluded.organisation_id";
        let params = params![hash(key), organisation.as_str()];
        self.claim(sql, params, "organisation")
    }

    pub(crate) fn revoke_key(&self, key: &str) -> Result<bool, StoreError> {
        let mut found = 0;
        for sql in [
            "UPDATE team_keys SET revoked = 1 WHERE hash = ?1",
            "UPDATE management_keys SET revoked = 1 WHERE hash = ?1",
        ] {
            found += self.connection.prepare_cached(sql)?.execute([hash(key)])?;
        }
        Ok(found > 0)
    }

    pub(crate) fn put_link_token(&self, team: TeamId, token: &str, expires: DateTime<Utc>) -> Result<(), StoreError> {
        let sql = "INSERT INTO link_tokens (hash, team_id, expires) VALUES (?1, ?2, ?3)
            ON CONFLICT (hash) DO UPDATE SET expires = excluded.expires WHERE team_id = excluded.team_id";
        let params = params![hash(token), team.as_bytes(), instant(expires)];
        self.claim(sql, params, "team")
    }
}
