//! Days around a span, and their starts.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

/// Returns the day so many days earlier.
pub(crate) fn days_before(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_sub_days(Days::new(days)).unwrap_or(day)
}

/// Returns the day so many days later.
pub(crate) fn days_after(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_add_days(Days::new(days)).unwrap_or(day)
}

/// Returns the start of a day in UTC.
pub(crate) fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

/// Returns some days up to the last, in order.
pub(crate) fn last_days(last: NaiveDate, days: u32) -> impl Iterator<Item = NaiveDate> {
    let before = (0..days).rev();
    before.filter_map(move |before| last.checked_sub_days(Days::new(before.into())))
}
