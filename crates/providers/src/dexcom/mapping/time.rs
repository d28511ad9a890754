//! Times of records.

use std::fmt;

use chrono::{FixedOffset, NaiveDateTime, TimeDelta};
use wearlab_models::DateTime;

/// Time of a record that cannot be read. It does not show the time.
pub(super) struct UnreadableTime {
    record: usize,
    member: &'static str,
}

impl fmt::Display for UnreadableTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "records[{}].{} is not a time", self.record, self.member)
    }
}

/// Time, and its offset if it has one.
type Parsed = (NaiveDateTime, Option<FixedOffset>);

/// Returns the time of a record by its `systemTime`, in the offset of its `displayTime`.
pub(super) fn time(record: usize, system: &str, display: &str) -> Result<DateTime, UnreadableTime> {
    let unreadable = |member| UnreadableTime { record, member };
    let (local, offset) = parse(system).ok_or(unreadable("systemTime"))?;
    // Without an offset, it is a time of UTC.
    let ahead = TimeDelta::seconds(offset.map_or(0, |offset| offset.local_minus_utc()).into());
    let utc = local.checked_sub_signed(ahead).ok_or(unreadable("systemTime"))?;
    let (shown, offset) = parse(display).ok_or(unreadable("displayTime"))?;
    let offset = offset.or_else(|| zone(shown - utc));
    let utc = utc.and_utc().fixed_offset();
    Ok(offset.map_or(utc, |offset| utc.with_timezone(&offset)))
}

fn parse(text: &str) -> Option<Parsed> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some((time.naive_local(), Some(*time.offset())));
    }
    let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok()?;
    Some((time, None))
}

/// Returns the offset of a zone by the difference of a clock from UTC, rounded to a quarter of an hour. None if no zone has
/// it: a clock is wrong.
fn zone(difference: TimeDelta) -> Option<FixedOffset> {
    const QUARTER: i64 = 15 * 60;
    const HOUR: i64 = 60 * 60;
    let quarters = (difference.num_seconds() + QUARTER / 2).div_euclid(QUARTER);
    let seconds = quarters * QUARTER;
    let is_zone = (-12 * HOUR..=14 * HOUR).contains(&seconds);
    FixedOffset::east_opt(i32::try_from(seconds).ok().filter(|_| is_zone)?)
}
