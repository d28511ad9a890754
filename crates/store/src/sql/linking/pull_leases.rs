//! Leases of the tasks of connectors.
//!
//! Tasks wait in queues, one for each team, provider and priority. A lease takes tasks of the due queues in turn, so that a
//! team with many tasks delays no other one. It reads the due queues, and the tasks that it takes.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::pull_task::{PROVIDER_DELAYS, PullLease};
use crate::sql::Transaction;
use crate::sql::document::{instant, is_one_of, rows};
use crate::sql::value::{Bind, Row, params};
use crate::{LeasedPullTask, OrganisationId, PullTaskUpdate, StoreError, TeamId};

const DUE_TASKS: &str = "SELECT id FROM pull_tasks WHERE queue = ?1 AND due <= ?2 ORDER BY due, id LIMIT ?3";

const LEASED: &str =
    "SELECT pull_tasks.id, pull_tasks.connection, pull_tasks.name, pull_tasks.state, pull_tasks.failures,
    connections.slug, connections.created_on, users.user_id, teams.team_id, teams.organisation_id
    FROM pull_tasks
    JOIN connections ON connections.id = pull_tasks.connection
    JOIN users ON users.id = connections.user_row
    JOIN teams ON teams.team_id = users.team_id
    WHERE pull_tasks.id = ?1";

const SCHEDULE: &str = "UPDATE pull_queues SET leased_on = ?2,
    due = (SELECT min(due) FROM pull_tasks WHERE queue = pull_queues.id AND due IS NOT NULL)
    WHERE id = ?1";

/// Returns the statement for the due queues of a number of providers, in the order in which tasks are leased from them.
fn due_queues(slugs: usize) -> String {
    format!(
        "SELECT id, priority FROM pull_queues WHERE due <= ?1 AND {}
        ORDER BY priority, CASE WHEN due > leased_on THEN due ELSE leased_on END, id LIMIT ?2",
        is_one_of("slug", 3, slugs)
    )
}

impl Transaction<'_> {
    /// Leases due tasks of providers until a time after `now`. Tasks of the first priority go first, and the longest due
    /// first; teams take turns. Returns fewer than `limit` only if no others are due.
    ///
    /// A task that is not [finished](Self::finish_pull_task) before the end of its lease is due again.
    pub fn lease_pull_tasks(
        &self,
        slugs: &[&str],
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: usize,
        fresh_id: fn() -> Uuid,
    ) -> Result<Vec<LeasedPullTask>, StoreError> {
        let lease = PullLease(fresh_id().into_bytes());
        let mut leased = Vec::new();
        while leased.len() < limit {
            let missing = limit - leased.len();
            let queues = self.due_pull_queues(slugs, now, missing)?;
            if queues.is_empty() {
                break;
            }
            let tasks = self.due_pull_tasks(&queues, now, missing / queues.len())?;
            leased.extend(self.take_pull_tasks(&tasks, until, lease)?);
            for queue in &queues {
                self.connection
                    .execute_pipelined(SCHEDULE, params![queue, instant(now)])?;
            }
        }
        Ok(leased)
    }

    /// The due queues of the first priority that has any, at most `limit`.
    fn due_pull_queues(&self, slugs: &[&str], now: DateTime<Utc>, limit: usize) -> Result<Vec<i64>, StoreError> {
        if slugs.is_empty() {
            return Ok(Vec::new());
        }
        let (now, limit) = (instant(now), rows(limit));
        let mut params: Vec<&dyn Bind> = vec![&now, &limit];
        params.extend(slugs.iter().map(|slug| slug as &dyn Bind));
        let queues = self.connection.all(&due_queues(slugs.len()), &params, |row| {
            Ok((row.get::<i64>(0)?, row.get::<i64>(1)?))
        })?;
        let first = queues.first().map(|(_, priority)| *priority);
        let of_first = queues.into_iter().take_while(|(_, priority)| Some(*priority) == first);
        Ok(of_first.map(|(id, _)| id).collect())
    }

    /// The longest due tasks of each queue, at most `limit` of each.
    fn due_pull_tasks(&self, queues: &[i64], now: DateTime<Utc>, limit: usize) -> Result<Vec<i64>, StoreError> {
        let (now, limit) = (instant(now), rows(limit));
        for queue in queues {
            self.connection.prefetch(DUE_TASKS, params![queue, now, limit])?;
        }
        let mut tasks = Vec::new();
        for queue in queues {
            let of_queue = params![queue, now, limit];
            tasks.extend(self.connection.all(DUE_TASKS, of_queue, |row| row.get::<i64>(0))?);
        }
        Ok(tasks)
    }

    fn take_pull_tasks(
        &self,
        tasks: &[i64],
        until: DateTime<Utc>,
        lease: PullLease,
    ) -> Result<Vec<LeasedPullTask>, StoreError> {
        for task in tasks {
            self.connection.prefetch(LEASED, params![task])?;
        }
        let leased = tasks.iter().map(|task| {
            let leased = |row: &Row<'_>| leased_pull_task(row, lease);
            self.connection.one(LEASED, params![task], leased)
        });
        let leased = leased.collect::<Result<_, _>>()?;
        for task in tasks {
            let sql = "UPDATE pull_tasks SET lease = ?2, due = ?3, due_again = NULL WHERE id = ?1";
            self.connection
                .execute_pipelined(sql, params![task, lease.0, instant(until)])?;
        }
        Ok(leased)
    }

    /// Ends a lease with the result of the attempt. If the task was requested during the lease, it is due at the earlier of
    /// both times, unless the [provider named](crate::PROVIDER_DELAYS) the next one.
    ///
    /// False if the lease was lost: another process has the task, or the connection is gone or was linked again. Then nothing
    /// is changed, and the other writes of the transaction should be rolled back.
    pub fn finish_pull_task(
        &self,
        task: &LeasedPullTask,
        update: &PullTaskUpdate,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE pull_tasks SET lease = NULL, due_again = NULL,
                due = CASE WHEN due_again IS NULL OR ?3 <= due_again OR ?8 = 1 THEN ?3 ELSE due_again END,
                state = ?4, failures = ?5, reason = ?6, attempted_on = ?7
            WHERE id = ?1 AND lease = ?2";
        let reason = update.reason.as_deref();
        let is_delayed = i64::from(reason.is_some_and(|code| PROVIDER_DELAYS.contains(&code)));
        let params = params![
            task.id,
            task.lease.0,
            update.due.map(instant),
            update.state,
            update.failures,
            update.reason,
            instant(now),
            is_delayed,
        ];
        let finished = self.connection.execute(sql, params)? > 0;
        if finished {
            self.schedule_pull_queues(task.connection)?;
        }
        Ok(finished)
    }

    /// Ends a lease whose attempt was interrupted: the task is due at `now`, and keeps its state and its last failure. Nothing
    /// is changed if the lease was lost.
    pub fn release_pull_task(&self, task: &LeasedPullTask, now: DateTime<Utc>) -> Result<(), StoreError> {
        let sql = "UPDATE pull_tasks SET lease = NULL, due_again = NULL, due = ?3 WHERE id = ?1 AND lease = ?2";
        let params = params![task.id, task.lease.0, instant(now)];
        if self.connection.execute(sql, params)? > 0 {
            self.schedule_pull_queues(task.connection)?;
        }
        Ok(())
    }

    /// Extends a lease until a time. False if it was lost.
    pub fn renew_pull_task(&self, task: &LeasedPullTask, until: DateTime<Utc>) -> Result<bool, StoreError> {
        let sql = "UPDATE pull_tasks SET due = ?3 WHERE id = ?1 AND lease = ?2";
        let params = params![task.id, task.lease.0, instant(until)];
        let renewed = self.connection.execute(sql, params)? > 0;
        if renewed {
            self.schedule_pull_queues(task.connection)?;
        }
        Ok(renewed)
    }
}

fn leased_pull_task(row: &Row<'_>, lease: PullLease) -> Result<LeasedPullTask, StoreError> {
    Ok(LeasedPullTask {
        id: row.get(0)?,
        connection: row.get(1)?,
        name: row.get(2)?,
        state: row.get(3)?,
        failures: row.get(4)?,
        provider: row.get(5)?,
        created_on: DateTime::from_timestamp_nanos(row.get(6)?),
        user_id: Uuid::from_bytes(row.get(7)?),
        team: TeamId::new(Uuid::from_bytes(row.get(8)?)),
        organisation: OrganisationId::new(row.get::<String>(9)?),
        lease,
    })
}

#[cfg(test)]
mod tests {
    use wearlab_database::sqlite;

    use super::{DUE_TASKS, LEASED, SCHEDULE, due_queues};
    use crate::EmbeddedSettings;
    use crate::schema::EMBEDDED;
    use crate::sql::linking::pull_tasks::{BACKLOG, next_due};
    use crate::sql::query_plan;

    #[test]
    fn no_more_tasks_are_read_than_are_leased() {
        let directory = tempfile::tempdir().expect("a directory");
        let database =
            sqlite::Database::open(directory.path(), &EMBEDDED, &EmbeddedSettings::default()).expect("opens");
        let by_id = "USING INTEGER PRIMARY KEY (rowid=?)";
        for (sql, params, step, sorts) in [
            (due_queues(2), 4, "pull_queues_due (slug=? AND due<?)", true),
            (
                DUE_TASKS.to_owned(),
                3,
                "COVERING INDEX pull_tasks_due (queue=? AND due<?)",
                false,
            ),
            (LEASED.to_owned(), 1, by_id, false),
            (
                SCHEDULE.to_owned(),
                2,
                "COVERING INDEX pull_tasks_due (queue=? AND due>?)",
                false,
            ),
            (
                BACKLOG.to_owned(),
                2,
                "COVERING INDEX pull_tasks_due (queue=? AND due<?)",
                false,
            ),
            (
                next_due(1),
                1,
                "COVERING INDEX pull_queues_due (slug=? AND due>?)",
                false,
            ),
        ] {
            let (found, plan) = query_plan(&database, &sql);
            assert_eq!(found, params, "{sql}");
            let plan = plan.join("\n");
            assert!(plan.contains(step), "{plan}");
            assert!(!plan.contains("SCAN pull") && !plan.contains("SCAN c"), "{plan}");
            assert_eq!(plan.contains("TEMP B-TREE"), sorts, "{plan}");
        }
    }
}
