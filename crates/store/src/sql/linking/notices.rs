//! Notices of providers: the connections of an account, and the pulls that a notice makes due.

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use wearlab_models::ResourceName;

use crate::sql::Transaction;
use crate::sql::document::instant;
use crate::sql::linking::pull_tasks::requested_due;
use crate::sql::value::params;
use crate::{AccountConnection, OrganisationId, StoreError, TeamId};

const OF_ACCOUNT: &str =
    "SELECT connections.id, connections.created_on, users.user_id, teams.team_id, teams.organisation_id
    FROM provider_users
    JOIN connections ON connections.id = provider_users.connection
    JOIN users ON users.id = connections.user_row
    JOIN teams ON teams.team_id = users.team_id
    WHERE provider_users.provider_user_id = ?1 AND provider_users.provider = ?2
    ORDER BY provider_users.connection";
const OF_PROVIDER_ID: &str = "SELECT summary_id, day FROM summaries
    WHERE user_row = ?1 AND resource = ?2 AND provider_id = ?3 AND provider = ?4 ORDER BY id";

impl Transaction<'_> {
    /// Returns the connections of an account at a provider, by the provider's own id of the user. Several users may have
    /// linked one account.
    pub fn connections_of_account(
        &self,
        slug: &str,
        provider_user_id: &str,
    ) -> Result<Vec<AccountConnection>, StoreError> {
        self.connection.all(OF_ACCOUNT, params![provider_user_id, slug], |row| {
            Ok(AccountConnection {
                id: row.get(0)?,
                provider: slug.to_owned(),
                created_on: DateTime::from_timestamp_nanos(row.get(1)?),
                user_id: Uuid::from_bytes(row.get(2)?),
                team: TeamId::new(Uuid::from_bytes(row.get(3)?)),
                organisation: OrganisationId::new(row.get::<String>(4)?),
            })
        })
    }

    /// Returns the state of a task of a connection. None if it has no such task.
    pub fn pull_task_state(&self, of: &AccountConnection, name: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT state FROM pull_tasks WHERE connection = ?1 AND name = ?2";
        self.connection.first(sql, params![of.id, name], |row| row.get(0))
    }

    /// Makes a task of a connection due at a time, unless it is due earlier, or the [provider named](crate::PROVIDER_DELAYS)
    /// the next time. A leased one is due again after its lease.
    pub fn request_pull_task(&self, of: &AccountConnection, name: &str, due: DateTime<Utc>) -> Result<(), StoreError> {
        self.request_pull_tasks(of.id, "name = ?2", name, due)
    }

    /// Replaces the state of a task of a connection, and makes it due at a time, as
    /// [`request_pull_task`](Self::request_pull_task) does. If a process has the task, its lease ends, and its result is not
    /// written: it began from the state before.
    pub fn replace_pull_task_state(
        &self,
        of: &AccountConnection,
        name: &str,
        state: &str,
        due: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let sql = format!(
            "UPDATE pull_tasks SET lease = NULL, due_again = NULL, state = ?4,
                due = CASE WHEN lease IS NULL THEN {} ELSE ?3 END
            WHERE connection = ?1 AND name = ?2",
            requested_due("?3")
        );
        self.connection
            .execute(&sql, params![of.id, name, instant(due), state])?;
        self.schedule_pull_queues(of.id)
    }

    /// Ends the lease of a task of a connection, if a process has it, and makes it due at a time: the result of the process
    /// is not written.
    pub fn end_pull_lease(&self, of: &AccountConnection, name: &str, due: DateTime<Utc>) -> Result<(), StoreError> {
        let sql = "UPDATE pull_tasks SET lease = NULL, due_again = NULL, due = ?3
            WHERE connection = ?1 AND name = ?2 AND lease IS NOT NULL";
        self.connection.execute(sql, params![of.id, name, instant(due)])?;
        self.schedule_pull_queues(of.id)
    }

    /// Returns the summaries of a connection's user that the provider has under an id of its own: their ids and days.
    pub fn summaries_of_provider_id(
        &self,
        of: &AccountConnection,
        resource: &ResourceName,
        provider_id: &str,
    ) -> Result<Vec<(Uuid, NaiveDate)>, StoreError> {
        let Some(user_row) = self.user_row(of.team, of.user_id)? else {
            return Ok(Vec::new());
        };
        let params = params![user_row, resource.as_str(), provider_id, of.provider];
        self.connection.all(OF_PROVIDER_ID, params, |row| {
            let what = "day of a summary";
            let day = row.get::<String>(1)?.parse();
            Ok((
                Uuid::from_bytes(row.get(0)?),
                day.map_err(|_| StoreError::Document { what })?,
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use wearlab_database::sqlite;

    use super::{OF_ACCOUNT, OF_PROVIDER_ID};
    use crate::EmbeddedSettings;
    use crate::schema::EMBEDDED;
    use crate::sql::query_plan;

    #[test]
    fn what_a_notice_names_is_found_by_an_index() {
        let directory = tempfile::tempdir().expect("a directory");
        let database =
            sqlite::Database::open(directory.path(), &EMBEDDED, &EmbeddedSettings::default()).expect("opens");
        for (sql, step) in [
            (OF_ACCOUNT, "provider_users_by_id (provider_user_id=? AND provider=?)"),
            (
                OF_PROVIDER_ID,
                "summaries_by_provider_id (user_row=? AND resource=? AND provider_id=?)",
            ),
        ] {
            let (_, plan) = query_plan(&database, sql);
            let plan = plan.join("\n");
            assert!(plan.contains(step), "{plan}");
            assert!(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}
