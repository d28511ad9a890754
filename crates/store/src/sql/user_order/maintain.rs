//! Keeps the order of users in step with them.

use super::{RankKey, key};
use crate::sql::Transaction;
use crate::sql::value::params;
use crate::{StoreError, TeamId};

/// The statements for one of the two levels.
struct Level {
    /// The last run that begins at or before a key.
    at: &'static str,
    first: &'static str,
    rename: &'static str,
}

const BLOCKS: Level = Level {
    at: "SELECT created_on, user_id, users FROM user_blocks
        WHERE team_id = ?1 AND (created_on, user_id) <= (?2, ?3) ORDER BY created_on DESC, user_id DESC LIMIT 1",
    first: "SELECT created_on, user_id, users FROM user_blocks WHERE team_id = ?1 ORDER BY created_on, user_id LIMIT 1",
    rename: "UPDATE user_blocks SET created_on = ?4, user_id = ?5
        WHERE team_id = ?1 AND created_on = ?2 AND user_id = ?3",
};

const GROUPS: Level = Level {
    at: "SELECT created_on, user_id, blocks FROM user_groups
        WHERE team_id = ?1 AND (created_on, user_id) <= (?2, ?3) ORDER BY created_on DESC, user_id DESC LIMIT 1",
    first: "SELECT created_on, user_id, blocks FROM user_groups WHERE team_id = ?1 ORDER BY created_on, user_id LIMIT 1",
    rename: "UPDATE user_groups SET created_on = ?4, user_id = ?5
        WHERE team_id = ?1 AND created_on = ?2 AND user_id = ?3",
};

impl Transaction<'_> {
    /// Counts a user who was inserted.
    pub(in crate::sql) fn enter(&self, team: TeamId, user: RankKey) -> Result<(), StoreError> {
        let Some((block, users)) = self.run_for(&BLOCKS, team, user)? else {
            return self.add_first(team, user);
        };
        let Some((group, _)) = self.run_for(&GROUPS, team, user)? else {
            return Err(broken());
        };
        if users >= self.runs.block && self.is_last(team, user)? {
            // Users mostly come in their order: full blocks, rather than halves.
            self.add_block(team, user, 1)?;
            self.count(team, group, 1, 1)?;
        } else {
            self.count_block(team, block, 1)?;
            self.count(team, group, 1, 0)?;
            if users < self.runs.block {
                return Ok(());
            }
            self.split_block(team, block, group)?;
        }
        self.split_group(team, group)
    }

    /// No longer counts a user who was deleted, and forgets their id.
    pub(in crate::sql) fn leave(&self, team: TeamId, user: RankKey) -> Result<(), StoreError> {
        let (Some((block, users)), Some((group, blocks))) =
            (self.run_of(&BLOCKS, team, user)?, self.run_of(&GROUPS, team, user)?)
        else {
            return Err(broken());
        };
        let empty = users == 1;
        self.count_block(team, block, -1)?;
        self.count(team, group, -1, if empty { -1 } else { 0 })?;
        if empty {
            self.change(
                "DELETE FROM user_blocks WHERE team_id = ?1 AND created_on = ?2 AND user_id = ?3",
                team,
                block,
            )?;
        }
        if empty && blocks == 1 {
            let sql = "DELETE FROM user_groups WHERE team_id = ?1 AND created_on = ?2 AND user_id = ?3";
            return self.change(sql, team, group);
        }
        if block != user {
            return Ok(());
        }
        // The runs that began at this user begin at what comes next.
        let next = if empty {
            self.block_after(team, user)?
        } else {
            self.user_after(team, user, 0)?
        };
        let Some(next) = next else {
            // It was the last block, and not the first one of its group.
            return if empty && group != user { Ok(()) } else { Err(broken()) };
        };
        if !empty {
            self.rename(&BLOCKS, team, block, next)?;
        }
        if group == user {
            self.rename(&GROUPS, team, group, next)?;
        }
        Ok(())
    }

    /// The run that a user belongs to, with its size.
    fn run_of(&self, level: &Level, team: TeamId, user: RankKey) -> Result<Option<(RankKey, i64)>, StoreError> {
        self.connection
            .first(level.at, params![team.as_bytes(), user.0, user.1], |row| {
                Ok((key(row)?, row.get(2)?))
            })
    }

    /// Like [`Self::run_of`], for a new user: where they come before all others, the first run begins at them from now on.
    fn run_for(&self, level: &Level, team: TeamId, user: RankKey) -> Result<Option<(RankKey, i64)>, StoreError> {
        if let Some(run) = self.run_of(level, team, user)? {
            return Ok(Some(run));
        }
        let first = self.connection.first(level.first, params![team.as_bytes()], |row| {
            Ok((key(row)?, row.get(2)?))
        })?;
        let Some((first, size)) = first else { return Ok(None) };
        self.rename(level, team, first, user)?;
        Ok(Some((user, size)))
    }

    fn add_first(&self, team: TeamId, user: RankKey) -> Result<(), StoreError> {
        self.add_block(team, user, 1)?;
        self.add_group(team, user, 1, 1)
    }

    fn split_block(&self, team: TeamId, block: RankKey, group: RankKey) -> Result<(), StoreError> {
        let users = self.runs.block + 1;
        let half = users / 2;
        let middle = self.user_after(team, block, half)?.ok_or_else(broken)?;
        self.count_block(team, block, half - users)?;
        self.add_block(team, middle, users - half)?;
        self.count(team, group, 0, 1)
    }

    fn split_group(&self, team: TeamId, group: RankKey) -> Result<(), StoreError> {
        let Some((_, blocks)) = self.run_of(&GROUPS, team, group)? else {
            return Err(broken());
        };
        if blocks <= self.runs.group {
            return Ok(());
        }
        let half = blocks / 2;
        let sql = "SELECT created_on, user_id FROM user_blocks WHERE team_id = ?1 AND (created_on, user_id) >= (?2, ?3)
            ORDER BY created_on, user_id LIMIT 1 OFFSET ?4";
        let middle = self
            .connection
            .one(sql, params![team.as_bytes(), group.0, group.1, half], key)?;
        let sql = "SELECT CAST(sum(users) AS BIGINT) FROM (SELECT users FROM user_blocks
            WHERE team_id = ?1 AND (created_on, user_id) >= (?2, ?3) ORDER BY created_on, user_id LIMIT ?4) AS moved";
        let moved: i64 = self.connection.one(
            sql,
            params![team.as_bytes(), middle.0, middle.1, blocks - half],
            |row| row.get(0),
        )?;
        self.count(team, group, -moved, half - blocks)?;
        self.add_group(team, middle, moved, blocks - half)
    }

    /// The user that comes so many positions after a key, which counts itself if it is a user.
    fn user_after(&self, team: TeamId, from: RankKey, positions: i64) -> Result<Option<RankKey>, StoreError> {
        let sql = "SELECT created_on, user_id FROM users WHERE team_id = ?1 AND (created_on, user_id) >= (?2, ?3)
            ORDER BY created_on, user_id LIMIT 1 OFFSET ?4";

        self.connection
            .first(sql, params![team.as_bytes(), from.0, from.1, positions], key)
    }

    fn block_after(&self, team: TeamId, key: RankKey) -> Result<Option<RankKey>, StoreError> {
        let sql = "SELECT created_on, user_id FROM user_blocks WHERE team_id = ?1 AND (created_on, user_id) > (?2, ?3)
            ORDER BY created_on, user_id LIMIT 1";

        self.connection
            .first(sql, params![team.as_bytes(), key.0, key.1], self::key)
    }

    fn is_last(&self, team: TeamId, user: RankKey) -> Result<bool, StoreError> {
        Ok(self.user_after(team, user, 1)?.is_none())
    }

    fn add_block(&self, team: TeamId, first: RankKey, users: i64) -> Result<(), StoreError> {
        let sql = "INSERT INTO user_blocks (team_id, created_on, user_id, users) VALUES (?1, ?2, ?3, ?4)";
        self.connection
            .execute(sql, params![team.as_bytes(), first.0, first.1, users])?;
        Ok(())
    }

    fn add_group(&self, team: TeamId, first: RankKey, users: i64, blocks: i64) -> Result<(), StoreError> {
        let sql = "INSERT INTO user_groups (team_id, created_on, user_id, users, blocks) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.connection
            .execute(sql, params![team.as_bytes(), first.0, first.1, users, blocks])?;
        Ok(())
    }

    fn count_block(&self, team: TeamId, block: RankKey, users: i64) -> Result<(), StoreError> {
        let sql = "UPDATE user_blocks SET users = users + ?4 WHERE team_id = ?1 AND created_on = ?2 AND user_id = ?3";
        changed_one(
            self.connection
                .execute(sql, params![team.as_bytes(), block.0, block.1, users])?,
        )
    }

    fn count(&self, team: TeamId, group: RankKey, users: i64, blocks: i64) -> Result<(), StoreError> {
        let sql = "UPDATE user_groups SET users = users + ?4, blocks = blocks + ?5
            WHERE team_id = ?1 AND created_on = ?2 AND user_id = ?3";
        changed_one(
            self.connection
                .execute(sql, params![team.as_bytes(), group.0, group.1, users, blocks])?,
        )
    }

    fn rename(&self, level: &Level, team: TeamId, from: RankKey, to: RankKey) -> Result<(), StoreError> {
        changed_one(
            self.connection
                .execute(level.rename, params![team.as_bytes(), from.0, from.1, to.0, to.1])?,
        )
    }

    fn change(&self, sql: &str, team: TeamId, key: RankKey) -> Result<(), StoreError> {
        changed_one(self.connection.execute(sql, params![team.as_bytes(), key.0, key.1])?)
    }
}

fn changed_one(changed: usize) -> Result<(), StoreError> {
    if changed == 1 { Ok(()) } else { Err(broken()) }
}

/// The counts do not fit the users: a bug, or a file that somebody else wrote in.
fn broken() -> StoreError {
    StoreError::Engine("the order of users is not sound".into())
}
