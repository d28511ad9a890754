//! Conversion of streams: values of the same index belong together.

use chrono::TimeDelta;
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::{Activity, NumberStream, StreamSet};
use super::workout::start;
use crate::samples::{distances, sample_at};

/// Returns the samples of the streams of an activity. None without the times.
pub fn samples(activity: &Activity, streams: &StreamSet) -> Vec<Reading> {
    let Some(times) = &streams.time else {
        return Vec::new();
    };
    let start = start(activity);
    let values = |stream: &Option<NumberStream>| timed(start, times, stream.as_ref());
    let rates = values(&streams.heartrate).into_iter().filter(|(_, rate)| *rate > 0.0);
    let rates = rates.map(|(time, rate)| sample_at(ResourceName::Heartrate, time, json!(rate)));
    let power = values(&streams.watts).into_iter();
    let power = power.map(|(time, power)| sample_at(ResourceName::WorkoutPower, time, json!(power)));
    let distances = distances(start, &values(&streams.distance));
    rates.chain(distances).chain(power).collect()
}

/// Returns the values of a stream that are not null, with their times.
fn timed(start: DateTime, times: &NumberStream, values: Option<&NumberStream>) -> Vec<(DateTime, f64)> {
    let values = values.map(|values| values.data.as_slice()).unwrap_or_default();
    let pairs = times.data.iter().zip(values);
    let timed = pairs.filter_map(|(seconds, value)| {
        let after = TimeDelta::try_milliseconds(((*seconds)? * 1_000.0).round() as i64)?;
        Some((start.checked_add_signed(after)?, (*value)?))
    });
    timed.collect()
}
