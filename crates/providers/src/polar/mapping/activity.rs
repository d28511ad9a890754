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
        let end = activity.end_time.as_deref().and_then(date_time);
        readings.extend(steps_of(samples, end, clocks)?);
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

/// Returns the steps of intervals, in order of time. A value that is repeated is left out by the provider: one that is not 0
/// lasts until the next sample, or the end of the day of activity, as long as the steps of the day allow. None if a time cannot
/// be read.
fn steps_of(samples: &StepSamples, end: Option<NaiveDateTime>, clocks: &Clocks) -> Option<Vec<Reading>> {
    let interval = samples.interval_ms.filter(|interval| *interval > 0);
    let interval = interval.and_then(TimeDelta::try_milliseconds);
    let times = samples.samples.iter();
    let times = times.map(|sample| Some((date_time(&sample.timestamp)?, sample.steps)));
    let mut times: Vec<(NaiveDateTime, i64)> = times.collect::<Option<_>>()?;
    times.sort_by_key(|(time, _)| *time);
    let sent: i64 = times.iter().map(|(_, steps)| *steps).fold(0, i64::saturating_add);
    let mut left = samples.total_steps.unwrap_or_default().saturating_sub(sent);
    let ends = times.iter().skip(1).map(|(time, _)| Some(*time)).chain([end]);
    let mut readings = Vec::new();
    for ((start, steps), end) in times.iter().zip(ends) {
        readings.push(steps_at(*start, interval, *steps, clocks));
        let (Some(interval), Some(end)) = (interval, end) else {
            continue;
        };
        let mut repeated = *start + interval;
        while repeated < end && *steps > 0 && *steps <= left {
            readings.push(steps_at(repeated, Some(interval), *steps, clocks));
            left -= *steps;
            repeated += interval;
        }
    }
    Some(readings)
}

/// Returns the steps of an interval.
fn steps_at(local: NaiveDateTime, interval: Option<TimeDelta>, steps: i64, clocks: &Clocks) -> Reading {
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
        "value": steps,
    });
    Reading::new(ResourceName::Steps, local.date(), value)
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
