//! Times without an offset in the values of arrivals, read in a time zone.
//!
//! A clock that goes forward skips times, and one that goes back shows some twice. A skipped time is as long after the
//! change as it would have been without it, 02:30 is 03:30, and is rejected if another value of the series has that
//! time. For a time that was shown twice, the order of the values decides ([`order`]): the first is meant, unless that
//! is before an earlier value. An undecided time is rejected, so that no value replaces another one.

mod clock;
mod local;
mod location;
mod order;
mod series;
mod value;

use std::borrow::Cow;

use jiff::tz::TimeZoneDatabase;
use wearlab_models::User;

pub use self::clock::SummariesByClock;
use self::local::object_has_local;
use self::location::{Location, first, path};
use self::series::Series;
use crate::{DataArrival, ExactObject, IngestError, LineError, years};

/// Values of an arrival, read in a time zone.
pub(crate) struct ZoneReading<'a> {
    pub(crate) values: Cow<'a, [ExactObject]>,
    /// First time that had no offset: its path within the arrival.
    pub(crate) local: Option<String>,
    /// First time that the clock skipped.
    pub(crate) skipped: Option<String>,
    /// First time that was shown twice and whose two instants both fit the order.
    pub(crate) ambiguous: Option<String>,
}

impl DataArrival {
    /// Returns the values, with times without an offset read in a time zone of the tz database, such as `Europe/Oslo`.
    ///
    /// Times are those of the session in summaries and of the stages in sleep cycles, `start` and `end` in hypnograms,
    /// and `timestamp`, `start` and `end` in values of other resources. A value with its own time zone or offset is
    /// unchanged.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such time zone and it is needed, or if the order of the values does not tell which instant
    /// is meant; with the path of the field within the arrival.
    pub fn values_in(&self, zone: &str) -> Result<Cow<'_, [ExactObject]>, LineError> {
        self.read_in(zone).map(|reading| reading.values)
    }

    /// Returns the arrival, whose times without an offset get that of a user's fallback time zone.
    ///
    /// # Errors
    ///
    /// As [`values_in`](Self::values_in).
    pub fn with_offsets(&self, user: &User) -> Result<Cow<'_, Self>, IngestError> {
        Ok(match self.values_in(&user.fallback_time_zone.id)? {
            Cow::Borrowed(_) => Cow::Borrowed(self),
            Cow::Owned(data) => Cow::Owned(Self { data, ..self.clone() }),
        })
    }

    /// Returns whether a value has a time without an offset, anywhere.
    pub fn has_local_times(&self) -> bool {
        self.data.iter().any(object_has_local)
    }

    pub(crate) fn read_in(&self, zone: &str) -> Result<ZoneReading<'_>, LineError> {
        let mut reading = ZoneReading {
            values: Cow::Borrowed(&self.data),
            local: None,
            skipped: None,
            ambiguous: None,
        };
        if !self.has_local_times() {
            return Ok(reading);
        }
        let zone = TimeZoneDatabase::bundled().get(zone).map_err(|_| {
            let reason = "times without an offset cannot be read: the user's fallback time zone is unknown";
            LineError::new("", reason)
        })?;
        let mut values = self.data.clone();
        let [mut local, mut skipped, mut ambiguous]: [Option<Location>; 3] = [None; 3];
        for series in Series::of(self, &zone)? {
            let selected = series.select()?;
            for (value, chosen) in series.values.iter().zip(&selected.readings) {
                value.write(*chosen, &mut values[value.index]);
                if values[value.index].iter().any(|(_, member)| years::is_beyond(member)) {
                    return Err(years::beyond(format!("data[{}]", value.index)));
                }
                local = first(local, value.place(value.times.first_local()));
                skipped = first(skipped, value.place(value.times.first_skipped()));
                ambiguous = first(ambiguous, value.place(value.times.readings[*chosen].ambiguous));
            }
            let value = selected.first_ambiguous.map(|number| &series.values[number]);
            ambiguous = first(
                ambiguous,
                value.and_then(|value| value.place(value.times.first_twice())),
            );
        }
        reading.values = Cow::Owned(values);
        let path_of = |location: Option<Location>| location.map(|(index, place)| path(index, &place.path()));
        [reading.local, reading.skipped, reading.ambiguous] = [local, skipped, ambiguous].map(path_of);
        Ok(reading)
    }
}

#[cfg(test)]
mod tests;
