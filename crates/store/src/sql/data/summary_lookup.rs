//! Lookup of the stored summaries that match those of an arrival.

use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDate, Utc};
use uuid::{Uuid, Version};
use wearlab_ingest::{ExactObject, StoredSummary, SummaryLookup};
use wearlab_models::ResourceName;

use super::summaries::{FIND, KIND};
use crate::sql::Transaction;
use crate::sql::connection::Connection;
use crate::sql::document::{decode, source_text};
use crate::sql::users::row::UserRow;
use crate::sql::value::{Row, params};
use crate::{DataArrival, StoreError};

/// Selects the summaries of a source and of some days.
const NEAR: &str = "SELECT summary_id, provider, source, day, starts, ends, document, derived_id FROM summaries
    WHERE user_row = ?1 AND resource = ?2 AND day >= ?3 AND day <= ?4 AND provider = ?5 AND source = ?6";
/// Selects the summaries whose sessions overlap a span of time.
const OF_SESSIONS: &str = "SELECT summary_id, provider, source, day, starts, ends, document, derived_id FROM summaries
    WHERE user_row = ?1 AND resource = ?2 AND ends >= ?3 AND starts <= ?4 AND provider = ?5 AND source = ?6";
/// Selects the summaries with an id of their provider.
const OF_PROVIDER_ID: &str =
    "SELECT summary_id, provider, source, day, starts, ends, document, derived_id FROM summaries
    WHERE resource IN ('activity', 'body') AND user_row = ?1 AND resource = ?2 AND provider_id = ?3 AND provider = ?4
        AND source = ?5";

impl Transaction<'_> {
    /// Returns the lookup of the stored summaries for an arrival.
    pub(crate) fn stored_summaries(
        &self,
        user_row: UserRow,
        arrival: &DataArrival,
    ) -> Result<StoredSummaries<'_>, StoreError> {
        Ok(StoredSummaries {
            connection: self.connection,
            user_row,
            provider: arrival.provider.clone(),
            source: source_text(&arrival.source)?,
        })
    }
}

/// Returns whether the service derived an id. Earlier versions did not record it: all derived ids are of version 5, and
/// few others.
pub(crate) fn has_derived_id(id: Uuid, noted: Option<bool>) -> bool {
    noted.unwrap_or(id.get_version() == Some(Version::Sha1))
}

/// Lookup of the stored summaries of a user for an arrival of a provider and a source.
///
/// Each is read by its id before it is written. So a prefetched answer is used by the first arrival that writes
/// the summary, and none is left that is older than that.
pub(crate) struct StoredSummaries<'a> {
    connection: &'a Connection<'a>,
    user_row: UserRow,
    provider: String,
    source: String,
}

impl StoredSummaries<'_> {
    fn summary(&self, row: &Row<'_>) -> Result<StoredSummary, StoreError> {
        let id = Uuid::from_bytes(row.get(0)?);
        let is_of_provider = row.get::<String>(1)? == self.provider;
        let day: String = row.get(3)?;
        let time = |column: usize| -> Result<_, StoreError> {
            let micros: Option<i64> = row.get(column)?;
            Ok(micros.and_then(DateTime::from_timestamp_micros))
        };
        let derived_id: Option<i64> = row.get(7)?;
        Ok(StoredSummary {
            id,
            day: day.parse().map_err(|_| StoreError::Document { what: KIND })?,
            start: time(4)?,
            end: time(5)?,
            provider_id: StoredSummary::provider_id_of(&row.get::<String>(6)?),
            is_of_provider,
            is_of_source: is_of_provider && row.get::<String>(2)? == self.source,
            has_derived_id: has_derived_id(id, derived_id.map(|derived| derived != 0)),
        })
    }
}

impl SummaryLookup for StoredSummaries<'_> {
    type Error = StoreError;

    fn with_id(
        &mut self,
        resource: &ResourceName,
        id: Uuid,
    ) -> Result<Option<(StoredSummary, ExactObject)>, StoreError> {
        let key = params![self.user_row, resource.as_str(), id.as_bytes()];
        self.connection.first(FIND, key, |row| {
            Ok((self.summary(row)?, decode(KIND, &row.get::<String>(6)?)?))
        })
    }

    fn of_days(
        &mut self,
        resource: &ResourceName,
        days: RangeInclusive<NaiveDate>,
    ) -> Result<Vec<StoredSummary>, StoreError> {
        let [first, last] = [days.start(), days.end()].map(NaiveDate::to_string);
        let key = params![
            self.user_row,
            resource.as_str(),
            first,
            last,
            self.provider,
            self.source
        ];
        self.connection.all(NEAR, key, |row| self.summary(row))
    }

    fn of_sessions(
        &mut self,
        resource: &ResourceName,
        span: RangeInclusive<DateTime<Utc>>,
    ) -> Result<Vec<StoredSummary>, StoreError> {
        let [first, last] = [span.start(), span.end()].map(DateTime::timestamp_micros);
        let key = params![
            self.user_row,
            resource.as_str(),
            first,
            last,
            self.provider,
            self.source
        ];
        self.connection.all(OF_SESSIONS, key, |row| self.summary(row))
    }

    fn of_provider_id(&mut self, resource: &ResourceName, provider_id: &str) -> Result<Vec<StoredSummary>, StoreError> {
        let key = params![
            self.user_row,
            resource.as_str(),
            provider_id,
            self.provider,
            self.source
        ];
        self.connection.all(OF_PROVIDER_ID, key, |row| self.summary(row))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;
    use wearlab_database::sqlite;

    use super::{NEAR, OF_PROVIDER_ID, OF_SESSIONS, has_derived_id};
    use crate::EmbeddedSettings;
    use crate::schema::EMBEDDED;
    use crate::sql::data::summaries::OF_DAYS;
    use crate::sql::query_plan;

    #[test]
    fn ids_of_earlier_versions_are_derived_where_they_are_of_version_5() {
        let [derived, other] = [0x5000, 0x4000].map(|version| Uuid::from_u128(version << 64 | 0x8 << 60));
        assert!(has_derived_id(derived, None) && !has_derived_id(derived, Some(false)));
        assert!(!has_derived_id(other, None) && has_derived_id(other, Some(true)));
    }

    #[test]
    fn no_more_summaries_are_read_than_are_wanted() {
        let directory = tempfile::tempdir().expect("a directory");
        let database =
            sqlite::Database::open(directory.path(), &EMBEDDED, &EmbeddedSettings::default()).expect("opens");
        let of_day = "(user_row=? AND resource=? AND day>? AND day<?)";
        for (sql, params, steps) in [
            (OF_DAYS, 6, &["(team_id=? AND user_id=?)", of_day][..]),
            (NEAR, 6, &[of_day]),
            (
                OF_SESSIONS,
                6,
                &["summaries_by_session (user_row=? AND resource=? AND ends>?)"],
            ),
            (
                OF_PROVIDER_ID,
                5,
                &["summaries_by_provider_id (user_row=? AND resource=? AND provider_id=?)"],
            ),
        ] {
            let (found, plan) = query_plan(&database, sql);
            assert_eq!(found, params, "{sql}");
            let plan = plan.join("\n");
            for step in steps {
                assert!(plan.contains(step), "{plan}");
            }
            assert!(!plan.contains("SCAN"), "{plan}");
        }
    }
}
