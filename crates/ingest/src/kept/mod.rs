//! Stored form of the values of an arrival: summaries, samples of a time series, or nothing if they are only events.

mod candidates;
mod cycle;
mod deduplication;
mod form;
mod identity;
mod kind;
mod matching;
mod reversed;
mod schema;
mod session;
mod summary;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use jiff::tz::TimeZoneDatabase;
use wearlab_models::User;

pub use self::form::{SampleForm, present};
pub use self::identity::{Identity, Stored, StoredSummary, SummaryLookup};
pub use self::kind::{DataKind, is_numeric};
pub(crate) use self::kind::{other_arrival, times_of};
use self::matching::Matcher;
pub(crate) use self::schema::check;
pub use self::summary::Summary;
use self::summary::{Context, Draft};
use crate::{DataArrival, ExactObject, IngestError, LineError, Sample};

/// Arrival whose values are complete, with the stored form of each.
pub struct Completed<'a> {
    /// Arrival with its stored values, except samples, which are in `kept`. Of values that replace each other it has
    /// the last one.
    pub arrival: Cow<'a, DataArrival>,
    /// Stored form of the values.
    pub kept: Kept,
    /// Original positions of the values in the arrival, if it has fewer of them now.
    places: Option<Vec<usize>>,
}

impl Completed<'_> {
    /// Returns the original position of a value in the arrival.
    pub fn place(&self, index: usize) -> usize {
        let places = self.places.as_ref();
        places.and_then(|places| places.get(index)).copied().unwrap_or(index)
    }

    /// Returns the wanted values, by their position, in the form of events and reads: the text of a JSON array.
    ///
    /// # Errors
    ///
    /// Returns an error if one cannot be written.
    pub fn values(&self, is_wanted: impl Fn(usize) -> bool) -> Result<String, IngestError> {
        let failed = |_| IngestError::Document { what: "value" };
        let Kept::Samples(samples) = &self.kept else {
            let values = self.arrival.data.iter().enumerate();
            let wanted = values.filter(|(place, _)| is_wanted(*place));
            let wanted: Vec<_> = wanted.map(|(_, value)| self.presented(value)).collect();
            return serde_json::to_string(&wanted).map_err(failed);
        };
        let form = SampleForm::of(&self.arrival.resource);
        let mut json = vec![b'['];
        for (_, sample) in samples.iter().enumerate().filter(|(place, _)| is_wanted(*place)) {
            if json.len() > 1 {
                json.push(b',');
            }
            sample.write_as(form, &mut json);
        }
        json.push(b']');
        String::from_utf8(json).map_err(|_| IngestError::Document { what: "value" })
    }

    /// Checks that no summary ends before it begins. Stored ones of earlier versions may do so.
    ///
    /// # Errors
    ///
    /// Returns an error if one does, with its position.
    pub fn check_order(&self) -> Result<(), IngestError> {
        let Kept::Summaries(summaries) = &self.kept else {
            return Ok(());
        };
        for (index, (summary, value)) in summaries.iter().zip(&self.arrival.data).enumerate() {
            if let Some([start, end]) = reversed::reversed(&self.arrival.resource, summary, value) {
                return Err(IngestError::Refused {
                    field: format!("data[{}].{end}", self.place(index)),
                    reason: format!("must not be before {start}"),
                });
            }
        }
        Ok(())
    }

    /// Retains the values whose position is wanted.
    pub fn retain(&mut self, is_wanted: impl Fn(usize) -> bool) {
        let came: Vec<_> = (0..self.arrival.data.len()).map(|index| self.place(index)).collect();
        let arrival = self.arrival.to_mut();
        retain(&mut arrival.data, &is_wanted);
        match &mut self.kept {
            Kept::Nothing => {}
            Kept::Summaries(summaries) => retain(summaries, &is_wanted),
            Kept::Samples(samples) => retain(samples, &is_wanted),
        }
        let mut places = came;
        retain(&mut places, &is_wanted);
        self.places = Some(places);
    }

    fn presented<'v>(&self, value: &'v ExactObject) -> Cow<'v, ExactObject> {
        let Kept::Summaries(_) = &self.kept else {
            return Cow::Borrowed(value);
        };
        let mut value = value.clone();
        present(&self.arrival.resource, &mut value);
        Cow::Owned(value)
    }
}

/// Stored form of the values of an arrival, one for each value, in order.
pub enum Kept {
    /// Not stored: the resource is neither a summary nor a time series.
    Nothing,
    /// Summaries.
    Summaries(Vec<Summary>),
    /// Samples.
    Samples(Vec<Sample>),
}

impl DataArrival {
    /// Completes the values, whose times have their offsets: summaries get the members that every summary has, samples
    /// their normal form.
    ///
    /// `lookup` finds the stored ones. An unchanged summary stays as it is, and a changed one keeps its id and its time
    /// of creation.
    ///
    /// # Errors
    ///
    /// Returns an error if a value does not have the shape of its resource, values contradict each other, or `lookup` fails.
    pub fn completed<L: SummaryLookup>(
        &self,
        user: &User,
        now: DateTime<Utc>,
        lookup: L,
    ) -> Result<Completed<'_>, L::Error> {
        let invalid = |index: usize, error: LineError| {
            let path = schema::join(&format!("data[{index}]"), &error.path);
            IngestError::from(LineError::new(path, error.reason))
        };
        match DataKind::of(&self.resource) {
            DataKind::Other => Ok(Completed {
                arrival: Cow::Borrowed(self),
                kept: Kept::Nothing,
                places: None,
            }),
            DataKind::Summary => {
                let zone = TimeZoneDatabase::bundled().get(&user.fallback_time_zone.id).ok();
                let context = Context::new(self, zone.as_ref(), now);
                let drafts = self.data.iter().enumerate();
                let drafts =
                    drafts.map(|(index, value)| context.complete(value).map_err(|error| invalid(index, error)));
                let drafts = drafts.collect::<Result<Vec<_>, _>>()?;
                let drafts = context.deduplicate(drafts)?;
                let mut matcher = Matcher::new(&context, &drafts, lookup)?;
                let (mut data, mut kept, mut places) = (Vec::new(), Vec::new(), Vec::new());
                for (place, draft) in drafts {
                    let Draft { value, summary, .. } = matcher.identify(place, draft)?;
                    data.push(value);
                    kept.push(summary);
                    places.push(place);
                }
                Ok(self.with_data(data, Kept::Summaries(kept), places))
            }
            DataKind::Samples { unit } => {
                let unit = Arc::from(unit);
                let samples = self.data.iter().enumerate();
                let read = |value| schema::sample(&self.resource, value, &unit);
                let samples = samples.map(|(index, value)| read(value).map_err(|error| invalid(index, error)));
                let samples = samples.collect::<Result<Vec<_>, _>>()?;
                let Some(places) = last_of_each(&samples) else {
                    return Ok(Completed {
                        arrival: Cow::Borrowed(self),
                        kept: Kept::Samples(samples),
                        places: None,
                    });
                };
                let data = places
                    .iter()
                    .filter_map(|place| self.data.get(*place).cloned())
                    .collect();
                let samples = places.iter().filter_map(|place| samples.get(*place).cloned()).collect();
                Ok(self.with_data(data, Kept::Samples(samples), places))
            }
        }
    }

    fn with_data(&self, data: Vec<ExactObject>, kept: Kept, places: Vec<usize>) -> Completed<'_> {
        let arrival = Self {
            data,
            team_id: self.team_id,
            user_id: self.user_id,
            provider: self.provider.clone(),
            resource: self.resource.clone(),
            date: self.date,
            source: self.source.clone(),
            raw: self.raw.clone(),
            pull: self.pull.clone(),
            arrival_id: self.arrival_id.clone(),
        };
        Completed {
            arrival: Cow::Owned(arrival),
            kept,
            places: Some(places),
        }
    }
}

/// Retains the items whose index is wanted.
fn retain<T>(items: &mut Vec<T>, is_wanted: impl Fn(usize) -> bool) {
    let mut index = 0;
    items.retain(|_| {
        index += 1;
        is_wanted(index - 1)
    });
}

/// Returns the positions of samples that no later one of the same time and type replaces; none if that is all of them.
fn last_of_each(samples: &[Sample]) -> Option<Vec<usize>> {
    if samples.is_sorted_by(|a, b| a.order(b).is_lt()) {
        return None;
    }
    let mut known = HashSet::with_capacity(samples.len());
    let mut places: Vec<_> = (samples.iter().enumerate().rev())
        .filter(|(_, sample)| known.insert((sample.time, sample.kind.as_deref())))
        .map(|(place, _)| place)
        .collect();
    places.reverse();
    (places.len() < samples.len()).then_some(places)
}

#[cfg(test)]
pub(crate) use self::tests::user;
#[cfg(test)]
mod tests;
