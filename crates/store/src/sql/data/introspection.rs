//! Sync status of the resources and the historical pulls of users.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use wearlab_models::{
    AttemptStatus, ConnectedProvider, ConnectionStatus, HistoricalPull, IngestionAttempt, IntrospectedResource,
    ProviderPulls, PullStatus, PullTimeline, ResourceName, UserPulls, UserResources,
};

use crate::sql::Reader;
use crate::sql::document::{decode, rows};
use crate::sql::users::row::UserRow;
use crate::sql::value::{Row, params};
use crate::{IntrospectionFilter, IntrospectionPage, StoreError, TeamId, UserPosition};

/// Maximum number of users that one page scans for those of a provider.
const MOST_LOOKED_THROUGH: usize = 10_000;

/// A user of a page.
struct Introspected {
    position: UserPosition,
    row: UserRow,
}

impl Reader<'_> {
    /// Reads the sync status of the resources of users. None if the team has no such user.
    pub(crate) fn introspected_resources(
        &self,
        team: TeamId,
        filter: &IntrospectionFilter<'_>,
        limit: usize,
    ) -> Result<Option<IntrospectionPage<UserResources>>, StoreError> {
        self.introspected(team, filter, "resources", limit, |user| {
            self.resources(user, filter.provider)
        })
    }

    /// The historical pulls of users. None if the team has no such user.
    pub(crate) fn historical_pulls(
        &self,
        team: TeamId,
        filter: &IntrospectionFilter<'_>,
        limit: usize,
    ) -> Result<Option<IntrospectionPage<UserPulls>>, StoreError> {
        self.introspected(team, filter, "pulls", limit, |user| self.pulls(user, filter.provider))
    }

    /// A page of users with the result of `of` for each; with a provider, only users who are connected with it, or
    /// have a row of it in `table`.
    fn introspected<T>(
        &self,
        team: TeamId,
        filter: &IntrospectionFilter<'_>,
        table: &str,
        limit: usize,
        of: impl Fn(&Introspected) -> Result<T, StoreError>,
    ) -> Result<Option<IntrospectionPage<T>>, StoreError> {
        if let Some(user_id) = filter.user_id {
            let key = params![team.as_bytes(), user_id.as_bytes()];
            let sql = "SELECT id, created_on, user_id FROM users WHERE team_id = ?1 AND user_id = ?2";
            let Some(user) = self.connection.first(sql, key, user)? else {
                return Ok(None);
            };
            let has_any = match filter.provider {
                None => true,
                Some(provider) => self.has_provider(user.row, table, provider)?,
            };
            let users = has_any.then(|| of(&user)).transpose()?;
            let users = users.into_iter().collect();
            return Ok(Some(IntrospectionPage { users, next: None }));
        }
        if let Some(provider) = filter.provider {
            let (found, next) = self.users_of_provider(team, filter.after.as_ref(), table, provider, limit)?;
            let users = found.iter().map(of).collect::<Result<_, _>>()?;
            return Ok(Some(IntrospectionPage { users, next }));
        }
        let (created_on, user_id) = match &filter.after {
            Some(after) => (after.created_on, after.user_id),
            None => (i64::MIN, Uuid::nil()),
        };
        let sql = "SELECT id, created_on, user_id FROM users WHERE team_id = ?1 AND (created_on, user_id) > (?2, ?3)
            ORDER BY created_on, user_id LIMIT ?4";
        // One more row shows whether there is another page.
        let params = params![
            team.as_bytes(),
            created_on,
            user_id.as_bytes(),
            rows(limit.saturating_add(1))
        ];
        let mut found = self.connection.all(sql, params, user)?;
        let more = found.len() > limit;
        found.truncate(limit);
        let users = found.iter().map(of).collect::<Result<_, _>>()?;
        let next = found.pop().filter(|_| more).map(|last| last.position);
        Ok(Some(IntrospectionPage { users, next }))
    }

    /// At most `limit` users with rows of a provider, after a position, and the position to continue from. No more than
    /// [`MOST_LOOKED_THROUGH`] users are scanned, so that a page may be short before the last one.
    fn users_of_provider(
        &self,
        team: TeamId,
        after: Option<&UserPosition>,
        table: &str,
        provider: &str,
        limit: usize,
    ) -> Result<(Vec<Introspected>, Option<UserPosition>), StoreError> {
        let sql = format!(
            "SELECT id, created_on, user_id,
                (SELECT count(*) FROM connections WHERE connections.user_row = users.id AND slug = ?5)
                    + (SELECT count(*) FROM {table} WHERE {table}.user_row = users.id AND {table}.provider = ?5)
            FROM users WHERE team_id = ?1 AND (created_on, user_id) > (?2, ?3)
            ORDER BY created_on, user_id LIMIT ?4"
        );
        let (created_on, user_id) = match after {
            Some(after) => (after.created_on, after.user_id),
            None => (i64::MIN, Uuid::nil()),
        };
        let params = params![
            team.as_bytes(),
            created_on,
            user_id.as_bytes(),
            rows(MOST_LOOKED_THROUGH),
            provider
        ];
        let seen = self.connection.all(&sql, params, |row| {
            let count: i64 = row.get(3)?;
            Ok::<_, StoreError>((user(row)?, count > 0))
        })?;
        let is_whole = seen.len() < MOST_LOOKED_THROUGH;
        let (mut found, mut last) = (Vec::new(), None);
        for (user, has_any) in seen {
            if has_any && found.len() == limit {
                return Ok((found, last));
            }
            last = Some(user.position.clone());
            if has_any {
                found.push(user);
            }
        }
        Ok((found, last.filter(|_| !is_whole)))
    }

    fn has_provider(&self, user_row: UserRow, table: &str, provider: &str) -> Result<bool, StoreError> {
        let sql = format!(
            "SELECT (SELECT count(*) FROM connections WHERE user_row = ?1 AND slug = ?2)
                + (SELECT count(*) FROM {table} WHERE user_row = ?1 AND provider = ?2)"
        );
        let count: i64 = self
            .connection
            .one(&sql, params![user_row, provider], |row| row.get(0))?;
        Ok(count > 0)
    }

    fn resources(&self, user: &Introspected, provider: Option<&str>) -> Result<UserResources, StoreError> {
        let sql = "SELECT provider, resource, attempted_on, failed, events,
                (SELECT min(day) FROM days WHERE days.user_row = resources.user_row
                    AND days.provider = resources.provider AND days.resource = resources.resource
                    AND days.has_data = 1),
                (SELECT max(day) FROM days WHERE days.user_row = resources.user_row
                    AND days.provider = resources.provider AND days.resource = resources.resource
                    AND days.has_data = 1)
            FROM resources WHERE user_row = ?1 AND (?2 = '' OR provider = ?2) ORDER BY provider, resource";
        let mut providers: BTreeMap<String, BTreeMap<ResourceName, IntrospectedResource>> = BTreeMap::new();
        for connection in self.connections_of(user.row, provider)? {
            providers.entry(connection.slug).or_default();
        }
        self.connection
            .all(sql, params![user.row, provider.unwrap_or_default()], |row| {
                let failed: i64 = row.get(3)?;
                let status = match failed {
                    0 => AttemptStatus::Success,
                    _ => AttemptStatus::Failure,
                };
                let attempted_on = row.get::<Option<i64>>(2)?.map(DateTime::from_timestamp_nanos);
                let attempt = attempted_on.map(|at| {
                    IngestionAttempt::builder()
                        .timestamp(at.fixed_offset())
                        .status(status)
                        .build()
                });
                let resource = IntrospectedResource::builder()
                    .maybe_last_attempt(attempt)
                    .maybe_oldest_data(day(row, 5)?)
                    .maybe_newest_data(day(row, 6)?)
                    .maybe_sent_count(row.get::<Option<i64>>(4)?)
                    .build();
                let name: String = row.get(1)?;
                let of_provider = providers.entry(row.get(0)?).or_default();
                of_provider.insert(ResourceName::from(name.as_str()), resource);
                Ok(())
            })?;
        let user = UserResources::builder()
            .user_id(user.position.user_id)
            .provider(providers);
        Ok(user.build())
    }

    fn pulls(&self, user: &Introspected, provider: Option<&str>) -> Result<UserPulls, StoreError> {
        let connections = self.connections_of(user.row, provider)?;
        let connection_of = |slug: &str| connections.iter().find(|connection| connection.slug == slug);
        let mut providers: BTreeMap<String, BTreeMap<ResourceName, HistoricalPull>> = connections
            .iter()
            .map(|connection| (connection.slug.clone(), BTreeMap::new()))
            .collect();
        // The latest one of each resource.
        let sql = "SELECT provider, resource, chunks, arrived, touched_on, started_on, first_day, last_day,
                (SELECT count(DISTINCT day) FROM days WHERE days.user_row = pulls.user_row
                    AND days.provider = pulls.provider AND days.resource = pulls.resource
                    AND days.day >= pulls.first_day AND days.day <= pulls.last_day AND days.has_data = 1)
            FROM pulls WHERE user_row = ?1 AND (?2 = '' OR provider = ?2)
                AND id = (SELECT max(id) FROM pulls AS others WHERE others.user_row = pulls.user_row
                    AND others.provider = pulls.provider AND others.resource = pulls.resource)
            ORDER BY provider, resource";
        self.connection
            .all(sql, params![user.row, provider.unwrap_or_default()], |row| {
                let slug: String = row.get(0)?;
                let name: String = row.get(1)?;
                let pull = pull(row, connection_of(&slug))?;
                let of_provider = providers.entry(slug).or_default();
                of_provider.insert(ResourceName::from(name.as_str()), pull);
                Ok(())
            })?;
        let providers = providers.into_iter().map(|(slug, pulled)| {
            let available = connection_of(&slug).map(|connection| connection.resource_availability.keys());
            let not_pulled: BTreeSet<_> = available.into_iter().flatten().cloned().collect();
            let not_pulled = not_pulled.into_iter().filter(|name| !pulled.contains_key(name));
            let not_pulled = not_pulled.collect();
            (
                slug,
                ProviderPulls::builder().pulled(pulled).not_pulled(not_pulled).build(),
            )
        });
        let user = UserPulls::builder().user_id(user.position.user_id);
        Ok(user.provider(providers.collect()).build())
    }

    fn connections_of(&self, user_row: UserRow, provider: Option<&str>) -> Result<Vec<ConnectedProvider>, StoreError> {
        let sql = "SELECT document FROM connections WHERE user_row = ?1 AND (?2 = '' OR slug = ?2) ORDER BY slug";
        self.connection
            .all(sql, params![user_row, provider.unwrap_or_default()], |row| {
                decode("connection", &row.get::<String>(0)?)
            })
    }
}

fn user(row: &Row<'_>) -> Result<Introspected, StoreError> {
    let position = UserPosition {
        created_on: row.get(1)?,
        user_id: Uuid::from_bytes(row.get(2)?),
    };
    let row = UserRow::of(row, 0)?;
    Ok(Introspected { position, row })
}

fn day(row: &Row<'_>, column: usize) -> Result<Option<NaiveDate>, StoreError> {
    let day: Option<String> = row.get(column)?;
    let day = day.map(|day| day.parse().map_err(|_| StoreError::Document { what: "day" }));
    day.transpose()
}

/// A pull from the columns of its row, and the status of the connection.
fn pull(row: &Row<'_>, connection: Option<&ConnectedProvider>) -> Result<HistoricalPull, StoreError> {
    let [chunks, arrived, touched_on]: [i64; 3] = [row.get(2)?, row.get(3)?, row.get(4)?];
    let touched = DateTime::from_timestamp_nanos(touched_on);
    let started_on: Option<i64> = row.get(5)?;
    let started: Option<DateTime<Utc>> = started_on.map(DateTime::from_timestamp_nanos);
    let days = (day(row, 6)?, day(row, 7)?);
    // Failures of the connection after the pull was complete do not affect it, nor do earlier ones.
    let error = connection
        .filter(|connection| connection.status == ConnectionStatus::Error)
        .and_then(|connection| connection.error_details.as_ref())
        .filter(|error| error.errored_at.is_none_or(|at| at >= touched));
    let (status, ended, why) = match error {
        _ if arrived == chunks => (PullStatus::Success, Some(touched), None),
        Some(error) => {
            let ended = error.errored_at.map_or(touched, |at| at.to_utc());
            (PullStatus::Failure, Some(ended), error.error_message.clone())
        }
        None => (PullStatus::InProgress, None, None),
    };
    let timeline = PullTimeline::builder()
        .scheduled_at(started.unwrap_or(touched).fixed_offset())
        .maybe_started_at(started.map(|at| at.fixed_offset()))
        .maybe_ended_at(ended.map(|at| at.fixed_offset()))
        .build();
    let days_with_data: Option<i64> = match days {
        (Some(_), Some(_)) => Some(row.get(8)?),
        _ => None,
    };
    Ok(HistoricalPull::builder()
        .status(status)
        .maybe_range_start(days.0)
        .maybe_range_end(days.1)
        .timeline(timeline)
        .maybe_days_with_data(days_with_data)
        .maybe_error_details(why)
        .release(env!("CARGO_PKG_VERSION").to_owned())
        .build())
}
