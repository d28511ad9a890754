//! Arrivals of a span of days: older days as historical pulls, as providers send them after a user has connected, and
//! the last days one by one. So a year causes one event for each resource, and those of the last days.

use chrono::NaiveDate;
use serde::de::Error as _;
use wearlab_ingest::{DataKind, ExactObject};
use wearlab_models::ResourceName;
use wearlab_store::{Arrival, ArrivalSource, DataArrival, PullChunk};

use super::clock::{days, number, shifted};
use super::noise::Of;
use super::series::SERIES;
use super::summaries::SUMMARIES;
use super::wearer::{Wearer, source_of};
use super::{COARSE, Day, Detail, FINE, SPARSE, cycle};

/// Number of the last days that arrive one by one.
const RECENT_DAYS: i64 = 3;
/// Number of the last days with coarse detail. Days before that are sparse.
const COARSE_DAYS: i64 = 14;
/// Days in a chunk of a pull.
const CHUNK_DAYS: i64 = 30;
/// Percentage of days whose first data arrive in the evening, and all of them later.
const CORRECTED_PERCENT: f64 = 40.0;
/// Time of these data, in minutes after midnight.
const EVENING: i64 = 20 * 60;

/// Arrivals of one transaction, and the number of their days.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) days: u64,
    pub(super) arrivals: Vec<Arrival>,
}

/// Days of a wearer from `first` to `last`, with the data up to `now`.
pub(super) struct Backfill<'a> {
    pub(super) wearer: &'a Wearer,
    pub(super) first: NaiveDate,
    pub(super) last: NaiveDate,
    pub(super) now: i64,
}

impl Backfill<'_> {
    /// Returns the arrivals in batches, the oldest first.
    pub(super) fn batches(&self) -> impl Iterator<Item = serde_json::Result<Batch>> {
        let recent = shifted(self.last, 1 - RECENT_DAYS).max(self.first);
        let chunks = (number(recent) - number(self.first) + CHUNK_DAYS - 1) / CHUNK_DAYS;
        let history = (0..chunks).map(move |index| self.chunk(index, chunks, recent));
        let recent = days(recent, self.last).map(|day| self.day(day));
        std::iter::once_with(|| self.beginning()).chain(history).chain(recent)
    }

    /// Returns the arrivals of no day of the span: the profile, and the cycle that began before.
    fn beginning(&self) -> serde_json::Result<Batch> {
        let wearer = self.wearer;
        let sex = if wearer.is_female { "female" } else { "male" };
        let profile = serde_json::json!({
            "height": wearer.height,
            "birth_date": wearer.birth_date,
            "wheelchair_use": false,
            "gender": sex,
            "sex": sex,
        });
        // The day is always the same, so that the profile does not change with the next days.
        let mut arrivals = vec![self.data(&ResourceName::Profile, wearer.since, vec![exact(&profile)?])];
        let begun = cycle::first_day(wearer, self.first);
        if begun < self.first {
            let known = cycle::begun(wearer, begun, self.now);
            let known = known.iter().map(exact).collect::<Result<Vec<_>, _>>()?;
            if !known.is_empty() {
                arrivals.push(self.data(&ResourceName::MenstrualCycle, begun, known));
            }
        }
        Ok(Batch { days: 0, arrivals })
    }

    /// Returns a chunk of the pulls of all resources, of days before `end`.
    fn chunk(&self, index: i64, chunks: i64, end: NaiveDate) -> serde_json::Result<Batch> {
        let first = shifted(self.first, index * CHUNK_DAYS);
        let end = shifted(first, CHUNK_DAYS).min(end);
        let of_chunk: Vec<_> = days(first, shifted(end, -1))
            .map(|day| self.made(day, self.now, self.detail(day)))
            .collect();
        let mut arrivals = Vec::new();
        for resource in self.resources() {
            let mut values = Vec::new();
            for day in &of_chunk {
                values.extend(day.values(resource)?);
            }
            let chunk = PullChunk {
                id: format!("backfill-{}-{}", self.first, self.last),
                chunk: index as u32 + 1,
                chunks: chunks as u32,
            };
            arrivals.push(DataArrival {
                pull: Some(chunk),
                ..self.arrival(resource, first, values)
            });
        }
        Ok(Batch {
            days: of_chunk.len() as u64,
            arrivals: arrivals.into_iter().map(Arrival::Data).collect(),
        })
    }

    /// Returns a day of all resources with data. For some days, the data up to the evening come first.
    fn day(&self, day: NaiveDate) -> serde_json::Result<Batch> {
        let evening = self.wearer.clock.at(day, EVENING);
        let is_over = self.wearer.clock.midnight(shifted(day, 1)) <= self.now;
        let is_corrected = is_over
            && self
                .wearer
                .noise
                .percent(Of::Correction, number(day), CORRECTED_PERCENT);
        let mut arrivals = Vec::new();
        if is_corrected || shifted(day, 1) == self.last {
            let early = self.of_day(&self.made(day, evening.min(self.now), FINE))?;
            // Without an id, repeated evening data would overwrite the later ones.
            let early = early.map(|arrival| DataArrival {
                arrival_id: Some(format!("evening-{day}-{}", arrival.resource)),
                ..arrival
            });
            arrivals.extend(early.map(Arrival::Data));
        }
        arrivals.extend(self.of_day(&self.made(day, self.now, FINE))?.map(Arrival::Data));
        Ok(Batch { days: 1, arrivals })
    }

    fn of_day(&self, day: &Day<'_>) -> serde_json::Result<impl Iterator<Item = DataArrival> + use<>> {
        let mut arrivals = Vec::new();
        for resource in self.resources() {
            let values = day.values(resource)?;
            if !values.is_empty() {
                arrivals.push(self.arrival(resource, day.day, values));
            }
        }
        Ok(arrivals.into_iter())
    }

    fn made(&self, day: NaiveDate, now: i64, detail: Detail) -> Day<'_> {
        Day::of(self.wearer, day, now, detail)
    }

    /// Returns the level of detail that a provider keeps of a day.
    fn detail(&self, day: NaiveDate) -> Detail {
        match number(self.last) - number(day) < COARSE_DAYS {
            true => COARSE,
            false => SPARSE,
        }
    }

    fn resources(&self) -> impl Iterator<Item = &'static ResourceName> + use<> {
        let is_female = self.wearer.is_female;
        let summaries = SUMMARIES.iter().map(|(resource, _)| resource);
        let resources = summaries.chain(SERIES.iter().map(|(resource, _)| resource));
        resources.filter(move |resource| is_female || **resource != ResourceName::MenstrualCycle)
    }

    fn data(&self, resource: &ResourceName, day: NaiveDate, values: Vec<ExactObject>) -> Arrival {
        Arrival::Data(self.arrival(resource, day, values))
    }

    fn arrival(&self, resource: &ResourceName, day: NaiveDate, data: Vec<ExactObject>) -> DataArrival {
        DataArrival {
            team_id: self.wearer.team_id,
            user_id: self.wearer.user_id,
            provider: self.wearer.provider_of(resource).to_owned(),
            resource: resource.clone(),
            date: day,
            source: ArrivalSource {
                type_: Some(source_of(resource).to_owned()),
                app_id: None,
            },
            data,
            raw: ExactObject::default(),
            pull: None,
            arrival_id: None,
        }
    }
}

impl Day<'_> {
    /// Returns the values of a resource on the day.
    fn values(&self, resource: &ResourceName) -> serde_json::Result<Vec<ExactObject>> {
        if DataKind::of(resource) == DataKind::Summary {
            return self.summaries(resource).iter().map(exact).collect();
        }
        let mut json = Vec::new();
        let samples = self.samples(resource).into_iter().map(|sample| {
            json.clear();
            sample.write(&mut json);
            read(&json)
        });
        samples.collect()
    }
}

fn exact(value: &serde_json::Value) -> serde_json::Result<ExactObject> {
    read(value.to_string().as_bytes())
}

fn read(json: &[u8]) -> serde_json::Result<ExactObject> {
    let text = std::str::from_utf8(json).map_err(serde_json::Error::custom)?;
    serde_json::from_str(text)
}
