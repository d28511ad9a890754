//! Keys and link tokens, known by their hashes alone.

use chrono::{DateTime, Utc};
use rusqlite::types::Type;
use rusqlite::{OptionalExtension, Row, params};

use super::document::{id, instant};
use super::error::missing;
use super::{Engine, Writer};
use crate::{KeyHash, KeyInfo, KeyRecord, OrganisationId, StoreError, TeamId};

const TAKEN: StoreError = StoreError::Conflict {
    what: "the key or token belongs to somebody else",
};

impl Engine {
    pub(crate) fn team_of_key(&self, key: &str) -> Result<Option<TeamId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT team_id FROM keys WHERE hash = ?1 AND team_id IS NOT NULL AND revoked_on IS NULL";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_row([KeyHash::of(key).as_bytes()], id);
            Ok(found.optional()?.map(TeamId::new))
        })
    }

    pub(crate) fn organisation_of_key(&self, key: &str) -> Result<Option<OrganisationId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT organisation_id FROM keys
                WHERE hash = ?1 AND organisation_id IS NOT NULL AND revoked_on IS NULL";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_row([KeyHash::of(key).as_bytes()], |row| row.get::<_, String>(0));
            Ok(found.optional()?.map(OrganisationId::new))
        })
    }

    pub(crate) fn team_of_link_token(&self, token: &str, now: DateTime<Utc>) -> Result<Option<TeamId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT team_id FROM link_tokens WHERE hash = ?1 AND expires > ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_row(params![KeyHash::of(token).as_bytes(), instant(now)], id);
            Ok(found.optional()?.map(TeamId::new))
        })
    }

    pub(crate) fn keys(&self) -> Result<Vec<KeyInfo>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(ALL)?;
            let keys = statement.query_map([], info)?.collect::<rusqlite::Result<_>>()?;
            Ok(keys)
        })
    }
}

/// All keys, by owner and then by age.
pub(super) const ALL: &str = "SELECT hash, id, team_id, organisation_id, name, created_on, revoked_on FROM keys
    ORDER BY organisation_id, team_id, julianday(created_on), created_on, hash";

/// A row of [`ALL`].
pub(super) fn info(row: &Row<'_>) -> rusqlite::Result<KeyInfo> {
    // Times are kept as they were given, so that an export gives them back.
    let time = |column: usize| -> rusqlite::Result<_> {
        let Some(text) = row.get::<_, Option<String>>(column)? else {
            return Ok(None);
        };
        let failed = |error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error));
        text.parse().map(Some).map_err(failed)
    };
    Ok(KeyInfo {
        id: row.get(1)?,
        record: KeyRecord {
            team_id: row.get::<_, Option<[u8; 16]>>(2)?.map(uuid::Uuid::from_bytes),
            org_id: row.get(3)?,
            name: row.get(4)?,
            created_on: time(5)?,
            revoked_on: time(6)?,
            key: None,
            hash: Some(KeyHash::new(row.get(0)?)),
        },
    })
}

impl Writer<'_> {
    pub(crate) fn put_key(&self, key: &KeyRecord) -> Result<(), StoreError> {
        let hash = match (&key.key, key.hash) {
            (Some(key), None) => KeyHash::of(key.expose()),
            (None, Some(hash)) => hash,
            _ => {
                let what = "a key is given by `key` or by `hash`, one of the two";
                return Err(StoreError::Conflict { what });
            }
        };
        let owner = match (&key.team_id, &key.org_id) {
            (Some(_), None) => "team",
            (None, Some(_)) => "organisation",
            _ => {
                let what = "a key is of a team or of an organisation: `team_id` or `org_id`, one of the two";
                return Err(StoreError::Conflict { what });
            }
        };
        // A key never changes its owner, and a revoked key stays revoked.
        let sql = "INSERT INTO keys (hash, team_id, organisation_id, name, created_on, revoked_on)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (hash) DO UPDATE SET name = ifnull(excluded.name, name),
                created_on = ifnull(created_on, excluded.created_on),
                revoked_on = ifnull(revoked_on, excluded.revoked_on)
            WHERE team_id IS excluded.team_id AND organisation_id IS excluded.organisation_id";
        let params = params![
            hash.as_bytes(),
            key.team_id.as_ref().map(|id| id.as_bytes()),
            key.org_id,
            key.name,
            key.created_on.map(|time| time.to_rfc3339()),
            key.revoked_on.map(|time| time.to_rfc3339()),
        ];
        let mut statement = self.connection.prepare_cached(sql)?;
        match statement.execute(params).map_err(missing(owner))? {
            0 => Err(TAKEN),
            _ => Ok(()),
        }
    }

    pub(crate) fn revoke_key(&self, id: &str, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let sql = "UPDATE keys SET revoked_on = ifnull(revoked_on, ?2) WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.execute(params![id, now.fixed_offset().to_rfc3339()])? > 0)
    }

    pub(crate) fn put_link_token(&self, team: TeamId, token: &str, expires: DateTime<Utc>) -> Result<(), StoreError> {
        let sql = "INSERT INTO link_tokens (hash, team_id, expires) VALUES (?1, ?2, ?3)
            ON CONFLICT (hash) DO UPDATE SET expires = excluded.expires WHERE team_id = excluded.team_id";
        let hash = KeyHash::of(token);
        let params = params![hash.as_bytes(), team.as_bytes(), instant(expires)];
        let mut statement = self.connection.prepare_cached(sql)?;
        match statement.execute(params).map_err(missing("team"))? {
            0 => Err(TAKEN),
            _ => Ok(()),
        }
    }

    pub(crate) fn delete_link_tokens(&self, expired_at: DateTime<Utc>) -> Result<usize, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("DELETE FROM link_tokens WHERE expires <= ?1")?;
        Ok(statement.execute([instant(expired_at)])?)
    }
}
