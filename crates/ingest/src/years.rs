//! Check of years: from 0000 to 9999, the range of ISO 8601 without an agreement, and of databases and other languages.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, Utc};
use wearlab_models::{ConnectedProvider, ConnectionError};

use crate::{ExactValue, LineError};

fn within(year: i32) -> bool {
    (0..=9999).contains(&year)
}

/// Returns the error of a field with another year.
pub(crate) fn beyond(path: impl Into<String>) -> LineError {
    LineError::new(path, "the year is not from 0000 to 9999")
}

fn check(path: &str, years: &[i32]) -> Result<(), LineError> {
    match years.iter().copied().all(within) {
        true => Ok(()),
        false => Err(beyond(path)),
    }
}

/// Checks the year of a date.
pub fn date(path: &str, date: NaiveDate) -> Result<(), LineError> {
    check(path, &[date.year()])
}

/// Checks the year of a time, locally and in UTC.
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

/// Checks the time of a connection's failure.
pub fn failure(path: &str, details: &ConnectionError) -> Result<(), LineError> {
    details
        .errored_at
        .iter()
        .try_for_each(|at| time(&format!("{path}.errored_at"), at))
}

/// Returns true if a date or time anywhere in a free-form value has another year.
pub(crate) fn is_beyond(value: &ExactValue) -> bool {
    match value {
        // Only signed years can have more than four digits, or be before 0000. In UTC the last and the first day may be
        // of another year.
        ExactValue::String(text)
            if ["+", "-", "9999-12-31", "0000-01-01"]
                .iter()
                .any(|at| text.starts_with(at)) =>
        {
            if let Ok(at) = text.parse::<DateTime<FixedOffset>>() {
                return time("", &at).is_err();
            }
            let local = text.parse::<NaiveDateTime>().map(|time| time.year()).ok();
            let day = || text.parse::<NaiveDate>().map(|day| day.year()).ok();
            local.or_else(day).is_some_and(|year| !within(year))
        }
        ExactValue::Array(values) => values.iter().any(is_beyond),
        ExactValue::Object(members) => members.iter().any(|(_, value)| is_beyond(value)),
        _ => false,
    }
}
