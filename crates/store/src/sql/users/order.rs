//! Positions of users in the list of their team, so that each page costs the same.
//!
//! An ordered list with counts, two levels deep: groups of blocks of users. A position is found by adding up the groups
//! before it, the blocks before it in its group, and skipping a part of one block.

mod maintain;

use std::ops::ControlFlow;

use crate::sql::connection::Connection;
use crate::sql::value::{Row, params};
use crate::{StoreError, TeamId};

/// Maximum sizes of blocks and groups.
#[derive(Clone, Copy)]
pub(crate) struct BlockSizes {
    /// A block that grows beyond this many users is split.
    block: i64,
    /// A group that grows beyond this many blocks is split.
    group: i64,
}

impl BlockSizes {
    pub(crate) const USUAL: Self = Self { block: 256, group: 256 };
}

/// Sort key of users: their time of creation, and then their id.
pub(crate) type RankKey = (i64, [u8; 16]);

/// The number of a team's users.
pub(crate) fn total(connection: &Connection, team: TeamId) -> Result<i64, StoreError> {
    connection.one(TOTAL, params![team.as_bytes()], |row| row.get(0))
}

/// The user from which to skip a number of users, to reach an offset. None if there are fewer users.
pub(crate) fn seek(connection: &Connection, team: TeamId, offset: i64) -> Result<Option<(RankKey, i64)>, StoreError> {
    let Some((group, rest)) = pass(connection, GROUPS_FROM, team, FIRST, offset)? else {
        return Ok(None);
    };
    pass(connection, BLOCKS_FROM, team, group, rest)
}

const TOTAL: &str = "SELECT CAST(coalesce(sum(users), 0) AS BIGINT) FROM user_groups WHERE team_id = ?1";
const GROUPS_FROM: &str = "SELECT created_on, user_id, users FROM user_groups
    WHERE team_id = ?1 AND (created_on, user_id) >= (?2, ?3) ORDER BY created_on, user_id";
// No group has more blocks.
const BLOCKS_FROM: &str = "SELECT created_on, user_id, users FROM user_blocks
    WHERE team_id = ?1 AND (created_on, user_id) >= (?2, ?3) ORDER BY created_on, user_id LIMIT 256";
const _: () = assert!(BlockSizes::USUAL.group == 256);

/// The number of a team's users, and the documents of those from an offset on, in one statement. Without
/// the limit of blocks, PostgreSQL may sort those of all later groups, too.
pub(crate) const PAGE_AT_ONCE: &str = "WITH
    passed_groups AS (SELECT created_on, user_id, users,
            CAST(sum(users) OVER (ORDER BY created_on, user_id) AS BIGINT) AS upto
        FROM user_groups WHERE team_id = ?1),
    in_group AS (SELECT created_on, user_id, upto - users AS passed
        FROM passed_groups WHERE upto > ?2 AND upto - users <= ?2),
    in_block AS (SELECT passed.created_on, passed.user_id, passed.upto - passed.users AS passed
        FROM in_group CROSS JOIN LATERAL (SELECT created_on, user_id, users,
                in_group.passed + CAST(sum(users) OVER (ORDER BY created_on, user_id) AS BIGINT) AS upto
            FROM (SELECT created_on, user_id, users FROM user_blocks
                WHERE team_id = ?1 AND (created_on, user_id) >= (in_group.created_on, in_group.user_id)
                ORDER BY created_on, user_id LIMIT 256) AS blocks) AS passed
        WHERE passed.upto > ?2 AND passed.upto - passed.users <= ?2),
    page AS (SELECT found.created_on, found.user_id, found.document
        FROM in_block CROSS JOIN LATERAL (SELECT created_on, user_id, document FROM users
            WHERE team_id = ?1 AND (created_on, user_id) >= (in_block.created_on, in_block.user_id)
            ORDER BY created_on, user_id LIMIT ?3 OFFSET ?2 - in_block.passed) AS found)
    SELECT CAST(coalesce((SELECT max(upto) FROM passed_groups), 0) AS BIGINT), document, created_on, user_id
    FROM (SELECT 1) AS once LEFT JOIN page ON true";

const FIRST: RankKey = (i64::MIN, [0; 16]);

/// Skips runs of users while the offset is beyond them; returns the run of the offset, and the remaining offset.
fn pass(
    connection: &Connection<'_>,
    sql: &str,
    team: TeamId,
    from: RankKey,
    mut offset: i64,
) -> Result<Option<(RankKey, i64)>, StoreError> {
    let mut found = None;
    connection.each(sql, params![team.as_bytes(), from.0, from.1], |row| {
        let users: i64 = row.get(2)?;
        if offset < users {
            found = Some((key(row)?, offset));
            return Ok::<_, StoreError>(ControlFlow::Break(()));
        }
        offset -= users;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

fn key(row: &Row<'_>) -> Result<RankKey, StoreError> {
    key_from(row, 0)
}

/// The key in a column and the one after it.
pub(crate) fn key_from(row: &Row<'_>, column: usize) -> Result<RankKey, StoreError> {
    Ok((row.get(column)?, row.get(column + 1)?))
}

#[cfg(test)]
mod tests;
