//! Years: from 0000 to 9999, which is all that ISO 8601 has without an agreement, and all that databases and other
//! languages read.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, Utc};
use wearlab_models::{ConnectedProvider, ConnectionError};

use crate::{ExactValue, LineError};

fn check(path: &str, years: &[i32]) -> Result<(), LineError> {
    match years.iter().all(|year| (0..=9999).contains(year)) {
        true => Ok(()),
        false => Err(LineError::new(path, "the year is not from 0000 to 9999")),
    }
}

/// Checks the year of a date.
pub fn date(path: &str, date: NaiveDate) -> Result<(), LineError> {
    check(path, &[date.year()])
}

/// Checks the year of a time, where it was and in UTC.
pub fn time(path: &str, time: &DateTime<FixedOffset>) -> Result<(), LineError> {
    check(path, &[time.year(), time.with_timezone(&Utc).year()])
}

/// Checks the times of a connection.
pub fn connection(path: &str, provider: &ConnectedProvider) -> Result<(), LineError> {
    time(&format!("{path}.created_on"), &provider.created_on)?;
    provider
        .error_details
        .iter()
        .try_for_each(|details| failure(&format!("{path}.error_details"), details))
}

/// Checks the time at which a connection failed.
pub fn failure(path: &str, details: &ConnectionError) -> Result<(), LineError> {
    details
        .errored_at
        .iter()
        .try_for_each(|at| time(&format!("{path}.errored_at"), at))
}

/// Checks the dates and times that are anywhere in a value of open shape.
pub fn no_far_times(path: &str, value: &ExactValue) -> Result<(), LineError> {
    match value {
        // Only with a sign can a year have more than four digits, or be before 0000.
        ExactValue::String(text) if text.starts_with(['+', '-']) => {
            let of_time = text.parse::<DateTime<FixedOffset>>().map(|time| time.year()).ok();
            let local = || text.parse::<NaiveDateTime>().map(|time| time.year()).ok();
            let day = || text.parse::<NaiveDate>().map(|day| day.year()).ok();
            of_time
                .or_else(local)
                .or_else(day)
                .map_or(Ok(()), |year| check(path, &[year]))
        }
        ExactValue::Array(values) => values.iter().try_for_each(|value| no_far_times(path, value)),
        ExactValue::Object(members) => members.iter().try_for_each(|(_, value)| no_far_times(path, value)),
        _ => Ok(()),
    }
}
