//! What arrives of data that were deleted.

use std::collections::BTreeSet;
use std::ops::Range;

use chrono::{DateTime, NaiveDate, SecondsFormat};
use serde_json::json;
use wearlab_ingest::{DataDeleted, Deletion, ExactObject, days_of, payload};
use wearlab_models::User;

use super::Transaction;
use super::document::{decode, encode};
use super::samples::chunk;
use super::user_row::UserRow;
use super::value::params;
use crate::{ArrivalSource, Ingested, Ingestion, StoreError, TeamId};

impl Transaction<'_> {
    /// Deletes data, and logs that they are deleted: an event for each source that had any. Where there are none, nothing changes.
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
        // What was deleted, and the sources that had it.
        let (deleted, sources) = match deletion {
            Deletion::Summary(id) => {
                let found = self.summary_day(user_row, arrival, id)?;
                let Some((day, source)) = found else {
                    return Ok(Ingested::Known);
                };
                self.delete_summary(user_row, resource, id)?;
                if !self.has_summary(user_row, (resource, &arrival.provider, &source), day)? {
                    self.forget_days(user_row, arrival, &source, &[day])?;
                }
                (json!({"id": id}), vec![source])
            }
            Deletion::Days(first, last) => {
                let days = first..=last;
                let sources = self.summary_sources(user_row, arrival, first, last)?;
                if sources.is_empty() {
                    return Ok(Ingested::Known);
                }
                self.delete_summaries(user_row, resource, &arrival.provider, source, &days)?;
                self.forget_days_between(user_row, arrival, first, last)?;
                (json!({"start_date": first, "end_date": last}), sources)
            }
            Deletion::Span(start, end) => {
                let series = (resource, &*arrival.provider);
                let deleted = self.delete_samples(user_row, series, source, &(start..end), days_of(user))?;
                if deleted.is_empty() {
                    return Ok(Ingested::Known);
                }
                for (source, days) in &deleted {
                    self.forget_emptied_days(user_row, user, arrival, (source, days), start..end)?;
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
            let source: ArrivalSource = decode("source", &source)?;
            let (source, deleted) = (payload::source(&arrival.provider, &source, details), deleted.clone());
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::daily_deleted(envelope, resource, deleted, source)?)
            })?;
        }
        Ok(Ingested::Taken)
    }

    /// The day and the source of a summary of the provider and, where one is named, of the source.
    fn summary_day(
        &self,
        user_row: UserRow,
        arrival: &DataDeleted,
        id: uuid::Uuid,
    ) -> Result<Option<(NaiveDate, String)>, StoreError> {
        let sql = "SELECT day, source FROM summaries
            WHERE user_row = ?1 AND summary_id = ?2 AND resource = ?3 AND provider = ?4 AND (?5 = '' OR source = ?5)";
        let source = source_text(arrival)?;
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

    /// The sources of the summaries of some days: the one that is named, or all of them.
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
        let key = params![user_row, resource, first, last, provider, source_text(arrival)?];
        self.connection.all(sql, key, |row| row.get(0))
    }

    /// Forgets the days that have no samples of a source any more. Others still have data, and what comes of them is no first
    /// time.
    ///
    /// Samples are of the day that it was where the user is. A day of which none were deleted is one that an arrival named for
    /// samples of another day: it is forgotten where there are none on the days beside it, either.
    fn forget_emptied_days(
        &self,
        user_row: UserRow,
        user: &User,
        arrival: &DataDeleted,
        (source, deleted): (&str, &BTreeSet<NaiveDate>),
        span: Range<i64>,
    ) -> Result<(), StoreError> {
        let day = days_of(user);
        let around = [span.start, span.end - 1].map(|time| day(time).unwrap_or_default());
        let [first, last] = [around[0].pred_opt(), around[1].succ_opt()];
        let (first, last) = (first.unwrap_or(around[0]), last.unwrap_or(around[1]));
        let sql = "SELECT day, source FROM days
            WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day >= ?4 AND day <= ?5 ORDER BY day";
        let (provider, resource) = (&arrival.provider, arrival.resource.as_str());
        let key = params![user_row, provider, resource, first.to_string(), last.to_string()];
        let known = self
            .connection
            .all(sql, key, |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
        let left = self.days_with_samples(user_row, arrival, source, (first, last), &day)?;
        let mut emptied = Vec::new();
        for (text, _) in known.into_iter().filter(|(_, of)| is_source(of, source)) {
            let Ok(day) = text.parse::<NaiveDate>() else { continue };
            let has_data = match deleted.contains(&day) {
                true => left.contains(&day),
                false => {
                    let beside = [day.pred_opt(), Some(day), day.succ_opt()];
                    beside.iter().flatten().any(|day| left.contains(day))
                }
            };
            if !has_data {
                emptied.push(day);
            }
        }
        self.forget_days(user_row, arrival, source, &emptied)
    }

    /// The days of which a source has samples, among some and those around them.
    fn days_with_samples(
        &self,
        user_row: UserRow,
        arrival: &DataDeleted,
        source: &str,
        (first, last): (NaiveDate, NaiveDate),
        day: &impl Fn(i64) -> Option<NaiveDate>,
    ) -> Result<BTreeSet<NaiveDate>, StoreError> {
        let sql = "SELECT id, chunk FROM samples
            WHERE user_row = ?1 AND resource = ?2 AND provider = ?3 AND source = ?4 AND day >= ?5 AND day <= ?6";
        // The day beside one, where it was the day before or after in UTC.
        let [first, last] = [first.to_epoch_days() - 2, last.to_epoch_days() + 2].map(i64::from);
        let key = params![
            user_row,
            arrival.resource.as_str(),
            arrival.provider,
            source,
            first,
            last
        ];
        let mut days = BTreeSet::new();
        self.connection.all(sql, key, |row| {
            days.extend(chunk(row, 0)?.iter().filter_map(|sample| day(sample.time)));
            Ok(())
        })?;
        Ok(days)
    }

    /// Forgets days of a source.
    fn forget_days(
        &self,
        user_row: UserRow,
        arrival: &DataDeleted,
        source: &str,
        days: &[NaiveDate],
    ) -> Result<(), StoreError> {
        let find = "SELECT source FROM days WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day = ?4";
        let delete = "DELETE FROM days
            WHERE user_row = ?1 AND provider = ?2 AND resource = ?3 AND day = ?4 AND source = ?5";
        let (provider, resource) = (&arrival.provider, arrival.resource.as_str());
        for day in days {
            let day = day.to_string();
            let sources: Vec<String> =
                self.connection
                    .all(find, params![user_row, provider, resource, day], |row| row.get(0))?;
            for of in sources.iter().filter(|of| is_source(of, source)) {
                self.connection
                    .execute(delete, params![user_row, provider, resource, day, of])?;
            }
        }
        Ok(())
    }

    /// Forgets the days of a span, of the source that is named or of all of them.
    fn forget_days_between(
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

/// Whether the text of a source says the one that is stored in today's form.
fn is_source(text: &str, stored: &str) -> bool {
    let same = || -> Result<bool, StoreError> {
        let [text, stored] = [text, stored].map(|text| decode::<ArrivalSource>("source", text));
        Ok(text?.normalized() == stored?)
    };
    text == stored || same().unwrap_or(false)
}

/// The source as it is kept; empty where none is named.
fn source_text(arrival: &DataDeleted) -> Result<String, StoreError> {
    let source = arrival.source.clone().map(ArrivalSource::normalized);
    source.map_or(Ok(String::new()), |source| encode("source", &source))
}
