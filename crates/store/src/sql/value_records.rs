//! The values of users as records: what an export writes of them, and an import puts back.

use chrono::{DateTime, NaiveDate};
use uuid::Uuid;
use wearlab_ingest::{Completed, ExactObject, Kept, Sample};
use wearlab_models::ResourceName;

use super::connection::Connection;
use super::document::decode;
use super::samples::{chunk, merged};
use super::user_row::UserRow;
use super::value::params;
use super::{Transaction, export};
use crate::{ArrivalSource, Record, StoreError, ValuesRecord};

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
        let Completed { arrival, kept } =
            arrival.completed(&user, DateTime::UNIX_EPOCH, |_| Ok::<_, StoreError>(None))?;
        let mut arrival = arrival;
        if let Kept::Summaries(_) = &kept {
            for (value, given) in arrival.to_mut().data.iter_mut().zip(&values.data) {
                for name in ["created_at", "updated_at"] {
                    if let Some(time) = given.get(name) {
                        value.insert(name, time.clone());
                    }
                }
            }
        }
        self.note_pulled_day(team, &arrival, arrival.date)?;
        self.note_import(user_row, &arrival)?;
        self.keep(user_row, &Completed { arrival, kept }, |_| true)
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
    let record = |resource: &str, provider: &str, source: &str, date: NaiveDate, data: Vec<ExactObject>| {
        Ok::<_, StoreError>(Record::Values(ValuesRecord {
            team_id,
            user_id,
            provider: provider.to_owned(),
            resource: ResourceName::from(resource),
            date,
            source: decode::<ArrivalSource>("source", source)?,
            data,
        }))
    };
    let sql = "SELECT resource, provider, source, day, document FROM summaries WHERE user_row = ?1
        ORDER BY resource, day, summary_id";
    export::rows(connection, sql, params![user_row], |row| {
        let [resource, provider, source, day]: [String; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
        let day = day.parse().map_err(|_| StoreError::Document { what: "summary" })?;
        let summary = decode("summary", &row.get::<String>(4)?)?;
        each(record(&resource, &provider, &source, day, vec![summary])?)
    })?;
    let mut of_day: Option<(Key, Vec<Vec<Sample>>)> = None;
    let mut write = |of_day: Option<(Key, Vec<Vec<Sample>>)>| -> Result<(), StoreError> {
        let Some((
            Key {
                resource,
                provider,
                source,
                day,
            },
            parts,
        )) = of_day
        else {
            return Ok(());
        };
        let day = i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days);
        let day = day.ok_or(StoreError::Document {
            what: "chunk of samples",
        })?;
        for samples in merged(parts).chunks(SAMPLES) {
            let data = samples.iter().map(object).collect::<Result<_, _>>()?;
            each(record(&resource, &provider, &source, day, data)?)?;
        }
        Ok(())
    };
    let sql = "SELECT resource, provider, source, day, id, chunk FROM samples WHERE user_row = ?1
        ORDER BY resource, provider, source, day, part";
    export::rows(connection, sql, params![user_row], |row| {
        let key = Key {
            resource: row.get(0)?,
            provider: row.get(1)?,
            source: row.get(2)?,
            day: row.get(3)?,
        };
        let part = chunk(row, 4)?;
        match &mut of_day {
            Some((before, parts)) if *before == key => parts.push(part),
            of_day => write(of_day.replace((key, vec![part])))?,
        }
        Ok(())
    })?;
    write(of_day)
}

/// What the parts of a day have in common.
#[derive(PartialEq)]
struct Key {
    resource: String,
    provider: String,
    source: String,
    day: i64,
}

fn object(sample: &Sample) -> Result<ExactObject, StoreError> {
    let mut json = Vec::new();
    sample.write(&mut json);
    ExactObject::of_event(&json).map_err(|_| StoreError::Document { what: "sample" })
}
