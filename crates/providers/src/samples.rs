//! Samples and their times.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::{DateTime, ResourceName};

use crate::numbers::rounded;

/// Returns a sample at a time. Its day is that of the offset that the time is written with.
pub(crate) fn sample_at(resource: ResourceName, time: DateTime, value: Value) -> Reading {
    let value = json!({"timestamp": time.to_rfc3339(), "value": value});
    Reading::new(resource, time.date_naive(), value)
}

/// Returns a sample of a span of time, whose day is that of its start.
pub(crate) fn sample_of_span(resource: ResourceName, (start, end): (DateTime, DateTime), value: Value) -> Reading {
    let text = start.to_rfc3339();
    let value = json!({"timestamp": text, "start": text, "end": end.to_rfc3339(), "value": value});
    Reading::new(resource, start.date_naive(), value)
}

/// Returns the offset of a time from UTC, in s.
pub(crate) fn offset_seconds(time: DateTime) -> i32 {
    time.offset().local_minus_utc()
}

/// Converts the distance from the start at each time to the distance since the time before. A total that is less than an earlier
/// one counts as equal to it.
pub(crate) fn distances(start: DateTime, totals: &[(DateTime, f64)]) -> Vec<Reading> {
    let mut readings = Vec::new();
    let (mut from, mut before) = (start, 0.0_f64);
    for (time, total) in totals.iter().filter(|(time, _)| *time > start) {
        let total = total.max(before);
        let distance = json!(rounded(total - before, 3));
        readings.push(sample_of_span(ResourceName::WorkoutDistance, (from, *time), distance));
        (from, before) = (*time, total);
    }
    readings
}
