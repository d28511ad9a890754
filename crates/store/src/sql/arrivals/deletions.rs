//! Arrivals about deleted data.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use chrono::{DateTime, NaiveDate, SecondsFormat};
use serde_json::json;
use wearlab_ingest::{DataDeleted, Deletion, ExactObject, days_of, payload};
use wearlab_models::{ResourceName, User};

use crate::sql::Transaction;
use crate::sql::data::samples::{Series, chunk};
use crate::sql::document::{SOURCE, decode, source_text};
use crate::sql::users::row::UserRow;
use crate::sql::value::params;
use crate::{ArrivalSource, Ingested, Ingestion, StoreError, TeamId};

impl Transaction<'_> {
    /// Deletes data, and logs an event for each source that had any. Without data,
    /// nothing changes.
    pub(crate) fn data_deleted(
        &self,
        team: TeamId,
        user: &User,
        arrival: &DataDeleted,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let connection = self.require_connection(team, arrival.user_id, &arrival.provider)?;
        let user_row = self.require_user_row(team, arrival.user_id)?;
        let (resource, source) = (&arrival.resource, arrival.source.as_ref());
        let deletion = arrival.deletion().map_err(|_| StoreError::Conflict {
            what: "invalid selection of what to delete",
        })?;
        let series = (user_row, &*arrival.provider, resource);
        // Deleted data, and their sources.
        let (deleted, sources) = match deletion {
            Deletion::Summary(id) => {
                let found = self.summary_day(user_row, arrival, id)?;
                let Some((day, source)) = found else {
                    return Ok(Ingested::Duplicate);
                };
                self.delete_summary(user_row, resource, id)?;
                self.clear_summary_days(series, [(day, source.clone())])?;
                (json!({"id": id}), vec![source])
            }
            Deletion::Days(first, last) => {
                let days = first..=last;
                let sources = self.summary_sources(user_row, arrival, first, last)?;
                if sources.is_empty() {
                    return Ok(Ingested::Duplicate);
                }
                self.delete_summaries(user_row, resource, &arrival.provider, source, &days)?;
                let source = Some(named_source(arrival)?).filter(|source| !source.is_empty());
                self.clear_days(series, source.as_deref(), days, |_| Ok(false))?;
                (json!({"start_date": first, "end_date": last}), sources)
            }
            Deletion::Span(start, end) => {
                let deleted = self.delete_samples(
                    user_row,
                    (resource, &arrival.provider),
                    source,
                    &(start..end),
                    days_of(user),
                )?;
                if deleted.is_empty() {
                    return Ok(Ingested::Duplicate);
                }
                for source in deleted.keys() {
                    self.note_sample_days(series, source, user, start..end)?;
                }
                let text =
                    |time: Option<DateTime<_>>| time.map(|time| time.to_rfc3339_opts(SecondsFormat::AutoSi, true));
                let span = json!({"start": text(arrival.start), "end": text(arrival.end)});
                (span, deleted.into_keys().collect())
            }
        };
        let deleted: ExactObject = decode("deletion", &deleted.to_string())?;
        let forms = &ingestion.forms;
        let details = forms.source_details.holds(ingestion.now).then_some(&connection);
        for source in sources {
            self.forget_last_values(series, &source)?;
            let source: ArrivalSource = decode(SOURCE, &source)?;
            let (source, deleted) = (payload::source(&arrival.provider, &source, details), deleted.clone());
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::daily_deleted(envelope, resource, deleted, source)?)
            })?;
        }
        Ok(Ingested::Taken)
    }

    /// The day and the source of a summary of the provider, and optionally of a given source.
    fn summary_day(
        &self,
        user_row: UserRow,
        arrival: &DataDeleted,
        id: uuid::Uuid,
    ) -> Result<Option<(NaiveDate, String)>, StoreError> {
        let sql = "SELECT day, source FROM summaries
            WHERE user_row = ?1 AND summary_id = ?2 AND resource = ?3 AND provider = ?4 AND (?5 = '' OR source = ?5)";
        let source = named_source(arrival)?;
        let key = params![
            user_row,
            id.as_bytes(),
            arrival.resource.as_str(),
            arrival.provider,
            source
        ];
        let found: Option<(String, String)> = self.connection.first(sql, key, |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(found.and_then(|(day, source)| Some((day.parse().ok()?, source))))
    }

    /// The sources of the summaries of some days: the given one, or all of them.
    fn summary_sources(
        &self,
        user_row: UserRow,
        arrival: &DataDeleted,
        first: NaiveDate,
        last: NaiveDate,
    ) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT DISTINCT source FROM summaries
            WHERE user_row = ?1 AND resource = ?2 AND day >= ?3 AND day <= ?4
                AND provider = ?5 AND (?6 = '' OR source = ?6) ORDER BY source";
        let (resource, provider) = (arrival.resource.as_str(), &arrival.provider);
        let [first, last] = [first, last].map(|day| day.to_string());
        let key = params![user_row, resource, first, last, provider, named_source(arrival)?];
        self.connection.all(sql, key, |row| row.get(0))
    }

    /// Updates the days around a span that have samples of a source, after a deletion.
    ///
    /// They are stored by the time zone of the user at their arrival. Since that may have changed, neighbouring days
    /// are checked, too.
    fn note_sample_days(
        &self,
        (user_row, provider, resource): (UserRow, &str, &ResourceName),
        source: &str,
        user: &User,
        span: Range<i64>,
    ) -> Result<(), StoreError> {
        let day_of = days_of(user);
        let [first, last] = [span.start, span.end - 1].map(|time| day_of(time).unwrap_or_default());
        let around = first.pred_opt().unwrap_or(first)..=last.succ_opt().unwrap_or(last);
        let left = self.days_with_samples((user_row, provider, resource), source, &around, &day_of)?;
        // Days outside of the span may have no samples because of their age.
        let kept_from = self.kept_from(resource)?;
        let has_gone = |day: NaiveDate| kept_from.is_none_or(|kept| day >= kept) || (first..=last).contains(&day);
        self.clear_days((user_row, provider, resource), Some(source), around.clone(), |day| {
            Ok(left.contains(&day) || !has_gone(day))
        })?;
        let source: ArrivalSource = decode(SOURCE, source)?;
        let series = Series {
            user_row,
            resource,
            provider,
            source: &source,
        };
        self.note_days(&series, &left)?;
        Ok(())
    }

    /// The days with samples of a source, among some days and their neighbours.
    fn days_with_samples(
        &self,
        (user_row, provider, resource): (UserRow, &str, &ResourceName),
        source: &str,
        days: &RangeInclusive<NaiveDate>,
        day_of: &impl Fn(i64) -> Option<NaiveDate>,
    ) -> Result<BTreeSet<NaiveDate>, StoreError> {
        let sql = "SELECT id, chunk FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day >= ?5 AND day <= ?6";
        // The neighbour of a day, which was the day before or after in UTC.
        let [first, last] = [days.start().to_epoch_days() - 2, days.end().to_epoch_days() + 2].map(i64::from);
        let key = params![user_row, resource.as_str(), provider, source, first, last];
        let mut found = BTreeSet::new();
        self.connection.all(sql, key, |row| {
            found.extend(chunk(row, 0)?.iter().filter_map(|sample| day_of(sample.time)));
            Ok(())
        })?;
        Ok(found)
    }
}

/// The source as stored; empty if none is given.
fn named_source(arrival: &DataDeleted) -> Result<String, StoreError> {
    arrival.source.as_ref().map_or(Ok(String::new()), source_text)
}
