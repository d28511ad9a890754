//! Samples of time series, and offsets of times.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::{DateTime, ResourceName};

/// Returns a sample at a time. Its day is that of the offset that the time is written with.
pub(crate) fn sample_at(resource: ResourceName, time: DateTime, value: Value) -> Reading {
    let value = json!({"timestamp": time.to_rfc3339(), "value": value});
    Reading::new(resource, time.date_naive(), value)
}

/// Returns the offset of a time from UTC, in s.
pub(crate) fn offset_seconds(time: DateTime) -> i32 {
    time.offset().local_minus_utc()
}
