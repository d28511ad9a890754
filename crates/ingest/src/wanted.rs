//! Which of what arrives a user wants ingested.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use jiff::tz::TimeZoneDatabase;
use wearlab_models::{ResourceName, User};

use crate::value_day::{SampleDays, value_day};
use crate::{Completed, Kept};

/// Whether a user wants data of a day ingested.
pub fn wants(user: &User, day: NaiveDate) -> bool {
    user.ingestion_start.is_none_or(|start| start <= day) && user.ingestion_end.is_none_or(|end| day <= end)
}

/// Values of an arrival that a user wants ingested.
pub struct WantedValues {
    /// Whether they want anything of it: not where there are values, but of other days alone.
    pub any: bool,
    /// Whether they want each value of the arrival.
    wanted: Vec<bool>,
    /// The days that the user has data of by them.
    pub days: BTreeSet<NaiveDate>,
    /// How many other days there are values of.
    pub dropped: usize,
    /// The first and the last day, with the date of the arrival: of those that are wanted, or where none is, of those that were
    /// fetched.
    pub span: [NaiveDate; 2],
}

impl WantedValues {
    /// Selects the values of an arrival that a user wants. A value is of the day that reads find it by: a sample of that of its
    /// time, in the time zone of the user.
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
            // No read finds them. They are of the day that their arrival names, and of their own days where those are pulled.
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

    /// Whether the user wants the value in a place of the arrival.
    pub fn has(&self, place: usize) -> bool {
        self.wanted.get(place).copied().unwrap_or_default()
    }
}

/// The days that the values of an arrival are of, in their order, by which reads find them.
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

/// Whether data of a resource have the stages of a sleep session.
pub fn has_hypnogram(resource: &ResourceName) -> bool {
    matches!(resource, ResourceName::SleepCycle | ResourceName::Hypnogram)
}
