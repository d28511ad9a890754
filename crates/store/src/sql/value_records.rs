//! The values of users as records: what an export writes of them, and an import puts back.

use std::ops::ControlFlow;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate};
use uuid::Uuid;
use wearlab_ingest::{ExactObject, Kept, Sample};
use wearlab_models::ResourceName;

use super::connection::Connection;
use super::deliveries::LONGEST;
use super::document::decode;
use super::samples::{FirstOfDay, chunk, merged, wanted_chunk};
use super::summaries::has_derived_id;
use super::user_row::UserRow;
use super::value::{Row, params};
use super::{Transaction, export};
use crate::{ArrivalSource, PageLimit, Record, StoreError, ValuesRecord};

/// How many samples a record has at most.
const SAMPLES: usize = 5000;

impl Transaction<'_> {
    /// Keeps values as they were kept before, without an event about them.
    pub(super) fn put_values(&self, values: &ValuesRecord) -> Result<(), StoreError> {
        let team = self.known_team(values.team_id)?;
        let user = self.known_user(team, values.user_id)?;
        let user_row = self.known_user_row(team, values.user_id)?;
        let arrival = values.arrival();
        let arrival = arrival.with_offsets(&user)?;
        let stored = self.stored_summaries(user_row, &arrival)?;
        let mut completed = arrival.completed(&user, DateTime::UNIX_EPOCH, stored)?;
        if let Kept::Summaries(summaries) = &mut completed.kept {
            for summary in &mut *summaries {
                summary.has_derived_id = has_derived_id(summary.id, values.derived_ids);
            }
            let given: Vec<_> = (0..summaries.len())
                .map(|index| values.data.get(completed.place(index)))
                .collect();
            for (value, given) in completed.arrival.to_mut().data.iter_mut().zip(given) {
                let Some(given) = given else { continue };
                for name in ["created_at", "updated_at"] {
                    if let Some(time) = given.get(name) {
                        value.insert(name, time.clone());
                    }
                }
            }
        }
        self.note_pulled_day(user_row, &completed.arrival, completed.arrival.date)?;
        self.note_import(user_row, &completed.arrival)?;
        self.keep(user_row, &completed, |_| true)
    }
}

/// The values of a user: summaries by resource and day, samples by resource, provider, source and day.
pub(super) fn values(
    connection: &Connection<'_>,
    team_id: Uuid,
    user_id: Uuid,
    user_row: UserRow,
    each: &mut impl export::Each,
) -> Result<(), StoreError> {
    let sql = "SELECT resource, provider, source, day, document, id, summary_id, derived_id FROM summaries
        WHERE user_row = ?1
        ORDER BY resource, day, summary_id";
    export::rows(connection, sql, params![user_row], |row| {
        each(summary(team_id, user_id, row)?)
    })?;
    let mut of_day: Option<Day> = None;
    let mut write = |of_day: Option<Day>| -> Result<(), StoreError> {
        let records = of_day.map(|day| day.records(team_id, user_id)).transpose()?;
        records.into_iter().flatten().try_for_each(&mut *each)
    };
    let sql = "SELECT resource, provider, source, day, id, chunk FROM samples WHERE user_row = ?1
        ORDER BY resource, provider, source, day, part";
    export::rows(connection, sql, params![user_row], |row| {
        write(Day::add(&mut of_day, row)?)
    })?;
    write(of_day)
}

/// Behind which of a user's values a page begins.
#[derive(Clone, Debug, Default)]
pub(super) enum After {
    /// None: at the first summary.
    #[default]
    Nothing,
    /// A summary, by its resource, its day and its row.
    Summary(String, String, i64),
    /// A day of samples.
    Day(DayKey),
    /// A sample of a day, by its time and its type.
    Sample(DayKey, i64, Option<Arc<str>>),
}

/// A page of a user's values, and behind which the next one begins; nothing behind the last. Each page is of about `rows`
/// rows.
pub(super) fn page(
    connection: &Connection<'_>,
    of @ (team_id, user_id, user_row): (Uuid, Uuid, UserRow),
    after: After,
    rows: usize,
) -> Result<(Vec<Record>, Option<After>), StoreError> {
    let mut records = Vec::new();
    let limit = i64::try_from(rows).unwrap_or(i64::MAX);
    let behind = match after {
        After::Day(key) => Some(key),
        After::Sample(key, time, kind) => return page_of_day(connection, of, key, Some((time, kind))),
        After::Nothing | After::Summary(..) => {
            let mut last = match after {
                After::Summary(resource, day, row) => (resource, day, row),
                _ => (String::new(), String::new(), 0),
            };
            let sql = "SELECT resource, provider, source, day, document, id, summary_id, derived_id FROM summaries
                WHERE user_row = ?1 AND (resource, day, id) > (?2, ?3, ?4) ORDER BY resource, day, id LIMIT ?5";
            let (resource, day, row) = last.clone();
            let (mut length, mut is_full) = (0, false);
            connection.each(sql, params![user_row, resource, day, row, limit], |row| {
                length += row.get::<String>(4)?.len();
                if length > LONGEST && !records.is_empty() {
                    is_full = true;
                    return Ok::<_, StoreError>(ControlFlow::Break(()));
                }
                last = (row.get(0)?, row.get(3)?, row.get(5)?);
                records.push(summary(team_id, user_id, row)?);
                Ok(ControlFlow::Continue(()))
            })?;
            if is_full || records.len() == rows {
                return Ok((records, Some(After::Summary(last.0, last.1, last.2))));
            }
            None
        }
    };
    let mut of_day: Option<Day> = None;
    let mut days = Vec::new();
    let (mut found, mut length) = (0, 0);
    let mut add = |row: &Row<'_>| {
        length += row.get::<i64>(6)?.unsigned_abs();
        if length > LONGEST as u64 && found > 0 {
            // As if it were the last row that is wanted.
            found = rows;
            return Ok(ControlFlow::Break(()));
        }
        found += 1;
        days.extend(Day::add(&mut of_day, row)?);
        Ok::<_, StoreError>(ControlFlow::Continue(()))
    };
    match &behind {
        None => {
            let sql = "SELECT resource, provider, source, day, id, chunk, octet_length(chunk) FROM samples
                WHERE user_row = ?1 ORDER BY resource, provider, source, day, part LIMIT ?2";
            connection.each(sql, params![user_row, limit], &mut add)?;
        }
        Some(DayKey {
            resource,
            provider,
            source,
            day,
        }) => {
            let sql = "SELECT resource, provider, source, day, id, chunk, octet_length(chunk) FROM samples
                WHERE user_row = ?1 AND (resource, provider, source, day) > (?2, ?3, ?4, ?5)
                ORDER BY resource, provider, source, day, part LIMIT ?6";
            let params = params![user_row, resource, provider, source, day, limit];
            connection.each(sql, params, &mut add)?;
        }
    }
    if found < rows {
        days.extend(of_day);
    } else if days.is_empty() {
        // All rows are of one day, which has more of them.
        return match of_day {
            Some(day) => page_of_day(connection, of, day.key, None),
            None => Ok((records, None)),
        };
    }
    let next = days
        .last()
        .map(|day| After::Day(day.key.clone()))
        .filter(|_| found == rows);
    for day in days {
        records.extend(day.records(team_id, user_id)?);
    }
    Ok((records, next))
}

/// A page of one day that has many parts, or long ones, behind a sample of it.
fn page_of_day(
    connection: &Connection<'_>,
    (team_id, user_id, user_row): (Uuid, Uuid, UserRow),
    key: DayKey,
    after: Option<(i64, Option<Arc<str>>)>,
) -> Result<(Vec<Record>, Option<After>), StoreError> {
    let limit = PageLimit {
        items: SAMPLES,
        bytes: LONGEST,
    };
    let is_wanted = |time: i64, kind: Option<&str>| {
        let after = after.as_ref();
        after.is_none_or(|(last, last_kind)| (*last, last_kind.as_deref()) < (time, kind))
    };
    let sql = "SELECT id, chunk FROM samples WHERE user_row = ?1
        AND (resource, provider, source, day) = (?2, ?3, ?4, ?5) ORDER BY part";
    let params = params![user_row, key.resource, key.provider, key.source, key.day];
    let mut first = FirstOfDay::new(limit);
    export::rows(connection, sql, params, |row| {
        let (part, is_cut) = wanted_chunk(row, 0, is_wanted, limit)?;
        first.add(part, is_cut);
        Ok(())
    })?;
    let (samples, is_cut) = first.finish();
    let next = match samples.last() {
        Some(last) if is_cut => After::Sample(key.clone(), last.time, last.kind.clone()),
        _ => After::Day(key.clone()),
    };
    let parts = vec![samples];
    let records = Day { key, parts }.records(team_id, user_id)?;
    Ok((records, Some(next)))
}

/// The record of a row of its resource, provider, source, day, document, row, id and whether that was derived.
fn summary(team_id: Uuid, user_id: Uuid, row: &Row<'_>) -> Result<Record, StoreError> {
    let [resource, provider, source, day]: [String; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
    let day = day.parse().map_err(|_| StoreError::Document { what: "summary" })?;
    let summary = decode("summary", &row.get::<String>(4)?)?;
    let derived_id: Option<i64> = row.get(7)?;
    let derived_id = has_derived_id(Uuid::from_bytes(row.get(6)?), derived_id.map(|derived| derived != 0));
    let of = (&*resource, &*provider, &*source);
    record((team_id, user_id), of, day, Some(derived_id), vec![summary])
}

fn record(
    (team_id, user_id): (Uuid, Uuid),
    (resource, provider, source): (&str, &str, &str),
    date: NaiveDate,
    derived_ids: Option<bool>,
    data: Vec<ExactObject>,
) -> Result<Record, StoreError> {
    Ok(Record::Values(ValuesRecord {
        team_id,
        user_id,
        provider: provider.to_owned(),
        resource: ResourceName::from(resource),
        date,
        source: decode::<ArrivalSource>("source", source)?,
        derived_ids,
        data,
    }))
}

/// What the parts of a day have in common.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DayKey {
    resource: String,
    provider: String,
    source: String,
    day: i64,
}

/// The samples of a day, in the parts in which they are kept.
struct Day {
    key: DayKey,
    parts: Vec<Vec<Sample>>,
}

impl Day {
    /// Adds a row of a key, the row's id and its chunk to the day that it is of. Returns the day before, if that is
    /// complete.
    fn add(current: &mut Option<Self>, row: &Row<'_>) -> Result<Option<Self>, StoreError> {
        let key = DayKey {
            resource: row.get(0)?,
            provider: row.get(1)?,
            source: row.get(2)?,
            day: row.get(3)?,
        };
        let part = chunk(row, 4)?;
        match current {
            Some(day) if day.key == key => {
                day.parts.push(part);
                Ok(None)
            }
            current => Ok(current.replace(Self { key, parts: vec![part] })),
        }
    }

    fn records(self, team_id: Uuid, user_id: Uuid) -> Result<Vec<Record>, StoreError> {
        let DayKey {
            resource,
            provider,
            source,
            day,
        } = &self.key;
        let date = i32::try_from(*day).ok().and_then(NaiveDate::from_epoch_days);
        let date = date.ok_or(StoreError::Document {
            what: "chunk of samples",
        })?;
        let samples = merged(self.parts);
        let records = samples.chunks(SAMPLES).map(|samples| {
            let data = samples.iter().map(object).collect::<Result<_, _>>()?;
            record((team_id, user_id), (resource, provider, source), date, None, data)
        });
        records.collect()
    }
}

fn object(sample: &Sample) -> Result<ExactObject, StoreError> {
    let mut json = Vec::new();
    sample.write(&mut json);
    ExactObject::of_event(&json).map_err(|_| StoreError::Document { what: "sample" })
}
