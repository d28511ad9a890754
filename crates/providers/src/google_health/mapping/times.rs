//! Times and days of points.

use chrono::{FixedOffset, NaiveDate};
use wearlab_connect::Refusal;
use wearlab_models::DateTime;

use super::super::generated::models::{Date, SampleTime};
use super::numbers::seconds;

/// Returns a time with its offset, such as `3600s`.
pub(super) fn local(time: DateTime, offset: Option<&str>) -> Result<DateTime, Refusal> {
    let offset = seconds(offset)?.unwrap_or(0);
    let offset = i32::try_from(offset).ok().and_then(FixedOffset::east_opt);
    let offset = offset.ok_or_else(|| Refusal::Failed("an offset is out of range".to_owned()))?;
    Ok(time.with_timezone(&offset))
}

/// Returns the local time of a sample.
pub(super) fn sample_time(time: &SampleTime) -> Result<DateTime, Refusal> {
    local(time.physical_time, time.utc_offset.as_deref())
}

/// Returns a day.
pub(super) fn day(date: &Date) -> Option<NaiveDate> {
    let (month, day) = (u32::try_from(date.month).ok()?, u32::try_from(date.day).ok()?);
    NaiveDate::from_ymd_opt(i32::try_from(date.year).ok()?, month, day)
}
