//! Sync status of the resources of users.

use std::collections::{BTreeMap, HashMap};

use chrono::DateTime;
use wearlab_models::{AttemptStatus, IngestionAttempt, IntrospectedResource, ResourceName, UserResources};

use super::page::{Introspected, day, of_users};
use crate::sql::Reader;
use crate::sql::users::row::UserRow;
use crate::sql::value::Row;
use crate::{IntrospectionFilter, IntrospectionPage, StoreError, TeamId};

/// Resources of a user, by provider and name.
type Resources = BTreeMap<String, BTreeMap<ResourceName, IntrospectedResource>>;

impl Reader<'_> {
    /// Reads the sync status of the resources of users. None if the team has no such user.
    pub(crate) fn introspected_resources(
        &self,
        team: TeamId,
        filter: &IntrospectionFilter<'_>,
        limit: usize,
    ) -> Result<Option<IntrospectionPage<UserResources>>, StoreError> {
        self.introspected(team, filter, "resources", limit, |users| {
            self.resources_of_users(users, filter.provider)
        })
    }

    fn resources_of_users(
        &self,
        users: &[Introspected],
        provider: Option<&str>,
    ) -> Result<Vec<UserResources>, StoreError> {
        if users.is_empty() {
            return Ok(Vec::new());
        }
        let mut by_user: HashMap<UserRow, Resources> = HashMap::new();
        for (user, connection) in self.introspected_connections(users, provider)? {
            by_user.entry(user).or_default().entry(connection.slug).or_default();
        }
        let sql = format!(
            "SELECT user_row, provider, resource, attempted_on, failed, events,
                (SELECT min(day) FROM days WHERE days.user_row = resources.user_row
                    AND days.provider = resources.provider AND days.resource = resources.resource
                    AND days.has_data = 1),
                (SELECT max(day) FROM days WHERE days.user_row = resources.user_row
                    AND days.provider = resources.provider AND days.resource = resources.resource
                    AND days.has_data = 1)
            FROM resources WHERE (?1 = '' OR provider = ?1) AND {}",
            of_users("user_row", users.len())
        );
        self.connection
            .all(&sql, &Introspected::params(users, &provider), |row| {
                let resources = by_user.entry(UserRow::of(row, 0)?).or_default();
                let name: String = row.get(2)?;
                let of_provider = resources.entry(row.get(1)?).or_default();
                of_provider.insert(ResourceName::from(name.as_str()), resource(row)?);
                Ok::<_, StoreError>(())
            })?;
        let users = users.iter().map(|user| {
            UserResources::builder()
                .user_id(user.position.user_id)
                .provider(by_user.remove(&user.row).unwrap_or_default())
                .build()
        });
        Ok(users.collect())
    }
}

fn resource(row: &Row<'_>) -> Result<IntrospectedResource, StoreError> {
    let failed: i64 = row.get(4)?;
    let status = match failed {
        0 => AttemptStatus::Success,
        _ => AttemptStatus::Failure,
    };
    let attempted_on = row.get::<Option<i64>>(3)?.map(DateTime::from_timestamp_nanos);
    let attempt = attempted_on.map(|at| {
        IngestionAttempt::builder()
            .timestamp(at.fixed_offset())
            .status(status)
            .build()
    });
    Ok(IntrospectedResource::builder()
        .maybe_last_attempt(attempt)
        .maybe_oldest_data(day(row, 6)?)
        .maybe_newest_data(day(row, 7)?)
        .maybe_sent_count(row.get::<Option<i64>>(5)?)
        .build())
}
