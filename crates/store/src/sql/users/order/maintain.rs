//! Updates the order of users.

use super::{RankKey, key};
use crate::sql::Transaction;
use crate::sql::document::rows;
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

/// Maximum number of inserted users that are not counted yet.
const MOST_ENTERING: usize = 1024;

impl Transaction<'_> {
    /// Queues an inserted user to be counted: before the transaction ends, and together with others of the same block.
    pub(in crate::sql) fn enter(&self, team: TeamId, user: RankKey) -> Result<(), StoreError> {
        let waiting = {
            let mut entering = self.entering.borrow_mut();
            entering.insert((team, user));
            entering.len()
        };
        match waiting < MOST_ENTERING {
            true => Ok(()),
            false => self.count_entered(),
        }
    }

    /// Counts inserted users. Before any user's position changes: splitting a block requires the positions of all of
    /// them.
    pub(in crate::sql) fn count_entered(&self) -> Result<(), StoreError> {
        let entered: Vec<_> = self.entering.take().into_iter().collect();
        for of_team in entered.chunk_by(|a, b| a.0 == b.0) {
            let users: Vec<RankKey> = of_team.iter().map(|(_, user)| *user).collect();
            if let Some((team, _)) = of_team.first() {
                self.count_users(*team, &users)?;
            }
        }
        Ok(())
    }

    /// Counts inserted users of a team, in their order.
    fn count_users(&self, team: TeamId, mut users: &[RankKey]) -> Result<(), StoreError> {
        while let [first, more @ ..] = users {
            let Some((block, before)) = self.run_for(&BLOCKS, team, *first)? else {
                self.add_first(team, *first)?;
                users = more;
                continue;
            };
            let Some((group, _)) = self.run_for(&GROUPS, team, *first)? else {
                return Err(broken());
            };
            let end = match more {
                [] => None,
                _ => self.block_after(team, block)?,
            };
            let (of_block, others) = match end {
                Some(end) => users.split_at(users.partition_point(|user| *user < end)),
                None => (users, &[][..]),
            };
            users = others;
            let new = count_of(of_block);
            if before + new <= self.block_sizes.block {
                self.count_block(team, block, new)?;
                self.count(team, group, new, 0)?;
                continue;
            }
            // Users are usually inserted in their order: full blocks, rather than halves.
            let sizes = match self.user_after(team, *first, new)? {
                None => full_runs(before + new, self.block_sizes.block),
                Some(_) => even_runs(before + new, self.block_sizes.block),
            };
            self.split_block(team, block, before, &sizes)?;
            self.count(team, group, new, count_of(&sizes) - 1)?;
            self.split_group(team, group)?;
        }
        Ok(())
    }

    /// Removes a deleted user from the counts, and drops their id. Waiting users were counted before.
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
        // The runs that began at this user begin at the next one.
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

    /// Like [`Self::run_of`], for a new user: if they precede all others, the first run begins at them from now on.
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

    /// Splits a block into blocks of these sizes, the first of which it becomes itself.
    fn split_block(&self, team: TeamId, block: RankKey, before: i64, sizes: &[i64]) -> Result<(), StoreError> {
        let [first, others @ ..] = sizes else {
            return Err(broken());
        };
        self.count_block(team, block, first - before)?;
        let (mut begin, mut passed) = (block, *first);
        for size in others {
            begin = self.user_after(team, begin, passed)?.ok_or_else(broken)?;
            self.add_block(team, begin, *size)?;
            passed = *size;
        }
        Ok(())
    }

    /// Splits a group that has too many blocks.
    fn split_group(&self, team: TeamId, group: RankKey) -> Result<(), StoreError> {
        let Some((_, blocks)) = self.run_of(&GROUPS, team, group)? else {
            return Err(broken());
        };
        if blocks <= self.block_sizes.group {
            return Ok(());
        }
        let sizes = even_runs(blocks, self.block_sizes.group);
        let (mut begin, mut passed) = (group, sizes.first().copied().unwrap_or_default());
        for size in sizes.iter().skip(1) {
            let sql = "SELECT created_on, user_id FROM user_blocks
                WHERE team_id = ?1 AND (created_on, user_id) >= (?2, ?3)
                ORDER BY created_on, user_id LIMIT 1 OFFSET ?4";
            let from = params![team.as_bytes(), begin.0, begin.1, passed];
            begin = self.connection.one(sql, from, key)?;
            let sql = "SELECT CAST(sum(users) AS BIGINT) FROM (SELECT users FROM user_blocks
                WHERE team_id = ?1 AND (created_on, user_id) >= (?2, ?3)
                ORDER BY created_on, user_id LIMIT ?4) AS moved";
            let moved_from = params![team.as_bytes(), begin.0, begin.1, size];
            let moved: i64 = self.connection.one(sql, moved_from, |row| row.get(0))?;
            self.count(team, group, -moved, -size)?;
            self.add_group(team, begin, moved, *size)?;
            passed = *size;
        }
        Ok(())
    }

    /// The user a number of positions after a key, which counts itself if it is a user.
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

fn count_of<T>(parts: &[T]) -> i64 {
    rows(parts.len())
}

/// The sizes of the smallest number of runs for some parts.
fn full_runs(parts: i64, limit: i64) -> Vec<i64> {
    let (full, rest) = (parts / limit, parts % limit);
    let full = (0..full).map(|_| limit);
    full.chain((rest > 0).then_some(rest)).collect()
}

/// The sizes of runs that differ by at most one, with room for more in each.
fn even_runs(parts: i64, limit: i64) -> Vec<i64> {
    let runs = (parts / limit + 1).min(parts);
    (0..runs)
        .map(|run| parts * (run + 1) / runs - parts * run / runs)
        .collect()
}

fn changed_one(changed: usize) -> Result<(), StoreError> {
    if changed == 1 { Ok(()) } else { Err(broken()) }
}

/// The counts differ from the users: a bug, or a file that another program changed.
fn broken() -> StoreError {
    StoreError::Engine("the order of users is not sound".into())
}
