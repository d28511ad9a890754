//! Series of values in one order, and collisions within them.

use std::collections::{BTreeMap, HashMap};

use jiff::tz::TimeZone;
use wearlab_models::ResourceName;

use super::local::{Time, names_its_zone};
use super::location::{Location, path};
use super::order::{OrderError, Ordered, Overlap, Span, select};
use super::value::{Place, Times};
use crate::kept::DataKind;
use crate::{DataArrival, ExactObject, ExactValue, LineError};

const UNORDERED: &str = "the clock showed this time twice, and the values are not in the order of time, which tells which one is meant: \
                        send times with their offset, such as 2026-10-25T02:30:00+01:00";
const OVERLAP: &str = "the clock showed this time twice, and either would do: at the first one, the value overlaps the one before: \
                       send times with their offset, such as 2026-10-25T02:30:00+01:00";
const SAME_TIME: &str = "the clock showed this time twice, and another value has the same one: \
                         send times with their offset, such as 2026-10-25T02:30:00+01:00";
const SKIPPED: &str = "the clock skipped this time, and another value has the time that follows from it: \
                       send times with their offset, such as 2026-03-29T03:30:00+02:00";

/// Values of one series: of a `type` in a time series, or else all of a resource.
pub(super) struct Series {
    pub(super) values: Vec<TimedValue>,
    overlap: Overlap,
}

/// Value that has times.
pub(super) struct TimedValue {
    /// Number of the value in the arrival.
    pub(super) index: usize,
    pub(super) times: Times,
    /// True if it replaces another value of its time.
    is_found_by_time: bool,
}

impl TimedValue {
    pub(super) fn write(&self, reading: usize, value: &mut ExactObject) {
        self.times.write(&self.times.readings[reading], value);
    }

    pub(super) fn place(&self, place: Option<Place>) -> Option<Location> {
        place.map(|place| (self.index, place))
    }

    fn error(&self, place: Place, reason: &str) -> LineError {
        LineError::new(path(self.index, &place.path()), reason)
    }

    fn key(&self) -> &(Place, Time) {
        &self.times.key
    }
}

impl Series {
    /// Returns the series of an arrival, without values that name their time zone.
    pub(super) fn of(arrival: &DataArrival, zone: &TimeZone) -> Result<Vec<Self>, LineError> {
        let resource = &arrival.resource;
        let is_samples = matches!(DataKind::of(resource), DataKind::Samples { .. });
        let mut series: BTreeMap<Option<&str>, Vec<TimedValue>> = BTreeMap::new();
        for (index, value) in arrival.data.iter().enumerate() {
            if names_its_zone(value) {
                continue;
            }
            let times = Times::read(resource, value, zone);
            let Some(times) = times.map_err(|error| LineError::new(path(index, &error.path), error.reason))? else {
                continue;
            };
            let name = text(value, "type").filter(|_| is_samples);
            series.entry(name).or_default().push(TimedValue {
                index,
                times,
                is_found_by_time: is_samples || is_session_without_id(resource, value),
            });
        }
        let overlap = overlap(resource);
        Ok(series.into_values().map(|values| Self { values, overlap }).collect())
    }

    /// Selects the reading of each value.
    pub(super) fn select(&self) -> Result<Ordered, LineError> {
        let is_decided = self.values.iter().all(|value| value.times.readings.len() == 1);
        let selected = match is_decided {
            true => Ordered {
                readings: vec![0; self.values.len()],
                first_ambiguous: None,
            },
            false => {
                let spans = |value: &TimedValue| value.times.readings.iter().map(|reading| reading.span).collect();
                let spans: Vec<Vec<Span>> = self.values.iter().map(spans).collect();
                select(&spans, self.overlap).map_err(|error| self.order_error(error))?
            }
        };
        self.check_collisions(&selected.readings)?;
        Ok(selected)
    }

    fn order_error(&self, error: OrderError) -> LineError {
        let (mut values, reason) = match error {
            OrderError::Unordered => (self.values.iter(), UNORDERED),
            OrderError::Overlap(number) => (self.values[number..].iter(), OVERLAP),
        };
        let first = values.find_map(|value| Some((value, value.times.first_twice()?)));
        match first {
            Some((value, place)) => value.error(place, reason),
            None => LineError::new("data", reason),
        }
    }

    /// Rejects a value whose time is that of another one because the clock changed.
    fn check_collisions(&self, readings: &[usize]) -> Result<(), LineError> {
        let mut seen: HashMap<i64, &TimedValue> = HashMap::new();
        let found = self.values.iter().zip(readings);
        for (value, reading) in found.filter(|(value, _)| value.is_found_by_time) {
            let Some(other) = seen.insert(value.times.readings[*reading].key, value) else {
                continue;
            };
            let ((place, time), (other_place, other_time)) = (value.key(), other.key());
            if time.is_twice() {
                return Err(value.error(*place, SAME_TIME));
            }
            if other_time.is_twice() {
                return Err(other.error(*other_place, SAME_TIME));
            }
            // With the same text, it is a correction, as at any other time.
            match (time.is_skipped(), other_time.is_skipped()) {
                (false, false) => {}
                _ if time.local == other_time.local => {}
                (true, _) => return Err(value.error(*place, SKIPPED)),
                (false, true) => return Err(other.error(*other_place, SKIPPED)),
            }
        }
        Ok(())
    }
}

/// Returns whether values of a resource may overlap: sessions follow each other, spans of a time series may overlap.
fn overlap(resource: &ResourceName) -> Overlap {
    let is_session = !resource.times().is_empty() || *resource == ResourceName::Hypnogram;
    match is_session {
        true => Overlap::Never,
        false => Overlap::Possible,
    }
}

/// Returns whether a summary is identified by its start: it is a session without an id.
fn is_session_without_id(resource: &ResourceName, value: &ExactObject) -> bool {
    let is_session = matches!(resource.identity(), Some("overlap" | "start"));
    is_session && text(value, "id").or(text(value, "provider_id")).is_none()
}

fn text<'a>(value: &'a ExactObject, name: &str) -> Option<&'a str> {
    match value.get(name) {
        Some(ExactValue::String(text)) => Some(text),
        _ => None,
    }
}
