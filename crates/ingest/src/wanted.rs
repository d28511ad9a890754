//! Which of what arrives a user wants ingested.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use jiff::tz::TimeZoneDatabase;
use wearlab_models::{ResourceName, User};

use crate::value_day::{sample_day, value_day};
use crate::{Completed, Kept};

/// Whether a user wants data of a day ingested.
pub fn wants(user: &User, day: NaiveDate) -> bool {
    user.ingestion_start.is_none_or(|start| start <= day) && user.ingestion_end.is_none_or(|end| day <= end)
}

/// Values of an arrival that a user wants ingested.
pub struct WantedValues {
    /// Whether they want anything of it: not where there are values, but of other days alone.
    pub any: bool,
    /// The places of the values of days that they want, among the values of the arrival.
    pub places: BTreeSet<usize>,
    /// The days that the user has data of by them.
    pub days: BTreeSet<NaiveDate>,
    /// How many other days there are values of.
    pub dropped: usize,
    /// The first and the last day, `2026-05-01/2026-05-03`, or the only one: those that are wanted, or where none is, those
    /// that were fetched.
    pub span: String,
}

impl WantedValues {
    /// Selects the values of an arrival that a user wants. A value is of the day that reads find it by: a sample of that of its
    /// time, in the time zone of the user.
    pub fn of(user: &User, completed: &Completed<'_>) -> Self {
        let zone = TimeZoneDatabase::bundled().get(&user.fallback_time_zone.id).ok();
        let arrival = &*completed.arrival;
        let (mut places, mut days, mut dropped) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for (place, value) in arrival.data.iter().enumerate() {
            let day = match &completed.kept {
                Kept::Nothing => value_day(&arrival.resource, value, zone.as_ref()),
                Kept::Summaries(summaries) => summaries.get(place).map(|summary| summary.day),
                Kept::Samples(samples) => samples.get(place).and_then(|sample| sample_day(sample, zone.as_ref())),
            };
            let day = day.unwrap_or(arrival.date);
            if wants(user, day) {
                places.insert(place);
                days.insert(day);
            } else {
                dropped.insert(day);
            }
        }
        let date_is_wanted = wants(user, arrival.date);
        let any = match arrival.data.is_empty() {
            true => date_is_wanted,
            false => !places.is_empty(),
        };
        if any && date_is_wanted {
            days.insert(arrival.date);
        }
        let date = BTreeSet::from([arrival.date]);
        let fetched = if dropped.is_empty() { &date } else { &dropped };
        let span = if any { &days } else { fetched };
        let (first, last) = (
            span.first().unwrap_or(&arrival.date),
            span.last().unwrap_or(&arrival.date),
        );
        Self {
            span: match first == last {
                true => first.to_string(),
                false => format!("{first}/{last}"),
            },
            any,
            places,
            days,
            dropped: dropped.len(),
        }
    }
}

/// Whether data of a resource have the stages of a sleep session.
pub fn has_hypnogram(resource: &ResourceName) -> bool {
    matches!(resource, ResourceName::SleepCycle | ResourceName::Hypnogram)
}
