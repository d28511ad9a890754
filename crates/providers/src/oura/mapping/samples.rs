//! Samples and their times.

use chrono::{NaiveDate, NaiveTime, TimeDelta};
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::Samples;

/// Returns the sample of a day whose time is not known.
pub(super) fn daily_sample(resource: ResourceName, day: NaiveDate, value: f64) -> Reading {
    let time = NaiveTime::from_hms_opt(10, 0, 0).unwrap_or_default();
    let value = json!({"timestamp": day.and_time(time).and_utc().to_rfc3339(), "value": value});
    Reading::new(resource, day, value)
}

/// Returns the values of samples that have one, with their times. None if the interval is not a time.
pub(super) fn samples(samples: &Samples) -> impl Iterator<Item = (DateTime, f64)> + '_ {
    let milliseconds = samples.interval * 1_000.0;
    let values = samples.items.iter().enumerate().filter(move |_| milliseconds >= 1.0);
    values.filter_map(move |(index, value)| {
        let after = TimeDelta::try_milliseconds((index as f64 * milliseconds).round() as i64)?;
        Some((samples.timestamp.checked_add_signed(after)?, (*value)?))
    })
}
