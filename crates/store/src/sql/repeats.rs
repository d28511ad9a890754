//! Values that arrive again: whether they are stored as they are.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use wearlab_ingest::{Completed, Kept, Sample, Stored};
use wearlab_models::ResourceName;

use super::Transaction;
use super::document::encode;
use super::samples::{SOURCE, Series, day_of, merged};
use super::user_row::UserRow;
use crate::StoreError;

impl Transaction<'_> {
    /// Returns whether all values of an arrival are stored as they are, but for those whose retention has passed.
    pub(super) fn are_stored(&self, user_row: UserRow, completed: &Completed<'_>) -> Result<bool, StoreError> {
        let stored = self.stored(user_row, completed)?;
        if stored.iter().any(|(stored, _)| *stored == Stored::Changed) {
            return Ok(false);
        }
        let mut missing = stored
            .iter()
            .filter(|(stored, _)| *stored == Stored::Missing)
            .peekable();
        if missing.peek().is_none() {
            return Ok(true);
        }
        let kept_from = self.kept_from(&completed.arrival.resource)?;
        Ok(missing.all(|(_, day)| kept_from.is_some_and(|first| *day < first)))
    }

    /// The places of the values of an arrival that are missing in the store, though their retention has not passed.
    pub(super) fn missing(&self, user_row: UserRow, completed: &Completed<'_>) -> Result<Vec<usize>, StoreError> {
        let stored = self.stored(user_row, completed)?;
        if !stored.iter().any(|(stored, _)| *stored == Stored::Missing) {
            return Ok(Vec::new());
        }
        let kept_from = self.kept_from(&completed.arrival.resource)?;
        let missing = stored.iter().enumerate().filter(|(_, (stored, day))| {
            let is_kept = kept_from.is_none_or(|first| *day >= first);
            *stored == Stored::Missing && is_kept
        });
        Ok(missing.map(|(place, _)| place).collect())
    }

    /// Returns the state of each value of an arrival, and its day, by which retention goes. Empty where no values of the
    /// resource are kept.
    fn stored(&self, user_row: UserRow, completed: &Completed<'_>) -> Result<Vec<(Stored, NaiveDate)>, StoreError> {
        let arrival = &*completed.arrival;
        match &completed.kept {
            Kept::Nothing => Ok(Vec::new()),
            Kept::Summaries(summaries) => Ok(summaries.iter().map(|summary| (summary.stored, summary.day)).collect()),
            Kept::Samples(samples) => {
                let series = Series {
                    user_row,
                    resource: &arrival.resource,
                    provider: &arrival.provider,
                    source: &arrival.source,
                };
                self.stored_samples(&series, samples)
            }
        }
    }

    fn stored_samples(&self, series: &Series<'_>, samples: &[Sample]) -> Result<Vec<(Stored, NaiveDate)>, StoreError> {
        let source = encode(SOURCE, &series.source.clone().normalized())?;
        let mut places: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (place, sample) in samples.iter().enumerate() {
            places.entry(day_of(sample.time)).or_default().push(place);
        }
        let mut states = vec![(Stored::Missing, NaiveDate::MAX); samples.len()];
        for (day, places) in places {
            // One day at a time is in memory.
            let of_day = merged(self.parts_of(series, &source, day)?);
            let date = i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days);
            for place in places {
                let (Some(sample), Some(state)) = (samples.get(place), states.get_mut(place)) else {
                    continue;
                };
                let found = of_day.binary_search_by(|stored| stored.order(sample));
                let stored = match found.ok().and_then(|at| of_day.get(at)) {
                    None => Stored::Missing,
                    Some(stored) if stored.says_the_same(sample) => Stored::Unchanged,
                    Some(_) => Stored::Changed,
                };
                *state = (stored, date.unwrap_or(NaiveDate::MAX));
            }
        }
        Ok(states)
    }

    /// The first day of which values of a resource are kept, as retention went by when it deleted some last.
    fn kept_from(&self, resource: &ResourceName) -> Result<Option<NaiveDate>, StoreError> {
        Ok(self
            .value_retention()?
            .and_then(|retention| retention.first_day(resource)))
    }
}
