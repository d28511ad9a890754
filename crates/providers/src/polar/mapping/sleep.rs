//! Conversion of nights.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate, NaiveTime, Timelike};
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{NightlyRecharge, SkinTemperature, Sleep};
use super::clocks::{Clocks, in_night};
use super::times::clock_time;
use crate::samples::offset_seconds;
use crate::stages::{AWAKE, DEEP, LIGHT, REM, Stage, UNKNOWN, cycle, push, seconds_in};

/// Returns nights with their stages and the temperature of the skin, and the samples of their recharge: none for a night or a
/// recharge with a time that cannot be read.
pub fn nights(
    nights: &[Sleep],
    recharges: &[NightlyRecharge],
    temperatures: &[SkinTemperature],
    clocks: &Clocks,
) -> Vec<Option<Vec<Reading>>> {
    let recharges: BTreeMap<_, _> = recharges.iter().map(|recharge| (recharge.date, recharge)).collect();
    let temperatures: BTreeMap<_, _> = temperatures.iter().map(|skin| (skin.sleep_date, skin)).collect();
    let of_day: BTreeMap<_, _> = nights.iter().map(|night| (night.date, night)).collect();
    let with_stages = nights.iter().map(|night| {
        let stages = stages(night)?;
        let (recharge, skin) = (recharges.get(&night.date), temperatures.get(&night.date));
        let mut readings = vec![summary(night, recharge.copied(), skin.copied(), &stages)];
        let times = (night.sleep_start_time, night.sleep_end_time);
        readings.extend(cycle(&night.date.to_string(), times, night.date, &stages));
        Some(readings)
    });
    let of_recharges = recharges.values().map(|recharge| {
        let night = of_day.get(&recharge.date).copied();
        let place = |time| text(night, recharge.date, time, clocks);
        let mut readings = samples(ResourceName::Hrv, &recharge.hrv_samples, &place)?;
        readings.extend(samples(
            ResourceName::RespiratoryRate,
            &recharge.breathing_samples,
            &place,
        )?);
        Some(readings)
    });
    with_stages.chain(of_recharges).collect()
}

fn summary(
    night: &Sleep,
    recharge: Option<&NightlyRecharge>,
    skin: Option<&SkinTemperature>,
    stages: &[Stage],
) -> Reading {
    let of = |known: Option<i64>, kind| known.or_else(|| seconds_in(stages, kind)).unwrap_or_default();
    let (light, deep, rem) = (
        of(night.light_sleep, LIGHT),
        of(night.deep_sleep, DEEP),
        of(night.rem_sleep, REM),
    );
    let unrecognized = of(night.unrecognized_sleep_stage, UNKNOWN);
    let value = json!({
        "provider_id": night.date,
        "calendar_date": night.date,
        "bedtime_start": night.sleep_start_time.to_rfc3339(),
        "bedtime_stop": night.sleep_end_time.to_rfc3339(),
        "type": "long_sleep",
        "timezone_offset": offset_seconds(night.sleep_end_time),
        "duration": (night.sleep_end_time - night.sleep_start_time).num_seconds(),
        "total": light + deep + rem + unrecognized,
        "awake": of(night.total_interruption_duration, AWAKE),
        "light": light,
        "rem": rem,
        "deep": deep,
        "score": night.sleep_score,
        "hr_average": recharge.and_then(|recharge| recharge.heart_rate_avg),
        "average_hrv": recharge.and_then(|recharge| recharge.heart_rate_variability_avg),
        "respiratory_rate": recharge.and_then(|recharge| recharge.breathing_rate_avg),
        "temperature_delta": skin.and_then(|skin| skin.deviation_from_baseline_celsius),
        "skin_temperature": skin.and_then(|skin| skin.sleep_time_skin_temperature_celsius),
    });
    Reading::new(ResourceName::Sleep, night.date, value)
}

/// Returns the stages of a night, in order: each lasts until the next one. None if a time cannot be read.
fn stages(night: &Sleep) -> Option<Vec<Stage>> {
    let length = (night.sleep_end_time - night.sleep_start_time).num_seconds();
    let starts = night.hypnogram.iter().map(|(time, number)| {
        let start = in_night(night, clock_time(time)?) - night.sleep_start_time;
        let kind = match number {
            0 => AWAKE,
            1 => REM,
            2 | 3 => LIGHT,
            4 => DEEP,
            _ => UNKNOWN,
        };
        Some((start.num_seconds().clamp(0, length.max(0)), kind))
    });
    let mut starts: Vec<(i64, i64)> = starts.collect::<Option<_>>()?;
    starts.sort_by_key(|(start, _)| *start);
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([length]);
    let mut stages = Vec::new();
    for ((start, kind), end) in starts.iter().zip(ends) {
        if end > *start {
            let (start, kind) = (*start, *kind);
            push(&mut stages, Stage { start, end, kind });
        }
    }
    Some(stages)
}

/// Returns the samples of a night, in order of time.
fn samples(
    resource: ResourceName,
    values: &BTreeMap<String, f64>,
    place: &impl Fn(NaiveTime) -> Option<(NaiveDate, String)>,
) -> Option<Vec<Reading>> {
    let readings = values.iter().map(|(time, value)| {
        let (own_day, timestamp) = place(clock_time(time)?)?;
        let value = json!({"timestamp": timestamp, "value": value});
        Some(Reading::new(resource.clone(), own_day, value))
    });
    let mut readings: Vec<Reading> = readings.collect::<Option<_>>()?;
    readings.sort_by_key(|reading| reading.day);
    Some(readings)
}

/// Returns the day and the text of a time of the clock in the night of a day. Without the night, times from noon on are of the
/// evening before.
fn text(night: Option<&Sleep>, day: NaiveDate, time: NaiveTime, clocks: &Clocks) -> Option<(NaiveDate, String)> {
    if let Some(night) = night {
        let time = in_night(night, time);
        return Some((time.date_naive(), time.to_rfc3339()));
    }
    let own_day = match time.hour() >= 12 {
        true => day.checked_sub_days(Days::new(1))?,
        false => day,
    };
    Some((own_day, clocks.text(own_day.and_time(time))))
}
