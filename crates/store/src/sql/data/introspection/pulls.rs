//! Historical pulls of users: those of which chunks are stored, and those that connectors have in their queue.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::DateTime;
use wearlab_models::{ConnectedProvider, ProviderPulls, ResourceName, UserPulls};

use super::page::{Introspected, day, of_users};
use super::pull::{HistoryTask, StoredPull, historical_pull};
use crate::pull_task::HISTORY_TASKS;
use crate::sql::Reader;
use crate::sql::linking::pull_tasks::{PULL_TASK, pull_task};
use crate::sql::users::row::UserRow;
use crate::sql::value::Row;
use crate::{IntrospectionFilter, IntrospectionPage, StoreError, TeamId};

/// Stored pulls of a user from one provider.
#[derive(Default)]
struct OfProvider {
    connection: Option<ConnectedProvider>,
    /// The latest pull of each resource.
    stored: BTreeMap<ResourceName, StoredPull>,
    tasks: Vec<HistoryTask>,
}

impl Reader<'_> {
    /// The historical pulls of users. None if the team has no such user.
    pub(crate) fn historical_pulls(
        &self,
        team: TeamId,
        filter: &IntrospectionFilter<'_>,
        limit: usize,
    ) -> Result<Option<IntrospectionPage<UserPulls>>, StoreError> {
        self.introspected(team, filter, "pulls", limit, |users| {
            self.pulls_of_users(users, filter.provider)
        })
    }

    fn pulls_of_users(&self, users: &[Introspected], provider: Option<&str>) -> Result<Vec<UserPulls>, StoreError> {
        if users.is_empty() {
            return Ok(Vec::new());
        }
        let mut by_user: HashMap<UserRow, BTreeMap<String, OfProvider>> = HashMap::new();
        for (user, connection) in self.introspected_connections(users, provider)? {
            let of_provider = by_user.entry(user).or_default().entry(connection.slug.clone());
            of_provider.or_default().connection = Some(connection);
        }
        let params = Introspected::params(users, &provider);
        self.connection.all(&latest(users.len()), &params, |row| {
            let (slug, name): (String, String) = (row.get(1)?, row.get(2)?);
            let providers = by_user.entry(UserRow::of(row, 0)?).or_default();
            let of_provider = providers.entry(slug).or_default();
            of_provider
                .stored
                .insert(ResourceName::from(name.as_str()), stored_pull(row)?);
            Ok::<_, StoreError>(())
        })?;
        self.connection.all(&tasks(users.len()), &params, |row| {
            let task = pull_task(row)?;
            let providers = by_user.entry(UserRow::of(row, 9)?).or_default();
            let of_provider = providers.entry(task.provider.clone()).or_default();
            of_provider.tasks.extend(HistoryTask::of(task));
            Ok::<_, StoreError>(())
        })?;
        let users = users.iter().map(|user| {
            let providers = by_user.remove(&user.row).unwrap_or_default();
            let providers = providers.into_iter().map(|(slug, pulls)| (slug, pulls.shown()));
            UserPulls::builder()
                .user_id(user.position.user_id)
                .provider(providers.collect())
                .build()
        });
        Ok(users.collect())
    }
}

impl OfProvider {
    fn shown(&self) -> ProviderPulls {
        let connection = self.connection.as_ref();
        let scheduled = self.tasks.iter().flat_map(|task| &task.history.resources);
        let names: BTreeSet<_> = self.stored.keys().chain(scheduled).collect();
        let pulled = names.into_iter().filter_map(|name| {
            let task = self.tasks.iter().find(|task| task.history.resources.contains(name));
            let pull = historical_pull(self.stored.get(name), task, connection)?;
            Some((name.clone(), pull))
        });
        let pulled: BTreeMap<_, _> = pulled.collect();
        let available = connection.map(|connection| connection.resource_availability.keys());
        let not_pulled: BTreeSet<_> = available.into_iter().flatten().cloned().collect();
        let not_pulled = not_pulled.into_iter().filter(|name| !pulled.contains_key(name));
        let not_pulled = not_pulled.collect();
        ProviderPulls::builder().pulled(pulled).not_pulled(not_pulled).build()
    }
}

/// Returns the statement for the latest pull of each resource of a number of users.
fn latest(users: usize) -> String {
    format!(
        "SELECT user_row, provider, resource, pull_id, chunks, arrived, touched_on, started_on, first_day, last_day,
            (SELECT count(DISTINCT day) FROM days WHERE days.user_row = pulls.user_row
                AND days.provider = pulls.provider AND days.resource = pulls.resource
                AND days.day >= pulls.first_day AND days.day <= pulls.last_day AND days.has_data = 1)
        FROM pulls WHERE (?1 = '' OR provider = ?1) AND {}
            AND id = (SELECT max(id) FROM pulls AS others WHERE others.user_row = pulls.user_row
                AND others.provider = pulls.provider AND others.resource = pulls.resource)",
        of_users("user_row", users)
    )
}

/// Returns the statement for the tasks of a number of users that pull histories.
fn tasks(users: usize) -> String {
    format!(
        "SELECT {PULL_TASK}, connections.user_row
        FROM connections JOIN pull_tasks ON pull_tasks.connection = connections.id
        WHERE (?1 = '' OR connections.slug = ?1) AND {}
            AND substr(pull_tasks.name, 1, {}) = '{HISTORY_TASKS}'",
        of_users("connections.user_row", users),
        HISTORY_TASKS.len()
    )
}

fn stored_pull(row: &Row<'_>) -> Result<StoredPull, StoreError> {
    let [chunks, arrived, touched_on]: [i64; 3] = [row.get(4)?, row.get(5)?, row.get(6)?];
    let started_on: Option<i64> = row.get(7)?;
    Ok(StoredPull {
        id: row.get(3)?,
        is_complete: arrived == chunks,
        touched: DateTime::from_timestamp_nanos(touched_on),
        started: started_on.map(DateTime::from_timestamp_nanos),
        first: day(row, 8)?,
        last: day(row, 9)?,
        days_with_data: row.get(10)?,
    })
}

#[cfg(test)]
mod tests {
    use wearlab_database::sqlite;

    use super::{latest, tasks};
    use crate::EmbeddedSettings;
    use crate::schema::EMBEDDED;
    use crate::sql::query_plan;

    #[test]
    fn only_rows_of_the_users_of_a_page_are_read() {
        let directory = tempfile::tempdir().expect("a directory");
        let database =
            sqlite::Database::open(directory.path(), &EMBEDDED, &EmbeddedSettings::default()).expect("opens");
        for (sql, steps) in [
            (latest(3), vec!["SEARCH pulls USING", "(user_row=?"]),
            (
                tasks(3),
                vec![
                    "SEARCH connections USING",
                    "(user_row=?",
                    "SEARCH pull_tasks USING",
                    "(connection=?",
                ],
            ),
        ] {
            let (found, plan) = query_plan(&database, &sql);
            assert_eq!(found, 4, "{sql}");
            let plan = plan.join("\n");
            assert!(steps.iter().all(|step| plan.contains(step)), "{plan}");
            assert!(!plan.contains("SCAN"), "{plan}");
        }
    }
}
