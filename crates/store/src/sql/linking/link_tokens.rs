//! Link tokens of users, and their options. Those of teams as a whole: `keys.rs`.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::sql::connection::missing;
use crate::sql::document::{decode, encode, instant, rows};
use crate::sql::value::{Row, params};
use crate::sql::{Reader, Transaction};
use crate::{KeyHash, LinkOptions, LinkTokenOwner, LinkTokenPage, StoreError, TeamId};

const KIND: &str = "link token";

/// The maximum lifetimes of link tokens, of a user and of a team as a whole.
const LONGEST: [TimeDelta; 2] = [TimeDelta::minutes(60), TimeDelta::days(1)];
/// Maximum difference of the clocks of two processes.
const CLOCK_SKEW: TimeDelta = TimeDelta::minutes(5);

/// The condition of a valid link token. Its parameters are those of [`Validity`].
pub(crate) const IS_VALID: &str = "link_tokens.expires > ?2
    AND (link_tokens.expires <= ?3 OR link_tokens.user_row IS NULL AND link_tokens.expires <= ?4)";

/// The range of expiry times of link tokens that are valid now. A later one was created by a clock that is
/// ahead.
pub(crate) struct Validity {
    pub(crate) after: i64,
    pub(crate) until_of_user: i64,
    pub(crate) until_of_team: i64,
}

impl Validity {
    pub(crate) fn at(now: DateTime<Utc>) -> Self {
        let until = LONGEST.map(|longest| {
            let until = now.checked_add_signed(longest + CLOCK_SKEW);
            until.map_or(i64::MAX, instant)
        });
        Self {
            after: instant(now),
            until_of_user: until[0],
            until_of_team: until[1],
        }
    }
}
const COLUMNS: &str = "SELECT link_tokens.hash, link_tokens.team_id, users.user_id, link_tokens.expires,
    link_tokens.document FROM link_tokens LEFT JOIN users ON users.id = link_tokens.user_row";

impl Reader<'_> {
    /// A link token that is valid at a time.
    pub(crate) fn link_token(&self, token: &str, now: DateTime<Utc>) -> Result<Option<LinkTokenOwner>, StoreError> {
        let sql = format!("{COLUMNS} WHERE link_tokens.hash = ?1 AND {IS_VALID}");
        let (hash, valid) = (KeyHash::of(token), Validity::at(now));
        let params = params![hash.as_bytes(), valid.after, valid.until_of_user, valid.until_of_team];
        self.connection.first(&sql, params, owner)
    }

    /// A page of the link tokens of a team that are valid at a time, by hash.
    pub(crate) fn link_tokens(
        &self,
        team: TeamId,
        now: DateTime<Utc>,
        after: Option<KeyHash>,
        limit: usize,
    ) -> Result<LinkTokenPage, StoreError> {
        let sql = format!(
            "{COLUMNS} WHERE link_tokens.team_id = ?1 AND {IS_VALID} AND link_tokens.hash > ?5
                ORDER BY link_tokens.hash LIMIT ?6"
        );
        let valid = Validity::at(now);
        // No hash sorts before the empty byte string.
        let params = params![
            team.as_bytes(),
            valid.after,
            valid.until_of_user,
            valid.until_of_team,
            after.as_ref().map_or(&[][..], |hash| hash.as_bytes()),
            // One more row shows whether there is another page.
            rows(limit.saturating_add(1)),
        ];
        let mut link_tokens = self.connection.all(&sql, params, owner)?;
        let more = link_tokens.len() > limit;
        link_tokens.truncate(limit);
        let last = link_tokens.last().map(|token| token.hash);
        let next = if more { last } else { None };
        Ok(LinkTokenPage { link_tokens, next })
    }
}

fn owner(row: &Row<'_>) -> Result<LinkTokenOwner, StoreError> {
    let document: Option<String> = row.get(4)?;
    let options = document.map(|text| decode(KIND, &text)).transpose()?;
    Ok(LinkTokenOwner {
        team: TeamId::new(Uuid::from_bytes(row.get(1)?)),
        user_id: row.get::<Option<[u8; 16]>>(2)?.map(Uuid::from_bytes),
        expires: DateTime::from_timestamp_nanos(row.get(3)?),
        options: options.unwrap_or_default(),
        hash: KeyHash::new(row.get(0)?),
    })
}

impl Transaction<'_> {
    /// Puts a new link token of a user. The store keeps only a hash of it.
    pub fn put_user_link_token(
        &self,
        team: TeamId,
        user_id: Uuid,
        token: &str,
        options: &LinkOptions,
        expires: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO link_tokens (hash, team_id, expires, user_row, document) VALUES (?1, ?2, ?3, ?4, ?5)";
        let hash = KeyHash::of(token);
        let (user_row, document) = (self.require_user_row(team, user_id)?, encode(KIND, options)?);
        let params = params![hash.as_bytes(), team.as_bytes(), instant(expires), user_row, document];
        self.connection.execute(sql, params).map_err(missing("user"))?;
        Ok(())
    }

    /// Deletes the link token of a team with an [id](KeyHash::id), and its authorization requests. False if there is
    /// none.
    pub fn delete_link_token(&self, team: TeamId, id: &str) -> Result<bool, StoreError> {
        let Some((first, last)) = KeyHash::range_of(id) else {
            return Ok(false);
        };
        let sql = "DELETE FROM link_tokens WHERE team_id = ?1 AND hash >= ?2 AND hash <= ?3";
        let params = params![team.as_bytes(), first, last];
        Ok(self.connection.execute(sql, params)? > 0)
    }
}
