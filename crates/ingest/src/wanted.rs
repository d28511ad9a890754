//! Selection of the values that a user wants ingested.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use jiff::tz::TimeZoneDatabase;
use wearlab_models::{ResourceName, User};

use crate::value_day::{SampleDays, value_day};
use crate::{Completed, Kept};

/// Returns whether a user wants data of a day ingested.
pub fn wants(user: &User, day: NaiveDate) -> bool {
    user.ingestion_start.is_none_or(|start| start <= day) && user.ingestion_end.is_none_or(|end| day <= end)
}

/// Values of an arrival that a user wants ingested.
pub struct WantedValues {
    /// True if any of it is wanted: false if all values are of other days.
    pub any: bool,
    /// Flags of the wanted values of the arrival.
    wanted: Vec<bool>,
    /// Days with data of the user by these values.
    pub days: BTreeSet<NaiveDate>,
    /// Number of other days with values.
    pub dropped: usize,
    /// First and last day, with the date of the arrival: of the wanted values, or if there are none, of those that were
    /// fetched.
    pub span: [NaiveDate; 2],
}

impl WantedValues {
    /// Selects the values of an arrival that a user wants. A value is of the day by which reads find it: for a sample,
    /// the day of its time, in the time zone of the user.
    pub fn of(user: &User, completed: &Completed<'_>) -> Self {
        let arrival = &*completed.arrival;
        let (mut wanted, mut days, mut dropped) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for day in days_of_values(user, completed) {
            let is_wanted = wants(user, day);
            wanted.push(is_wanted);
            if is_wanted {
                days.insert(day);
            } else {
                dropped.insert(day);
            }
        }
        let date_is_wanted = wants(user, arrival.date);
        let any = match arrival.data.is_empty() {
            true => date_is_wanted,
            false => !days.is_empty(),
        };
        let dropped_days = dropped.len();
        let named = Some(arrival.date);
        let mut span = match any {
            true => days.clone(),
            false => dropped,
        };
        span.extend(named.filter(|_| span.is_empty() || any && date_is_wanted));
        if matches!(completed.kept, Kept::Nothing) && any {
            // No read finds them. They are of the day of their arrival, and of their own days if they were pulled.
            days.retain(|_| arrival.pull.is_some());
            days.extend(named.filter(|_| date_is_wanted));
        }
        Self {
            span: [span.first(), span.last()].map(|day| day.copied().unwrap_or(arrival.date)),
            any,
            wanted,
            days,
            dropped: dropped_days,
        }
    }

    /// Returns whether the user wants the value at a position of the arrival.
    pub fn has(&self, place: usize) -> bool {
        self.wanted.get(place).copied().unwrap_or_default()
    }
}

/// Returns the days of the values of an arrival, in order, by which reads find them.
pub fn days_of_values(user: &User, completed: &Completed<'_>) -> Vec<NaiveDate> {
    let zone = TimeZoneDatabase::bundled().get(&user.fallback_time_zone.id).ok();
    let arrival = &*completed.arrival;
    match &completed.kept {
        Kept::Nothing => {
            let day = |value| value_day(&arrival.resource, value, zone.as_ref()).unwrap_or(arrival.date);
            arrival.data.iter().map(day).collect()
        }
        Kept::Summaries(summaries) => summaries.iter().map(|summary| summary.day).collect(),
        Kept::Samples(samples) => {
            let mut days = SampleDays::new(zone.as_ref());
            let days = samples.iter().map(|sample| days.day_of(sample).unwrap_or(arrival.date));
            days.collect()
        }
    }
}

/// Returns whether data of a resource have the stages of a sleep session.
pub fn has_hypnogram(resource: &ResourceName) -> bool {
    matches!(resource, ResourceName::SleepCycle | ResourceName::Hypnogram)
}
