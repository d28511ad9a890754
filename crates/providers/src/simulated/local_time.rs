//! Times in the zone of a person.

use chrono::{FixedOffset, NaiveDate, NaiveTime, TimeDelta};
use wearlab_models::DateTime;

/// Returns the time so many minutes after the start of a day. Before it, if they are negative.
pub fn local_time(offset: FixedOffset, day: NaiveDate, minutes: i64) -> DateTime {
    let local = day.and_time(NaiveTime::MIN) + TimeDelta::minutes(minutes);
    DateTime::from_naive_utc_and_offset(local - offset, offset)
}
