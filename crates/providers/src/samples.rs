//! Samples and their times.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::{DateTime, ResourceName};

use crate::numbers::round_thousandths;

/// Returns a sample at a time. Its day is that of the offset that the time is written with.
pub(crate) fn sample_at(resource: ResourceName, time: DateTime, value: Value) -> Reading {
    let value = json!({"timestamp": time.to_rfc3339(), "value": value});
    Reading::new(resource, time.date_naive(), value)
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
        let value = json!({
            "timestamp": from.to_rfc3339(),
            "start": from.to_rfc3339(),
            "end": time.to_rfc3339(),
            "value": round_thousandths(total - before),
        });
        readings.push(Reading::new(ResourceName::WorkoutDistance, from.date_naive(), value));
        (from, before) = (*time, total);
    }
    readings
}
