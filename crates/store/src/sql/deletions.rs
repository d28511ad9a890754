//! What arrives of data that were deleted.

use chrono::{DateTime, Days, NaiveDate, SecondsFormat};
use serde_json::json;
use wearlab_ingest::{DataDeleted, Deletion, ExactObject, payload};
use wearlab_models::User;

use super::Transaction;
use super::document::{decode, encode};
use super::user_row::UserRow;
use super::value::params;
use crate::{ArrivalSource, Ingested, Ingestion, StoreError, TeamId};

impl Transaction<'_> {
    /// Deletes data, and logs that they are deleted. Where there are none, nothing changes.
    pub(super) fn data_deleted(
        &self,
        team: TeamId,
        user: &User,
        arrival: &DataDeleted,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let connection = self.known_connection(team, arrival.user_id, &arrival.provider)?;
        let user_row = self.known_user_row(team, arrival.user_id)?;
        let (resource, source) = (&arrival.resource, arrival.source.as_ref());
        let deletion = arrival.deletion().map_err(|_| StoreError::Conflict {
            what: "invalid selection of what to delete",
        })?;
        let deleted = match deletion {
            Deletion::Summary(id) => {
                let day = self.summary_day(user_row, arrival, id)?;
                let Some(day) = day else { return Ok(Ingested::Known) };
                self.delete_summary(user_row, resource, id)?;
                self.forget_days(user_row, arrival, day, day)?;
                json!({"id": id})
            }
            Deletion::Days(first, last) => {
                let days = first..=last;
                let deleted = self.delete_summaries(user_row, resource, &arrival.provider, source, &days)?;
                if deleted == 0 {
                    return Ok(Ingested::Known);
                }
                self.forget_days(user_row, arrival, first, last)?;
                json!({"start_date": first, "end_date": last})
            }
            Deletion::Span(start, end) => {
                let deleted = self.delete_samples(user_row, resource, &arrival.provider, source, &(start..end))?;
                if deleted == 0 {
                    return Ok(Ingested::Known);
                }
                let day = |micros| DateTime::from_timestamp_micros(micros).map(|time| time.date_naive());
                if let (Some(first), Some(last)) = (day(start), day(end)) {
                    // Where the user is, it may be the day before or after that of UTC.
                    let first = first.checked_sub_days(Days::new(1)).unwrap_or(first);
                    let last = last.checked_add_days(Days::new(1)).unwrap_or(last);
                    self.forget_days(user_row, arrival, first, last)?;
                }
                let text =
                    |time: Option<DateTime<_>>| time.map(|time| time.to_rfc3339_opts(SecondsFormat::AutoSi, true));
                json!({"start": text(arrival.start), "end": text(arrival.end)})
            }
        };
        let deleted: ExactObject = decode("deletion", &deleted.to_string())?;
        let forms = &ingestion.forms;
        let details = forms.source_details.holds(ingestion.now).then_some(&connection);
        let any = ArrivalSource::default();
        let source = payload::source(&arrival.provider, source.unwrap_or(&any), details);
        self.emit(team, user, ingestion, |envelope| {
            Ok(payload::daily_deleted(envelope, resource, deleted, source)?)
        })?;
        Ok(Ingested::Taken)
    }

    /// The day of a summary of the provider and, where one is named, of the source.
    fn summary_day(
        &self,
        user_row: UserRow,
        arrival: &DataDeleted,
        id: uuid::Uuid,
    ) -> Result<Option<NaiveDate>, StoreError> {
        let sql = "SELECT day FROM summaries
            WHERE user_row = ?1 AND summary_id = ?2 AND resource = ?3 AND provider = ?4 AND (?5 = '' OR source = ?5)";
        let source = source_text(arrival)?;
        let key = params![
            user_row,
            id.as_bytes(),
            arrival.resource.as_str(),
            arrival.provider,
            source
        ];
        let day: Option<String> = self.connection.first(sql, key, |row| row.get(0))?;
        Ok(day.and_then(|day| day.parse().ok()))
    }

    /// Forgets what the data of days were, so that the same ones are news when they come again.
    fn forget_days(
        &self,
        user_row: UserRow,
        arrival: &DataDeleted,
        first: NaiveDate,
        last: NaiveDate,
    ) -> Result<(), StoreError> {
        let sql = "DELETE FROM days
            WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day >= ?4 AND day <= ?5
                AND (?6 = '' OR source = ?6)";
        let (provider, resource) = (&arrival.provider, arrival.resource.as_str());
        let source = source_text(arrival)?;
        let key = params![
            user_row,
            provider,
            resource,
            first.to_string(),
            last.to_string(),
            source
        ];
        self.connection.execute(sql, key)?;
        Ok(())
    }
}

/// The source as it is kept; empty where none is named.
fn source_text(arrival: &DataDeleted) -> Result<String, StoreError> {
    let source = arrival.source.clone().map(ArrivalSource::normalized);
    source.map_or(Ok(String::new()), |source| encode("source", &source))
}
