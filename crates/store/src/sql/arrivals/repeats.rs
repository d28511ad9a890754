//! Comparison of arriving values with stored ones.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use chrono::NaiveDate;
use wearlab_ingest::{Completed, Kept, Sample, Stored, SummariesByClock};
use wearlab_models::{ResourceName, User};

use crate::sql::Transaction;
use crate::sql::data::samples::{Series, day_of};
use crate::sql::document::{decode, source_text};
use crate::sql::users::row::UserRow;
use crate::sql::value::params;
use crate::{DataArrival, ExactObject, Ingestion, StoreError};

/// Indices of the values of an arrival that are not stored unchanged, without those whose retention has passed.
pub(crate) struct News {
    /// Indices of values that are not stored.
    pub(crate) missing: Vec<usize>,
    /// Indices of values whose stored value differs.
    pub(crate) changed: Vec<usize>,
    /// Number of values that are stored unchanged.
    pub(crate) unchanged: usize,
}

/// Returns the user with another time zone for times without an offset.
pub(crate) fn in_zone<'u>(user: &'u User, zone: Option<&str>) -> Cow<'u, User> {
    let mut user = Cow::Borrowed(user);
    if let Some(zone) = zone.filter(|zone| *zone != user.fallback_time_zone.id) {
        zone.clone_into(&mut user.to_mut().fallback_time_zone.id);
    }
    user
}

impl Transaction<'_> {
    /// Compares the values of an arrival with stored ones.
    pub(crate) fn news(&self, user_row: UserRow, completed: &Completed<'_>) -> Result<News, StoreError> {
        let stored = self.stored(user_row, completed)?;
        let places = |of: Stored| {
            let places = stored.iter().enumerate().filter(move |(_, (stored, _))| *stored == of);
            places.map(|(place, (_, day))| (place, *day))
        };
        let changed = places(Stored::Changed).map(|(place, _)| place).collect();
        let unchanged = places(Stored::Unchanged).count();
        let mut missing: Vec<_> = places(Stored::Missing).collect();
        if !missing.is_empty() {
            let kept_from = self.kept_from(&completed.arrival.resource)?;
            missing.retain(|(_, day)| kept_from.is_none_or(|first| *day >= first));
        }
        let missing = missing.into_iter().map(|(place, _)| place).collect();
        Ok(News {
            missing,
            changed,
            unchanged,
        })
    }

    /// Returns true if all values of an arrival are stored with the same local times, whatever their time zone.
    pub(crate) fn is_stored_by_clock(
        &self,
        user_row: UserRow,
        user: &User,
        arrival: &DataArrival,
        ingestion: &Ingestion,
    ) -> Result<bool, StoreError> {
        // Each time is shown once.
        let user = in_zone(user, Some("UTC"));
        let located = arrival.with_offsets(&user)?;
        let completed = self.completed(user_row, &user, &located, ingestion)?;
        let source = source_text(&arrival.source)?;
        match &completed.kept {
            Kept::Nothing => Ok(true),
            Kept::Samples(samples) => {
                let series = Series::of(user_row, arrival);
                self.has_samples_by_clock(&series, &source, samples)
            }
            Kept::Summaries(summaries) => {
                let days: Vec<_> = summaries.iter().map(|summary| summary.day).collect();
                let (Some(first), Some(last)) = (days.iter().min(), days.iter().max()) else {
                    return Ok(true);
                };
                let sql = "SELECT document FROM summaries
                    WHERE user_row = ?1 AND resource = ?2 AND day >= ?3 AND day <= ?4 AND provider = ?5 AND source = ?6";
                let [first, last] = [first.pred_opt(), last.succ_opt()].map(|day| day.unwrap_or_default().to_string());
                let key = params![
                    user_row,
                    arrival.resource.as_str(),
                    first,
                    last,
                    arrival.provider,
                    source
                ];
                let stored = self
                    .connection
                    .all(sql, key, |row| decode::<ExactObject>("summary", &row.get::<String>(0)?))?;
                let stored = SummariesByClock::new(&arrival.resource, &stored);
                Ok(arrival.data.iter().all(|value| stored.contains(value)))
            }
        }
    }

    fn has_samples_by_clock(&self, series: &Series<'_>, source: &str, samples: &[Sample]) -> Result<bool, StoreError> {
        let mut by_day: BTreeMap<i64, Vec<Sample>> = BTreeMap::new();
        for sample in samples.iter().map(Sample::by_clock) {
            by_day.entry(day_of(sample.time)).or_default().push(sample);
        }
        for (day, samples) in by_day {
            let mut stored = Vec::new();
            // Clocks are less than a day from UTC.
            for day in day - 1..=day + 1 {
                stored.extend(self.samples_of_day(series, source, day)?);
            }
            let mut stored: Vec<_> = stored.iter().map(Sample::by_clock).collect();
            stored.sort_by(Sample::order);
            for sample in samples {
                let first = stored.partition_point(|stored| stored.order(&sample).is_lt());
                let mut same_time = stored[first..]
                    .iter()
                    .take_while(|stored| stored.order(&sample).is_eq());
                if !same_time.any(|stored| stored.says_the_same(&sample)) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Returns the state of each value of an arrival, and its day, for retention. Empty if values of
    /// the resource are not stored.
    fn stored(&self, user_row: UserRow, completed: &Completed<'_>) -> Result<Vec<(Stored, NaiveDate)>, StoreError> {
        let arrival = &*completed.arrival;
        match &completed.kept {
            Kept::Nothing => Ok(Vec::new()),
            Kept::Summaries(summaries) => Ok(summaries.iter().map(|summary| (summary.stored, summary.day)).collect()),
            Kept::Samples(samples) => {
                let series = Series::of(user_row, arrival);
                self.stored_samples(&series, samples)
            }
        }
    }

    fn stored_samples(&self, series: &Series<'_>, samples: &[Sample]) -> Result<Vec<(Stored, NaiveDate)>, StoreError> {
        let source = source_text(series.source)?;
        let mut states = vec![(Stored::Missing, NaiveDate::MAX); samples.len()];
        for (day, places) in by_day(samples) {
            let of_day: Vec<_> = places.iter().filter_map(|place| samples.get(*place)).collect();
            let stored = self.stored_samples_of_day(series, &source, day, &of_day)?;
            for (place, stored) in places.into_iter().zip(stored) {
                if let Some(state) = states.get_mut(place) {
                    *state = (stored, date_of(day));
                }
            }
        }
        Ok(states)
    }

    /// Returns the state of each of some samples of a UTC day.
    fn stored_samples_of_day(
        &self,
        series: &Series<'_>,
        source: &str,
        day: i64,
        samples: &[&Sample],
    ) -> Result<Vec<Stored>, StoreError> {
        let times: HashSet<_> = samples.iter().map(|sample| sample.time).collect();
        let of_day = self.samples_at(series, source, day, &times)?;
        let state = |sample: &&Sample| {
            let found = of_day.binary_search_by(|stored| stored.order(sample));
            match found.ok().and_then(|at| of_day.get(at)) {
                None => Stored::Missing,
                Some(stored) if stored.says_the_same(sample) => Stored::Unchanged,
                Some(_) => Stored::Changed,
            }
        };
        Ok(samples.iter().map(state).collect())
    }

    /// Returns whether all values of an arrival are stored unchanged. True if values of its resource are not
    /// stored.
    ///
    /// New samples are usually the latest: the last day is read first, and no other one if it differs.
    pub(crate) fn are_stored(&self, user_row: UserRow, completed: &Completed<'_>) -> Result<bool, StoreError> {
        let arrival = &*completed.arrival;
        let samples = match &completed.kept {
            Kept::Nothing => return Ok(true),
            Kept::Summaries(summaries) => {
                let replaces_none = summaries.iter().all(|summary| summary.replaces.is_empty());
                let news = self.news(user_row, completed)?;
                return Ok(replaces_none && news.missing.is_empty() && news.changed.is_empty());
            }
            Kept::Samples(samples) => samples,
        };
        let series = Series::of(user_row, arrival);
        let source = source_text(series.source)?;
        let kept_from = self.kept_from(&arrival.resource)?;
        for (day, places) in by_day(samples).into_iter().rev() {
            let is_kept = kept_from.is_none_or(|first| date_of(day) >= first);
            let of_day: Vec<_> = places.iter().filter_map(|place| samples.get(*place)).collect();
            let stored = self.stored_samples_of_day(&series, &source, day, &of_day)?;
            let is_stored = |stored: &Stored| match stored {
                Stored::Unchanged => true,
                Stored::Missing => !is_kept,
                Stored::Changed => false,
            };
            if !stored.iter().all(is_stored) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The first day of stored values of a resource, by the retention at the last deletion.
    pub(crate) fn kept_from(&self, resource: &ResourceName) -> Result<Option<NaiveDate>, StoreError> {
        Ok(self
            .value_retention()?
            .and_then(|retention| retention.first_day(resource)))
    }
}

/// The indices of samples, by their UTC day.
fn by_day(samples: &[Sample]) -> BTreeMap<i64, Vec<usize>> {
    let mut places: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (place, sample) in samples.iter().enumerate() {
        places.entry(day_of(sample.time)).or_default().push(place);
    }
    places
}

fn date_of(day: i64) -> NaiveDate {
    let date = i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days);
    date.unwrap_or(NaiveDate::MAX)
}
