//! Events of historical pulls, with the values that are stored at the time of the event.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use chrono::NaiveDate;
use uuid::Uuid;
use wearlab_ingest::payload::{self, Pull};
use wearlab_ingest::{Completed, DataKind, Sample, SampleForm, WantedValues, has_hypnogram, present, value_day};
use wearlab_models::{ResourceName, User};

use super::pulls::days_of;
use crate::sql::Transaction;
use crate::sql::data::samples::{Series, UNKNOWN, day_of};
use crate::sql::document::{SOURCE, decode};
use crate::sql::users::row::UserRow;
use crate::sql::value::params;
use crate::{ArrivalSource, DataArrival, ExactObject, ExactValue, Ingestion, StoreError, TeamId};

/// Kind of document of the values of a chunk.
const KIND: &str = "chunk of a pull";
/// Number of summaries that are prefetched together.
const PREFETCHED: usize = 128;

/// A waiting chunk.
struct WaitingChunk {
    days: [NaiveDate; 2],
    /// The values as received. None if the user excludes their days.
    values: Option<Vec<ExactObject>>,
    /// Source of the values, unless an earlier version took them.
    source: Option<String>,
}

/// The key of a value of a series: the source, with the id of a summary, or the time and the type of a sample.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Summary(Uuid),
    Sample(String, i64, String),
}

impl Transaction<'_> {
    /// Appends the events of a completed pull, and drops the values of its chunks. Returns the number of events.
    pub(crate) fn complete_pull(
        &self,
        id: i64,
        (team, user_row): (TeamId, UserRow),
        user: &User,
        last: &DataArrival,
        ingestion: &Ingestion,
    ) -> Result<i64, StoreError> {
        let (mut kept, mut fetched) = (Vec::new(), Vec::new());
        let (mut data, mut known) = (Vec::new(), HashSet::new());
        for chunk in self.waiting_chunks(id)? {
            fetched.extend(chunk.days);
            let Some(values) = chunk.values else { continue };
            kept.extend(chunk.days);
            match chunk.source {
                Some(source) => data.extend(self.as_stored(user_row, last, &source, values, &mut known)?),
                None => data.extend(values),
            }
        }
        // The stored days, or if there is none, the fetched ones.
        let days = if kept.is_empty() { fetched } else { kept };
        let pull = Pull {
            provider: last.provider.clone(),
            resource: last.resource.clone(),
            start_date: days.iter().min().copied().unwrap_or(last.date),
            end_date: days.iter().max().copied().unwrap_or(last.date),
            data,
            is_final: ingestion.forms.is_final.holds(ingestion.now),
        };
        let events = self.emit_pull(pull, team, user, ingestion)?;
        self.connection
            .execute("UPDATE pull_chunks SET data = NULL WHERE pull = ?1", params![id])?;
        Ok(events)
    }

    /// Appends the events of values of a chunk that was repeated after its pull was complete. Returns the number of
    /// events.
    pub(crate) fn emit_again(
        &self,
        team: TeamId,
        user: &User,
        completed: &Completed<'_>,
        wanted: &WantedValues,
        is_wanted: impl Fn(usize) -> bool,
        ingestion: &Ingestion,
    ) -> Result<i64, StoreError> {
        let arrival = &*completed.arrival;
        let [start_date, end_date] = wanted.span;
        let pull = Pull {
            provider: arrival.provider.clone(),
            resource: arrival.resource.clone(),
            start_date,
            end_date,
            data: decode(KIND, &completed.values(is_wanted)?)?,
            is_final: ingestion.forms.is_final.holds(ingestion.now),
        };
        self.emit_pull(pull, team, user, ingestion)
    }

    /// Appends the events of a pull. Returns the number of events.
    fn emit_pull(&self, pull: Pull, team: TeamId, user: &User, ingestion: &Ingestion) -> Result<i64, StoreError> {
        let resource = pull.resource.clone();
        let also_older = has_hypnogram(&resource) && ingestion.forms.hypnogram_events.holds(ingestion.now);
        let older = also_older.then(|| pull.clone());
        let mut events = 0;
        if resource != ResourceName::Hypnogram {
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::historical(envelope, pull)?)
            })?;
            events += 1;
        }
        if let Some(older) = older {
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::historical_hypnogram(envelope, older)?)
            })?;
            events += 1;
        }
        Ok(events)
    }

    /// The chunks of a pull, in their order.
    fn waiting_chunks(&self, id: i64) -> Result<Vec<WaitingChunk>, StoreError> {
        let sql = "SELECT day, data, source FROM pull_chunks WHERE pull = ?1 ORDER BY chunk";
        let mut chunks = Vec::new();
        self.connection.each(sql, params![id], |row| {
            let span: String = row.get(0)?;
            let (first, last) = days_of(&span);
            let day = |text: &str| text.parse().map_err(|_| StoreError::Document { what: KIND });
            let values = row.get::<Option<String>>(1)?;
            chunks.push(WaitingChunk {
                days: [day(first)?, day(last)?],
                values: values.map(|values| decode(KIND, &values)).transpose()?,
                source: row.get(2)?,
            });
            Ok::<_, StoreError>(ControlFlow::Continue(()))
        })?;
        Ok(chunks)
    }

    /// The stored values of a chunk, each once. Those that were deleted since are left out, and those
    /// that only retention has deleted are as received.
    fn as_stored(
        &self,
        user_row: UserRow,
        arrival: &DataArrival,
        source: &str,
        values: Vec<ExactObject>,
        known: &mut HashSet<Key>,
    ) -> Result<Vec<ExactObject>, StoreError> {
        match DataKind::of(&arrival.resource) {
            DataKind::Other => Ok(values),
            DataKind::Summary => self.summaries_as_stored(user_row, &arrival.resource, values, known),
            DataKind::Samples { .. } => self.samples_as_stored(user_row, arrival, source, values, known),
        }
    }

    fn summaries_as_stored(
        &self,
        user_row: UserRow,
        resource: &ResourceName,
        values: Vec<ExactObject>,
        known: &mut HashSet<Key>,
    ) -> Result<Vec<ExactObject>, StoreError> {
        let kept_from = self.kept_from(resource)?;
        let sql = "SELECT document FROM summaries WHERE user_row = ?1 AND resource = ?2 AND summary_id = ?3";
        let mut values = values.into_iter();
        let mut stored = Vec::new();
        loop {
            let window: Vec<_> = values
                .by_ref()
                .take(PREFETCHED)
                .map(|value| (id_of(&value), value))
                .collect();
            if window.is_empty() {
                break;
            }
            for id in window.iter().filter_map(|(id, _)| id.as_ref()) {
                let key = params![user_row, resource.as_str(), id.as_bytes()];
                self.connection.prefetch(sql, key)?;
            }
            for (id, value) in window {
                let Some(id) = id else {
                    stored.push(value);
                    continue;
                };
                if !known.insert(Key::Summary(id)) {
                    continue;
                }
                let key = params![user_row, resource.as_str(), id.as_bytes()];
                let found: Option<String> = self.connection.first(sql, key, |row| row.get(0))?;
                match found {
                    Some(document) => {
                        let mut summary: ExactObject = decode("summary", &document)?;
                        present(resource, &mut summary);
                        stored.push(summary);
                    }
                    // For a value without a day, it is unknown whether it was deleted or pruned.
                    None => match value_day(resource, &value, None) {
                        Some(day) if !is_before(Some(day), kept_from) => {}
                        None if kept_from.is_none() => {}
                        _ => stored.push(value),
                    },
                }
            }
        }
        // Of a duplicate id, one answer is left.
        self.connection.clear_prefetched();
        Ok(stored)
    }

    fn samples_as_stored(
        &self,
        user_row: UserRow,
        arrival: &DataArrival,
        source: &str,
        values: Vec<ExactObject>,
        known: &mut HashSet<Key>,
    ) -> Result<Vec<ExactObject>, StoreError> {
        let kept_from = self.kept_from(&arrival.resource)?;
        let of_source: ArrivalSource = decode(SOURCE, source)?;
        let series = Series {
            user_row,
            resource: &arrival.resource,
            provider: &arrival.provider,
            source: &of_source,
        };
        let mut sent = Vec::with_capacity(values.len());
        let mut times: BTreeMap<i64, HashSet<i64>> = BTreeMap::new();
        for value in values {
            let sample = Sample::read(&value).map_err(|_| StoreError::Document { what: KIND })?;
            times.entry(day_of(sample.time)).or_default().insert(sample.time);
            sent.push((key_of(source, &sample), sample.time, value));
        }
        let mut stored: HashMap<Key, Vec<Sample>> = HashMap::new();
        for (day, times) in times {
            for sample in self.samples_at(&series, source, day, &times)? {
                stored.entry(key_of(source, &sample)).or_default().push(sample);
            }
        }
        let form = SampleForm::of(&arrival.resource);
        let mut found = Vec::with_capacity(sent.len());
        for (key, time, value) in sent {
            if !known.insert(key.clone()) {
                continue;
            }
            match stored.get(&key) {
                Some(samples) => {
                    for sample in samples {
                        let mut json = Vec::new();
                        sample.write_as(form, &mut json);
                        let object = ExactObject::of_event(&json);
                        found.push(object.map_err(|_| StoreError::Document { what: "sample" })?);
                    }
                }
                None if is_before(day_of_time(time), kept_from) => found.push(value),
                None => {}
            }
        }
        Ok(found)
    }
}

fn id_of(summary: &ExactObject) -> Option<Uuid> {
    match summary.get("id") {
        Some(ExactValue::String(id)) => id.parse().ok(),
        _ => None,
    }
}

fn key_of(source: &str, sample: &Sample) -> Key {
    let kind = sample.kind.as_deref().unwrap_or(UNKNOWN);
    Key::Sample(source.to_owned(), sample.time, kind.to_owned())
}

fn is_before(day: Option<NaiveDate>, kept_from: Option<NaiveDate>) -> bool {
    kept_from.is_some_and(|first| day.is_some_and(|day| day < first))
}

fn day_of_time(time: i64) -> Option<NaiveDate> {
    i32::try_from(day_of(time)).ok().and_then(NaiveDate::from_epoch_days)
}
