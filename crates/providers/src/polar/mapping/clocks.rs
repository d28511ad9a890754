//! Clocks of a person: the offsets of local times, by the nights.
//!
//! Nights have offsets, and most other times have none. A time of a day has the offset of the night that ended on it. A day
//! without a night has that of the nearest one, up to a week away. Other times stay local: they are read in the time zone
//! of the user.

use std::collections::BTreeMap;

use chrono::{
    DateTime as Instant, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, SubsecRound, TimeDelta, Timelike, Utc,
};
use wearlab_models::DateTime;

use super::super::generated::models::Sleep;

/// Maximum days between a day and the night whose offset it has.
const MAX_DAYS: u64 = 7;
/// Offsets of Europe, in s.
const EUROPE: std::ops::RangeInclusive<i32> = 0..=10_800;

/// Clock in a night: its offset changes at most once.
#[derive(Clone, Copy)]
struct Clock {
    before: FixedOffset,
    after: FixedOffset,
    change: Instant<Utc>,
}

impl Clock {
    fn of(start: DateTime, end: DateTime) -> Self {
        let (before, after) = (*start.offset(), *end.offset());
        let hours = (after.local_minus_utc() - before.local_minus_utc()).abs();
        let day = end.date_naive();
        // Where the clocks of all zones change at the same time, or at 02:00.
        let change = match hours == 3_600 && EUROPE.contains(&before.local_minus_utc()) {
            true => day.and_time(hour(1)).and_utc(),
            false => (day.and_time(hour(2)) - before).and_utc(),
        };
        let is_clock_change = hours == 3_600 && (start.to_utc()..=end.to_utc()).contains(&change);
        Self {
            before,
            after,
            // A person who travels sets the watch after the night.
            change: if is_clock_change { change } else { end.to_utc() },
        }
    }

    /// Returns the instant of a local time: the first of two.
    fn at(self, local: NaiveDateTime) -> DateTime {
        let early = with_offset(local, self.before);
        match self.before == self.after || early < self.change {
            true => early,
            false => with_offset(local, self.after),
        }
    }
}

fn hour(hour: u32) -> NaiveTime {
    NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or_default()
}

fn with_offset(local: NaiveDateTime, offset: FixedOffset) -> DateTime {
    DateTime::from_naive_utc_and_offset(local - offset, offset)
}

/// Clocks of the days of a person.
#[derive(Default)]
pub struct Clocks(BTreeMap<NaiveDate, Clock>);

impl Clocks {
    /// Returns the clocks of the days of some nights.
    pub fn of(nights: &[Sleep]) -> Self {
        let clock = |night: &Sleep| Clock::of(night.sleep_start_time, night.sleep_end_time);
        Self(nights.iter().map(|night| (night.date, clock(night))).collect())
    }

    /// Returns the instant of a local time. None if no night is near.
    pub(super) fn at(&self, local: NaiveDateTime) -> Option<DateTime> {
        let day = local.date();
        if let Some(clock) = self.0.get(&day) {
            return Some(clock.at(local));
        }
        let days = Days::new(MAX_DAYS);
        let first = day.checked_sub_days(days)?;
        let last = day.checked_add_days(days)?;
        let earlier = self.0.range(first..day).next_back().map(|(_, clock)| clock.after);
        let later = || self.0.range(day..=last).next().map(|(_, clock)| clock.before);
        Some(with_offset(local, earlier.or_else(later)?))
    }

    /// Returns the text of a local time: with its offset, if that is known.
    pub(super) fn text(&self, local: NaiveDateTime) -> String {
        match self.at(local) {
            Some(time) => time.to_rfc3339(),
            None => local_text(local),
        }
    }
}

/// Returns the text of a local time without an offset.
pub(super) fn local_text(local: NaiveDateTime) -> String {
    local.format("%Y-%m-%dT%H:%M:%S%.f").to_string()
}

/// Returns the instant of a time of the clock in a night, which may be on either of two days.
pub(super) fn in_night(night: &Sleep, time: NaiveTime) -> DateTime {
    let (start, end) = (night.sleep_start_time, night.sleep_end_time);
    let clock = Clock::of(start, end);
    // Times have minutes alone.
    let first = start.trunc_subsecs(0) - TimeDelta::seconds(start.second().into());
    let last = end + TimeDelta::minutes(1);
    let evening = start.date_naive().and_time(time);
    let morning = evening + TimeDelta::days(1);
    let readings = [
        clock.at(evening),
        with_offset(evening, clock.after),
        clock.at(morning),
        with_offset(morning, clock.after),
    ];
    let within = readings.iter().find(|reading| (first..=last).contains(reading));
    let is_later = evening < first.naive_local();
    *within.unwrap_or(if is_later { &readings[2] } else { &readings[0] })
}
