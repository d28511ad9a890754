//! API keys and link tokens, stored as hashes.

use crate::sql::value::{Row, params};
use chrono::{DateTime, Utc};

use crate::sql::connection::{Connection, missing};
use crate::sql::document::{id, instant, rows};
use crate::sql::linking::link_tokens::{IS_VALID, Validity};
use crate::sql::{Reader, Transaction};
use crate::{KeyFilter, KeyHash, KeyInfo, KeyOwner, KeyPage, KeyRecord, KeyScopes, OrganisationId, StoreError, TeamId};

/// One text for all conflicts of a key, which may be of another organisation.
const KEY_TAKEN: StoreError = StoreError::Conflict {
    what: "the key, or the first 16 digits of its hash, is taken: create another key",
};

const TOKEN_TAKEN: StoreError = StoreError::Conflict {
    what: "the token already belongs to another team",
};

impl Reader<'_> {
    pub(crate) fn team_key(&self, hash: &KeyHash) -> Result<Option<KeyOwner<TeamId>>, StoreError> {
        let sql = "SELECT team_id, scopes FROM keys WHERE hash = ?1 AND team_id IS NOT NULL AND revoked_on IS NULL";
        let found = self.connection.first(sql, params![hash.as_bytes()], |row| {
            Ok::<_, StoreError>((id(row)?, scopes(row, 1)?))
        })?;
        Ok(found.map(|(team, scopes)| KeyOwner {
            owner: TeamId::new(team),
            scopes,
        }))
    }

    pub(crate) fn management_key(&self, key: &str) -> Result<Option<KeyOwner<OrganisationId>>, StoreError> {
        let sql = "SELECT organisation_id, scopes FROM keys
            WHERE hash = ?1 AND organisation_id IS NOT NULL AND revoked_on IS NULL";
        let hash = KeyHash::of(key);
        let found = self.connection.first(sql, params![hash.as_bytes()], |row| {
            Ok::<_, StoreError>((row.get::<String>(0)?, scopes(row, 1)?))
        });
        Ok(found?.map(|(organisation, scopes)| KeyOwner {
            owner: OrganisationId::new(organisation),
            scopes,
        }))
    }

    pub(crate) fn team_of_link_token(&self, token: &str, now: DateTime<Utc>) -> Result<Option<TeamId>, StoreError> {
        let sql = format!("SELECT team_id FROM link_tokens WHERE hash = ?1 AND {IS_VALID}");
        let (hash, valid) = (KeyHash::of(token), Validity::at(now));
        let params = params![hash.as_bytes(), valid.after, valid.until_of_user, valid.until_of_team];
        let found = self.connection.first(&sql, params, id);
        Ok(found?.map(TeamId::new))
    }

    pub(crate) fn keys(&self) -> Result<Vec<KeyInfo>, StoreError> {
        all(self.connection)
    }

    pub(crate) fn organisation_keys(
        &self,
        organisation: &OrganisationId,
        filter: &KeyFilter,
        limit: usize,
    ) -> Result<KeyPage, StoreError> {
        let sql = format!(
            "{OF_ORGANISATION} AND (keys.team_id = ?2 OR ?2 IS NULL) AND keys.id > ?3 ORDER BY keys.id LIMIT ?4"
        );
        let params = params![
            organisation.as_str(),
            filter.team_id.as_ref().map(|id| id.as_bytes()),
            filter.after.as_deref().unwrap_or_default(),
            // One more row shows whether there is another page.
            rows(limit.saturating_add(1)),
        ];
        let mut keys = self.connection.all(&sql, params, info)?;
        let more = keys.len() > limit;
        keys.truncate(limit);
        let last = keys.last().map(|key| key.id.clone());
        let next = if more { last } else { None };
        Ok(KeyPage { keys, next })
    }

    pub(crate) fn organisation_key(
        &self,
        organisation: &OrganisationId,
        id: &str,
    ) -> Result<Option<KeyInfo>, StoreError> {
        find(self.connection, organisation, id)
    }
}

/// The keys of an organisation and of its teams.
const OF_ORGANISATION: &str =
    "SELECT hash, id, keys.team_id, keys.organisation_id, name, created_on, revoked_on, scopes
    FROM keys LEFT JOIN teams ON teams.team_id = keys.team_id
    WHERE (keys.organisation_id = ?1 OR teams.organisation_id = ?1)";

/// A key of the organisation or of its teams.
fn find(connection: &Connection<'_>, organisation: &OrganisationId, id: &str) -> Result<Option<KeyInfo>, StoreError> {
    let sql = format!("{OF_ORGANISATION} AND keys.id = ?2");
    connection.first(&sql, params![organisation.as_str(), id], info)
}

/// All keys, by owner and then by age. They are sorted here, since engines do not read times of every year.
pub(crate) fn all(connection: &Connection<'_>) -> Result<Vec<KeyInfo>, StoreError> {
    let sql = "SELECT hash, id, team_id, organisation_id, name, created_on, revoked_on, scopes FROM keys ORDER BY hash";
    let mut keys = connection.all(sql, params![], info)?;
    keys.sort_by(|one, other| {
        let sort_key = |key: &KeyRecord| (key.team_id, key.created_on);
        let owner = one.record.org_id.cmp(&other.record.org_id);
        owner.then_with(|| sort_key(&one.record).cmp(&sort_key(&other.record)))
    });
    Ok(keys)
}

fn info(row: &Row<'_>) -> Result<KeyInfo, StoreError> {
    // Times are stored as given, so that an export returns them unchanged.
    let time = |column: usize| -> Result<_, StoreError> {
        let Some(text) = row.get::<Option<String>>(column)? else {
            return Ok(None);
        };
        text.parse().map(Some).map_err(|_| StoreError::Document { what: "key" })
    };
    Ok(KeyInfo {
        id: row.get(1)?,
        record: KeyRecord {
            team_id: row.get::<Option<[u8; 16]>>(2)?.map(uuid::Uuid::from_bytes),
            org_id: row.get(3)?,
            name: row.get(4)?,
            scopes: Some(scopes(row, 7)?),
            created_on: time(5)?,
            revoked_on: time(6)?,
            key: None,
            hash: Some(KeyHash::new(row.get(0)?)),
        },
    })
}

fn scopes(row: &Row<'_>, column: usize) -> Result<KeyScopes, StoreError> {
    let text: String = row.get(column)?;
    text.parse().map_err(|_| StoreError::Document { what: "key" })
}

impl Transaction<'_> {
    /// Puts a key. The store keeps only a hash of it; it never changes its owner, and stays revoked once it is.
    pub fn put_key(&self, key: &KeyRecord) -> Result<(), StoreError> {
        self.keys_changed.set(true);
        let hash = match (&key.key, key.hash) {
            (Some(key), None) => KeyHash::of(key.expose()),
            (None, Some(hash)) => hash,
            _ => {
                let what = "give exactly one of `key` and `hash`";
                return Err(StoreError::Conflict { what });
            }
        };
        let owner = match (&key.team_id, &key.org_id) {
            (Some(_), None) => "team",
            (None, Some(_)) => "organisation",
            _ => {
                let what = "give exactly one of `team_id` and `org_id`";
                return Err(StoreError::Conflict { what });
            }
        };
        // Ids identify keys in lists and revocations. The message is the same for any owner of the other key.
        let other_sql = "SELECT 1 FROM keys WHERE id = ?1 AND hash <> ?2";
        let other = params![hash.id(), hash.as_bytes()];
        if self
            .connection
            .first(other_sql, other, |_| Ok::<_, StoreError>(()))?
            .is_some()
        {
            return Err(KEY_TAKEN);
        }
        // A key never changes its owner, and a revoked key stays revoked.
        let sql = "INSERT INTO keys (hash, team_id, organisation_id, name, created_on, revoked_on, scopes)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, coalesce(?7, 'read'))
            ON CONFLICT (hash) DO UPDATE SET name = coalesce(excluded.name, keys.name),
                created_on = coalesce(keys.created_on, excluded.created_on),
                revoked_on = coalesce(keys.revoked_on, excluded.revoked_on),
                scopes = coalesce(?7, keys.scopes)
            WHERE keys.team_id IS NOT DISTINCT FROM excluded.team_id
                AND keys.organisation_id IS NOT DISTINCT FROM excluded.organisation_id";
        let params = params![
            hash.as_bytes(),
            key.team_id.as_ref().map(|id| id.as_bytes()),
            key.org_id,
            key.name,
            key.created_on.map(|time| time.to_rfc3339()),
            key.revoked_on.map(|time| time.to_rfc3339()),
            key.scopes.map(|scopes| scopes.to_string()),
        ];
        match self.connection.execute(sql, params).map_err(missing(owner))? {
            0 => Err(KEY_TAKEN),
            _ => Ok(()),
        }
    }

    /// A key of an organisation or of one of its teams, by its [id](crate::KeyInfo::id).
    pub fn organisation_key(&self, organisation: &OrganisationId, id: &str) -> Result<Option<KeyInfo>, StoreError> {
        find(self.connection, organisation, id)
    }

    /// A key of a team, by its [id](crate::KeyInfo::id), revoked or not.
    pub fn team_key_info(&self, team: TeamId, id: &str) -> Result<Option<KeyInfo>, StoreError> {
        let sql = "SELECT hash, id, team_id, organisation_id, name, created_on, revoked_on, scopes FROM keys
            WHERE id = ?1 AND team_id = ?2";
        self.connection.first(sql, params![id, team.as_bytes()], info)
    }

    /// Revokes the key that has an [id](crate::KeyInfo::id), for good. False if there is no such key.
    pub fn revoke_key(&self, id: &str, now: DateTime<Utc>) -> Result<bool, StoreError> {
        self.keys_changed.set(true);
        let sql = "UPDATE keys SET revoked_on = coalesce(revoked_on, ?2) WHERE id = ?1";
        Ok(self
            .connection
            .execute(sql, params![id, now.fixed_offset().to_rfc3339()])?
            > 0)
    }

    /// Puts a link token of a team. The store keeps only a hash of it.
    pub fn put_link_token(&self, team: TeamId, token: &str, expires: DateTime<Utc>) -> Result<(), StoreError> {
        let sql = "INSERT INTO link_tokens (hash, team_id, expires) VALUES (?1, ?2, ?3)
            ON CONFLICT (hash) DO UPDATE SET expires = excluded.expires WHERE link_tokens.team_id = excluded.team_id";
        let hash = KeyHash::of(token);
        let params = params![hash.as_bytes(), team.as_bytes(), instant(expires)];
        match self.connection.execute(sql, params).map_err(missing("team"))? {
            0 => Err(TOKEN_TAKEN),
            _ => Ok(()),
        }
    }

    /// Deletes the link tokens that are expired at a time, and returns their number. One stays while a user who used it
    /// is at a provider.
    pub fn delete_link_tokens(&self, expired_at: DateTime<Utc>) -> Result<usize, StoreError> {
        let expired_at = instant(expired_at);
        let sql = "DELETE FROM authorization_requests WHERE expires <= ?1 AND exchanging_since IS NULL";
        self.connection.execute(sql, params![expired_at])?;
        let sql = "DELETE FROM link_tokens WHERE expires <= ?1
            AND NOT EXISTS (SELECT 1 FROM authorization_requests WHERE link_token = link_tokens.hash)";
        Ok(self.connection.execute(sql, params![expired_at])?)
    }
}
