//! Conversion of days of activity, and of heart rate over the day.

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{Activity, ActivityZone, ContinuousHeartRate, StepSamples};
use super::clocks::{Clocks, local_text};
use super::times::{clock_time, date_time};

/// Returns the day of activity. None if it cannot be read.
pub fn day_of(activity: &Activity) -> Option<NaiveDate> {
    let named = activity.samples.as_ref().and_then(|samples| samples.date);
    named.or_else(|| date_time(&activity.start_time).map(|start| start.date()))
}

/// Returns the activity of a day with its steps. None if a time cannot be read.
pub fn activity(activity: &Activity, clocks: &Clocks) -> Option<Vec<Reading>> {
    let day = day_of(activity)?;
    let [low, medium, high] = match minutes(activity)? {
        Some(minutes) => minutes.map(Some),
        None => [None; 3],
    };
    let value = json!({
        "calendar_date": day,
        "calories_total": activity.calories,
        "calories_active": activity.active_calories,
        "steps": activity.steps,
        "distance": activity.distance_from_steps,
        "low": low,
        "medium": medium,
        "high": high,
    });
    let mut readings = vec![Reading::new(ResourceName::Activity, day, value)];
    let steps = activity.samples.as_ref().and_then(|samples| samples.steps.as_ref());
    if let Some(samples) = steps {
        readings.extend(steps_of(samples, clocks)?);
    }
    Some(readings)
}

/// Returns the minutes of light, moderate and vigorous activity: each zone lasts until the next one. None within, if there are
/// no zones; None if a time cannot be read.
fn minutes(activity: &Activity) -> Option<Option<[f64; 3]>> {
    let samples = activity.samples.as_ref();
    let Some(zones) = samples.and_then(|samples| samples.activity_zones.as_ref()) else {
        return Some(None);
    };
    let times = zones
        .samples
        .iter()
        .map(|sample| Some((date_time(&sample.timestamp)?, &sample.zone)));
    let mut times: Vec<(NaiveDateTime, &ActivityZone)> = times.collect::<Option<_>>()?;
    times.sort_by_key(|(time, _)| *time);
    let end = activity.end_time.as_deref().and_then(date_time);
    let ends = times.iter().skip(1).map(|(time, _)| Some(*time)).chain([end]);
    let mut minutes = [0.0; 3];
    for ((start, zone), end) in times.iter().zip(ends) {
        let zone = match zone {
            ActivityZone::Light => 0,
            ActivityZone::Moderate => 1,
            ActivityZone::Vigorous => 2,
            _ => continue,
        };
        let length = end.map_or(TimeDelta::zero(), |end| (end - *start).max(TimeDelta::zero()));
        minutes[zone] += length.as_seconds_f64() / 60.0;
    }
    Some(Some(minutes))
}

/// Returns the steps of intervals.
fn steps_of(samples: &StepSamples, clocks: &Clocks) -> Option<Vec<Reading>> {
    let interval = samples.interval_ms.filter(|interval| *interval > 0);
    let interval = interval.and_then(TimeDelta::try_milliseconds);
    let steps = samples.samples.iter().map(|sample| {
        let local = date_time(&sample.timestamp)?;
        let start = clocks.at(local);
        let end = interval.map(|interval| match start {
            Some(start) => (start + interval).to_rfc3339(),
            None => local_text(local + interval),
        });
        let start = start.map_or_else(|| local_text(local), |start| start.to_rfc3339());
        let value = json!({
            "timestamp": start,
            "start": end.as_ref().map(|_| &start),
            "end": end,
            "value": sample.steps,
        });
        Some(Reading::new(ResourceName::Steps, local.date(), value))
    });
    steps.collect()
}

/// Returns the heart rate of a day: none for a sample whose time cannot be read.
pub fn continuous_heart_rate(day: &ContinuousHeartRate, clocks: &Clocks) -> Vec<Option<Reading>> {
    let samples = day.heart_rate_samples.iter().filter(|sample| sample.heart_rate > 0);
    let readings = samples.map(|sample| {
        let local = day.date.and_time(clock_time(&sample.sample_time)?);
        let value = json!({"timestamp": clocks.text(local), "value": sample.heart_rate});
        Some(Reading::new(ResourceName::Heartrate, day.date, value))
    });
    readings.collect()
}
