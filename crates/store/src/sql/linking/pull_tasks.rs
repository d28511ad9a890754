//! Tasks of connectors.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::pull_task::{LINK_TASK, PROVIDER_DELAYS, RECENT_TASKS};
use crate::sql::document::instant;
use crate::sql::value::{Bind, Row, params};
use crate::sql::{Reader, Transaction};
use crate::{LeasedPullTask, NewPullTask, PullBacklog, PullTask, StoreError, TeamId};

/// Maximum length of a name, in characters.
const MAX_NAME: usize = 100;

/// Columns of [`pull_task`], of which the first is the slug of the connection.
pub(crate) const PULL_TASK: &str = "connections.slug, pull_tasks.name, pull_tasks.due, pull_tasks.due_again,
    pull_tasks.lease, pull_tasks.failures, pull_tasks.reason, pull_tasks.attempted_on, pull_tasks.state";

/// Due tasks of the queues of a provider, each counted up to a limit.
pub(super) const BACKLOG: &str = "SELECT due, (SELECT count(*) FROM (SELECT 1 FROM pull_tasks
        WHERE queue = pull_queues.id AND due <= ?2 LIMIT 10000) AS due_tasks)
    FROM pull_queues WHERE slug = ?1 AND due <= ?2";

/// Returns the condition that a provider named the time of the next attempt of a task that waits.
fn is_delayed() -> String {
    let codes = PROVIDER_DELAYS.map(|code| format!("'{code}'")).join(", ");
    format!("pull_tasks.lease IS NULL AND pull_tasks.due IS NOT NULL AND pull_tasks.reason IN ({codes})")
}

/// Returns the condition that a request makes a task due: it reads the last days, or is the first one after a link and is
/// not finished.
fn is_requested() -> String {
    let length = RECENT_TASKS.len();
    format!(
        "(substr(pull_tasks.name, 1, {length}) = '{RECENT_TASKS}'
            OR (pull_tasks.name = '{LINK_TASK}' AND pull_tasks.due IS NOT NULL))"
    )
}

/// Returns the statement for the time of the first task of a number of providers.
pub(super) fn next_due(slugs: usize) -> String {
    let of_slug = |at| format!("SELECT min(due) AS due FROM pull_queues WHERE slug = ?{at} AND due IS NOT NULL");
    let all: Vec<_> = (1..=slugs).map(of_slug).collect();
    format!("SELECT min(due) FROM ({}) AS queues", all.join(" UNION ALL "))
}

/// Returns the time of a waiting task that is requested for a time: this one, unless it is due earlier, or the provider named
/// the next time.
pub(super) fn requested_due(due: &str) -> String {
    format!(
        "CASE WHEN pull_tasks.due IS NULL OR pull_tasks.due > {due} AND ({}) IS NOT TRUE
            THEN {due} ELSE pull_tasks.due END",
        is_delayed()
    )
}

/// Returns the assignments that make an existing task due at a time, unless it is due earlier, or the provider named the next
/// time. A leased task is then due after its lease.
fn request(due: &str) -> String {
    let requested = requested_due(due);
    format!(
        "due = CASE WHEN pull_tasks.lease IS NULL THEN {requested} ELSE pull_tasks.due END,
        due_again = CASE WHEN pull_tasks.lease IS NOT NULL AND (pull_tasks.due_again IS NULL OR pull_tasks.due_again > {due})
            THEN {due} ELSE pull_tasks.due_again END"
    )
}

impl Reader<'_> {
    /// The tasks of the connections of a user, by provider and in the order of their priority.
    pub(crate) fn pull_tasks(&self, team: TeamId, user_id: Uuid) -> Result<Vec<PullTask>, StoreError> {
        let sql = format!(
            "SELECT {PULL_TASK}
            FROM users
            JOIN connections ON connections.user_row = users.id
            JOIN pull_tasks ON pull_tasks.connection = connections.id
            JOIN pull_queues ON pull_queues.id = pull_tasks.queue
            WHERE users.team_id = ?1 AND users.user_id = ?2
            ORDER BY connections.slug, pull_queues.priority, pull_tasks.name"
        );
        self.connection
            .all(&sql, params![team.as_bytes(), user_id.as_bytes()], pull_task)
    }

    /// The due tasks of providers, without providers that have none.
    pub(crate) fn pull_backlogs(&self, slugs: &[&str], now: DateTime<Utc>) -> Result<Vec<PullBacklog>, StoreError> {
        let mut backlogs = Vec::new();
        for slug in slugs {
            let queues = self.connection.all(BACKLOG, params![slug, instant(now)], |row| {
                Ok::<_, StoreError>((row.get::<i64>(0)?, row.get::<i64>(1)?))
            })?;
            // The time of a queue may be too early after deletions.
            let queues: Vec<_> = queues.into_iter().filter(|(_, due)| *due > 0).collect();
            if let Some(oldest) = queues.iter().map(|(due, _)| *due).min() {
                backlogs.push(PullBacklog {
                    provider: (*slug).to_owned(),
                    due: queues.iter().map(|(_, due)| due.unsigned_abs()).sum(),
                    oldest: DateTime::from_timestamp_nanos(oldest),
                });
            }
        }
        Ok(backlogs)
    }

    /// The time from which a task of providers is due, or earlier.
    pub(crate) fn next_pull_task_due(&self, slugs: &[&str]) -> Result<Option<DateTime<Utc>>, StoreError> {
        if slugs.is_empty() {
            return Ok(None);
        }
        let params: Vec<&dyn Bind> = slugs.iter().map(|slug| slug as &dyn Bind).collect();
        self.connection.one(&next_due(slugs.len()), &params, |row| time(row, 0))
    }
}

fn time(row: &Row<'_>, column: usize) -> Result<Option<DateTime<Utc>>, StoreError> {
    Ok(row.get::<Option<i64>>(column)?.map(DateTime::from_timestamp_nanos))
}

/// A task from the columns [`PULL_TASK`].
pub(crate) fn pull_task(row: &Row<'_>) -> Result<PullTask, StoreError> {
    let (due, due_again) = (time(row, 2)?, time(row, 3)?);
    let (due, leased_until) = match row.get::<Option<[u8; 16]>>(4)? {
        Some(_) => (due_again, due),
        None => (due, None),
    };
    Ok(PullTask {
        provider: row.get(0)?,
        name: row.get(1)?,
        due,
        leased_until,
        failures: row.get(5)?,
        reason: row.get(6)?,
        attempted_on: time(row, 7)?,
        state: row.get(8)?,
    })
}

impl Transaction<'_> {
    /// Adds tasks to the connection of a leased task. One that exists keeps its priority and its state, and is due at the
    /// earlier of both times, unless the provider named its time. Adds none if the connection is gone: [finishing](Self::finish_pull_task) the leased task in
    /// the same transaction then fails.
    ///
    /// # Errors
    ///
    /// If a name is empty or too long.
    pub fn add_pull_tasks(&self, task: &LeasedPullTask, new: &[NewPullTask]) -> Result<(), StoreError> {
        for new in new {
            self.put_pull_task(task.connection, task.team, &task.provider, new)?;
        }
        self.schedule_pull_queues(task.connection)
    }

    /// Makes the tasks of the last days of a connection due now, also those that had nothing more to do, and the first one
    /// after a link until it is finished. A leased task of the last days is due again after its lease. Those whose next time
    /// the [provider named](PROVIDER_DELAYS) stay, and those whose last attempt succeeded less than `interval` ago. False if
    /// there are none: no connector pulls such a connection.
    pub fn hasten_pull_tasks(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
        interval: TimeDelta,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let Some(connection) = self.connection_row(team, user_id, slug)? else {
            return Ok(false);
        };
        if self.requested_pull_tasks(connection)?.0 == 0 {
            return Ok(false);
        }
        let sql = format!(
            "UPDATE pull_tasks SET {} WHERE connection = ?1 AND {}
                AND (name <> '{LINK_TASK}' OR lease IS NULL)
                AND (reason IS NULL AND attempted_on > ?3) IS NOT TRUE",
            request("?2"),
            is_requested()
        );
        let params = params![connection, instant(now), instant(now - interval)];
        self.connection.execute(&sql, params)?;
        self.schedule_pull_queues(connection)?;
        Ok(true)
    }

    /// Makes the tasks of a connection due at a time whose names fulfil a condition with the parameter `?2`.
    pub(super) fn request_pull_tasks(
        &self,
        connection: i64,
        condition: &str,
        name: &str,
        due: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let sql = format!(
            "UPDATE pull_tasks SET {} WHERE connection = ?1 AND {condition}",
            request("?3")
        );
        self.connection.execute(&sql, params![connection, name, instant(due)])?;
        self.schedule_pull_queues(connection)
    }

    /// Makes the tasks of the last days of a connection due now, as [`hasten_pull_tasks`](Self::hasten_pull_tasks) does, or
    /// with `history` restarts all its tasks, as a new link does, not before the last time that the provider named for one of
    /// them: each history is another pull, with an event of its own.
    /// False if no connector pulls such a connection: it has no such tasks.
    pub fn pull_again(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
        history: bool,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let Some(connection) = self.connection_row(team, user_id, slug)? else {
            return Ok(false);
        };
        match self.requested_pull_tasks(connection)? {
            (0, _) => Ok(false),
            (_, delayed_until) if history => {
                let due = delayed_until.map_or(now, |until| until.max(now));
                self.restart_pull_tasks(connection, team, slug, due)?;
                Ok(true)
            }
            _ => self.hasten_pull_tasks(team, user_id, slug, TimeDelta::zero(), now),
        }
    }

    /// Returns the number of the tasks of a connection that requests make due, and the latest time that the provider named for
    /// any of its tasks.
    fn requested_pull_tasks(&self, connection: i64) -> Result<(i64, Option<DateTime<Utc>>), StoreError> {
        let sql = format!(
            "SELECT count(CASE WHEN {} THEN 1 END), max(CASE WHEN {} THEN due END) FROM pull_tasks
            WHERE connection = ?1",
            is_requested(),
            is_delayed()
        );
        self.connection.one(&sql, params![connection], |row| {
            Ok::<_, StoreError>((row.get::<i64>(0)?, time(row, 1)?))
        })
    }

    fn connection_row(&self, team: TeamId, user_id: Uuid, slug: &str) -> Result<Option<i64>, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(None);
        };
        let sql = "SELECT id FROM connections WHERE user_row = ?1 AND slug = ?2";
        self.connection.first(sql, params![user_row, slug], |row| row.get(0))
    }

    /// Replaces the tasks of a connection by the first one after a link, whose account may be another one.
    pub(crate) fn restart_pull_tasks(
        &self,
        connection: i64,
        team: TeamId,
        slug: &str,
        due: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.connection
            .execute("DELETE FROM pull_tasks WHERE connection = ?1", params![connection])?;
        let link = NewPullTask {
            name: LINK_TASK.to_owned(),
            priority: 0,
            due,
            state: "{}".to_owned(),
        };
        self.put_pull_task(connection, team, slug, &link)?;
        self.schedule_pull_queues(connection)
    }

    fn put_pull_task(&self, connection: i64, team: TeamId, slug: &str, new: &NewPullTask) -> Result<(), StoreError> {
        if new.name.is_empty() || new.name.chars().count() > MAX_NAME {
            return Err(StoreError::Refused {
                field: "name".into(),
                reason: format!("must have 1 to {MAX_NAME} characters"),
            });
        }
        let priority = u32::from(new.priority);
        let sql = "INSERT INTO pull_queues (slug, priority, team_id, leased_on) VALUES (?1, ?2, ?3, 0)
            ON CONFLICT (slug, priority, team_id) DO NOTHING";
        let queue = params![slug, priority, team.as_bytes()];
        self.connection.execute_pipelined(sql, queue)?;
        let sql = format!(
            "INSERT INTO pull_tasks (connection, queue, name, due, failures, state)
            SELECT connections.id, pull_queues.id, ?5, ?6, 0, ?7 FROM pull_queues
            JOIN connections ON connections.id = ?4
            WHERE pull_queues.slug = ?1 AND pull_queues.priority = ?2 AND pull_queues.team_id = ?3
            ON CONFLICT (connection, name) DO UPDATE SET {}",
            request("excluded.due")
        );
        let params = params![
            slug,
            priority,
            team.as_bytes(),
            connection,
            new.name,
            instant(new.due),
            new.state
        ];
        Ok(self.connection.execute_pipelined(&sql, params)?)
    }

    /// Updates the time of the first task of the queues of a connection.
    pub(super) fn schedule_pull_queues(&self, connection: i64) -> Result<(), StoreError> {
        let sql = "UPDATE pull_queues
            SET due = (SELECT min(due) FROM pull_tasks WHERE queue = pull_queues.id AND due IS NOT NULL)
            WHERE id IN (SELECT queue FROM pull_tasks WHERE connection = ?1)";
        Ok(self.connection.execute_pipelined(sql, params![connection])?)
    }
}
