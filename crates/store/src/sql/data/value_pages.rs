//! Pages of a user's values: summaries, then samples, as records for an import.

use std::ops::ControlFlow;
use std::sync::Arc;

use chrono::NaiveDate;
use uuid::Uuid;
use wearlab_ingest::{ArrivalSource, ExactObject, Sample};
use wearlab_models::ResourceName;

use super::samples::{FirstOfDay, merged, wanted_chunk};
use super::summary_lookup::has_derived_id;
use crate::sql::admin::records::{Each, rows};
use crate::sql::connection::Connection;
use crate::sql::document::{SOURCE, decode};
use crate::sql::users::row::UserRow;
use crate::sql::value::{Row, params};
use crate::{PageLimit, Record, StoreError, ValuesRecord};

/// Maximum number of rows of a page: summaries, or parts of days.
const ROWS: usize = 200;
/// Maximum size of the summaries of a page, as stored.
const SUMMARY_BYTES: usize = 8 * 1024 * 1024;
/// Limit of the samples of a page, which are in memory as JSON, too.
const PAGE: PageLimit = PageLimit {
    items: 32 * 1024,
    bytes: 4 * 1024 * 1024,
};
/// Maximum number of samples of a record.
const RECORD_SAMPLES: usize = 5000;
/// Maximum size of the samples of a record, as JSON. A longer sample has a record of its own.
const RECORD_BYTES: usize = 8 * 1024 * 1024;

/// The user of the values: team, user, and row.
pub(crate) type Of = (Uuid, Uuid, UserRow);

/// The position after which a page of a user's values begins.
#[derive(Clone, Debug, Default)]
pub(crate) enum After {
    /// The first summary.
    #[default]
    Nothing,
    /// A summary, by its resource, its day and its row.
    Summary(String, String, i64),
    /// A day of samples, or the last summary.
    Day(Option<DayKey>),
    /// A sample of a day, by its time and its type.
    Sample(DayKey, i64, Option<Arc<str>>),
}

/// The common columns of the parts of a day.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DayKey {
    resource: String,
    provider: String,
    source: String,
    day: i64,
}

/// The samples of a day, or some of them, in their stored parts.
struct Day {
    key: DayKey,
    parts: Vec<Vec<Sample>>,
}

/// Calls `each` with all values of a user: summaries by resource and day, samples by resource, provider, source and
/// day.
pub(crate) fn values(connection: &Connection<'_>, of: Of, each: &mut impl Each) -> Result<(), StoreError> {
    let sql = "SELECT resource, provider, source, day, document, id, summary_id, derived_id FROM summaries
        WHERE user_row = ?1
        ORDER BY resource, day, summary_id";
    rows(connection, sql, params![of.2], |row| each(summary(of, row)?))?;
    let mut next = Some(After::Day(None));
    while let Some(after) = next {
        let days;
        (days, next) = page_of_samples(connection, of, after)?;
        days.into_iter().try_for_each(|day| day.records(of, each))?;
    }
    Ok(())
}

/// Reads a page of a user's values, and the position of the next one. None after the last one.
pub(crate) fn page(
    connection: &Connection<'_>,
    of: Of,
    after: After,
) -> Result<(Vec<Record>, Option<After>), StoreError> {
    match after {
        After::Nothing => page_of_summaries(connection, of, (String::new(), String::new(), 0)),
        After::Summary(resource, day, row) => page_of_summaries(connection, of, (resource, day, row)),
        after => {
            let (days, next) = page_of_samples(connection, of, after)?;
            let mut records = Vec::new();
            for day in days {
                day.records(of, &mut |record| {
                    records.push(record);
                    Ok(())
                })?;
            }
            Ok((records, next))
        }
    }
}

fn page_of_summaries(
    connection: &Connection<'_>,
    of: Of,
    (mut resource, mut day, mut id): (String, String, i64),
) -> Result<(Vec<Record>, Option<After>), StoreError> {
    let sql = "SELECT resource, provider, source, day, document, id, summary_id, derived_id FROM summaries
        WHERE user_row = ?1 AND (resource, day, id) > (?2, ?3, ?4) ORDER BY resource, day, id LIMIT ?5";
    let behind = (resource.clone(), day.clone(), id);
    let limit = i64::try_from(ROWS).unwrap_or(i64::MAX);
    let (mut records, mut length, mut is_full) = (Vec::new(), 0, false);
    connection.each(sql, params![of.2, behind.0, behind.1, behind.2, limit], |row| {
        length += row.get::<String>(4)?.len();
        if length > SUMMARY_BYTES && !records.is_empty() {
            is_full = true;
            return Ok::<_, StoreError>(ControlFlow::Break(()));
        }
        (resource, day, id) = (row.get(0)?, row.get(3)?, row.get(5)?);
        records.push(summary(of, row)?);
        Ok(ControlFlow::Continue(()))
    })?;
    let next = match is_full || records.len() == ROWS {
        true => After::Summary(resource, day, id),
        false => After::Day(None),
    };
    Ok((records, Some(next)))
}

/// Whole days, or if the next one is longer than a page, some of its samples.
fn page_of_samples(connection: &Connection<'_>, of: Of, after: After) -> Result<(Vec<Day>, Option<After>), StoreError> {
    let behind = match after {
        After::Day(behind) => behind,
        After::Sample(key, time, kind) => return page_of_day(connection, of, key, Some((time, kind))),
        After::Nothing | After::Summary(..) => None,
    };
    let (mut days, mut found, mut left) = (Vec::<Day>::new(), 0, PAGE);
    // The day that the page has no room for.
    let mut unfinished = None;
    let add = |row: &Row<'_>| {
        let key = DayKey::of(row)?;
        let (part, is_cut) = wanted_chunk(row, 4, &ResourceName::from(&*key.resource), |_, _| true, left)?;
        let bytes = part.iter().map(wearlab_samples::size).sum::<usize>();
        if is_cut || bytes > left.bytes || found == ROWS {
            unfinished = Some(key);
            return Ok::<_, StoreError>(ControlFlow::Break(()));
        }
        found += 1;
        left.items -= part.len();
        left.bytes -= bytes;
        match days.last_mut() {
            Some(day) if day.key == key => day.parts.push(part),
            _ => days.push(Day { key, parts: vec![part] }),
        }
        Ok(ControlFlow::Continue(()))
    };
    let limit = i64::try_from(ROWS + 1).unwrap_or(i64::MAX);
    match behind {
        None => {
            let sql = "SELECT resource, provider, source, day, id, chunk FROM samples
                WHERE user_row = ?1 ORDER BY resource, provider, source, day, part LIMIT ?2";
            connection.each(sql, params![of.2, limit], add)?;
        }
        Some(DayKey {
            resource,
            provider,
            source,
            day,
        }) => {
            let sql = "SELECT resource, provider, source, day, id, chunk FROM samples
                WHERE user_row = ?1 AND (resource, provider, source, day) > (?2, ?3, ?4, ?5)
                ORDER BY resource, provider, source, day, part LIMIT ?6";
            connection.each(sql, params![of.2, resource, provider, source, day, limit], add)?;
        }
    }
    let Some(unfinished) = unfinished else {
        return Ok((days, None));
    };
    days.pop_if(|day| day.key == unfinished);
    match days.last() {
        None => page_of_day(connection, of, unfinished, None),
        Some(last) => {
            let next = After::Day(Some(last.key.clone()));
            Ok((days, Some(next)))
        }
    }
}

/// A page of one day with many parts, or long ones, after one of its samples.
fn page_of_day(
    connection: &Connection<'_>,
    (_, _, user_row): Of,
    key: DayKey,
    after: Option<(i64, Option<Arc<str>>)>,
) -> Result<(Vec<Day>, Option<After>), StoreError> {
    let is_wanted = |time: i64, kind: Option<&str>| {
        let after = after.as_ref();
        after.is_none_or(|(last, last_kind)| (*last, last_kind.as_deref()) < (time, kind))
    };
    let sql = "SELECT id, chunk FROM samples WHERE user_row = ?1
        AND (resource, provider, source, day) = (?2, ?3, ?4, ?5) ORDER BY part";
    let params = params![user_row, key.resource, key.provider, key.source, key.day];
    let resource = ResourceName::from(&*key.resource);
    let mut first = FirstOfDay::new(PAGE);
    rows(connection, sql, params, |row| {
        let (part, is_cut) = wanted_chunk(row, 0, &resource, is_wanted, PAGE)?;
        first.add(part, is_cut);
        Ok(())
    })?;
    let (samples, is_cut) = first.finish();
    let next = match samples.last() {
        Some(last) if is_cut => After::Sample(key.clone(), last.time, last.kind.clone()),
        _ => After::Day(Some(key.clone())),
    };
    let parts = vec![samples];
    Ok((vec![Day { key, parts }], Some(next)))
}

/// The record of a row with resource, provider, source, day, document, row, id and a flag for derived ids.
fn summary(of: Of, row: &Row<'_>) -> Result<Record, StoreError> {
    let [resource, provider, source, day]: [String; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
    let day = day.parse().map_err(|_| StoreError::Document { what: "summary" })?;
    let summary = decode("summary", &row.get::<String>(4)?)?;
    let derived_id: Option<i64> = row.get(7)?;
    let derived_id = has_derived_id(Uuid::from_bytes(row.get(6)?), derived_id.map(|derived| derived != 0));
    record(
        of,
        (&resource, &provider, &source),
        day,
        Some(derived_id),
        vec![summary],
    )
}

fn record(
    (team_id, user_id, _): Of,
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
        source: decode::<ArrivalSource>(SOURCE, source)?,
        derived_ids,
        data,
    }))
}

impl DayKey {
    /// Reads the key from the first columns of a row.
    fn of(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            resource: row.get(0)?,
            provider: row.get(1)?,
            source: row.get(2)?,
            day: row.get(3)?,
        })
    }
}

impl Day {
    /// Calls `each` with the samples as records, within the limits of an import.
    fn records(self, of: Of, each: &mut impl Each) -> Result<(), StoreError> {
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
        let mut write = |data| each(record(of, (resource, provider, source), date, None, data)?);
        let (mut data, mut length) = (Vec::new(), 0);
        for sample in merged(self.parts) {
            let mut json = Vec::new();
            sample.write(&mut json);
            let is_full = data.len() == RECORD_SAMPLES || length + json.len() > RECORD_BYTES;
            if is_full && !data.is_empty() {
                write(std::mem::take(&mut data))?;
                length = 0;
            }
            length += json.len();
            let object = ExactObject::of_event(&json);
            data.push(object.map_err(|_| StoreError::Document { what: "sample" })?);
        }
        match data.is_empty() {
            true => Ok(()),
            false => write(data),
        }
    }
}
