//! Conversion of exercises.

use chrono::{NaiveDate, TimeDelta};
use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::{Exercise, SampleType, Samples};
use super::clocks::{Clocks, local_text};
use super::polyline::polyline;
use super::times::{date_time, duration, offset};
use crate::samples::{distances, offset_seconds, sample_at};
use crate::sports::sport;

/// Returns the day of an exercise. None if its start cannot be read.
pub fn day_of_exercise(exercise: &Exercise) -> Option<NaiveDate> {
    date_time(&exercise.start_time).map(|start| start.date())
}

/// Returns the workout of an exercise with its samples. None if a time or a duration cannot be read.
pub fn exercise(exercise: &Exercise, clocks: &Clocks) -> Option<Vec<Reading>> {
    let local = date_time(&exercise.start_time)?;
    let length = duration(&exercise.duration)?;
    let own = exercise.start_time_utc_offset.and_then(offset);
    let own = own.map(|offset| DateTime::from_naive_utc_and_offset(local - offset, offset));
    let start = own.or_else(|| clocks.at(local));
    let (time_start, time_end) = match start {
        Some(start) => (start.to_rfc3339(), start.checked_add_signed(length)?.to_rfc3339()),
        None => (local_text(local), local_text(local.checked_add_signed(length)?)),
    };
    let sport_name = exercise.detailed_sport_info.as_deref().or(exercise.sport.as_deref());
    let rates = exercise.heart_rate.as_ref();
    let route = exercise.route.iter().map(|point| (point.latitude, point.longitude));
    let has_route = !exercise.route.is_empty();
    let value = json!({
        "provider_id": exercise.id,
        "calendar_date": local.date(),
        "timezone_offset": start.map(offset_seconds),
        "time_start": time_start,
        "time_end": time_end,
        "sport": sport_name.map(sport),
        "calories": exercise.calories,
        "distance": exercise.distance,
        "average_hr": rates.and_then(|rates| rates.average),
        "max_hr": rates.and_then(|rates| rates.maximum),
        "hr_zones": zones(exercise)?,
        "map": has_route.then(|| json!({"polyline": polyline(route)})),
    });
    let mut readings = vec![Reading::new(ResourceName::Workouts, local.date(), value)];
    let samples = exercise.samples.iter();
    match start {
        Some(start) => readings.extend(samples.flat_map(|samples| series(start, samples))),
        None => {
            let as_utc = local.and_utc().fixed_offset();
            readings.extend(samples.flat_map(|samples| series(as_utc, samples)).map(without_offset));
        }
    }
    Some(readings)
}

/// Removes the offset of the times of a sample, which are local, and not of UTC.
fn without_offset(mut sample: Reading) -> Reading {
    for name in ["timestamp", "start", "end"] {
        if let Some(Value::String(text)) = sample.value.get_mut(name) {
            let local = text.strip_suffix("+00:00").unwrap_or(text);
            *text = local.to_owned();
        }
    }
    sample
}

/// Returns the s in each zone of heart rate. None within, if there are none; None if a duration cannot be read.
fn zones(exercise: &Exercise) -> Option<Option<Vec<f64>>> {
    let mut zones: Vec<_> = exercise.heart_rate_zones.iter().collect();
    zones.sort_by_key(|zone| zone.index);
    let seconds = zones.iter().map(|zone| match &zone.in_zone {
        Some(text) => duration(text).map(|time| time.as_seconds_f64()),
        None => Some(0.0),
    });
    let seconds: Vec<f64> = seconds.collect::<Option<_>>()?;
    Some((!seconds.is_empty()).then_some(seconds))
}

/// Returns the samples of a kind that has a counterpart.
fn series(start: DateTime, samples: &Samples) -> Vec<Reading> {
    let kind = match &samples.sample_type {
        SampleType::Number(number) => *number,
        SampleType::Text(text) => text.parse().unwrap_or(-1),
        _ => return Vec::new(),
    };
    let values = timed(start, samples);
    match kind {
        0 => {
            let rates = values.into_iter().filter(|(_, rate)| *rate > 0.0);
            let rates = rates.map(|(time, rate)| sample_at(ResourceName::Heartrate, time, json!(rate)));
            rates.collect()
        }
        4 => {
            let power = values.into_iter();
            let power = power.map(|(time, power)| sample_at(ResourceName::WorkoutPower, time, json!(power)));
            power.collect()
        }
        10 => distances(start, &values),
        _ => Vec::new(),
    }
}

/// Returns the numbers of samples with their times: `null` is a gap. None without an interval.
fn timed(start: DateTime, samples: &Samples) -> Vec<(DateTime, f64)> {
    let Some(interval) = samples.recording_rate.filter(|interval| *interval > 0) else {
        return Vec::new();
    };
    let numbers = (0_i64..).zip(samples.data.split(','));
    let timed = numbers.filter_map(|(index, number)| {
        let after = TimeDelta::try_seconds(index.checked_mul(interval)?)?;
        let number: f64 = number.trim().parse().ok()?;
        Some((start.checked_add_signed(after)?, number)).filter(|(_, number)| number.is_finite())
    });
    timed.collect()
}
