//! Conversion of nights and naps.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{DailyReadiness, DailySleep, Sleep, SleepType};
use super::samples::samples;
use super::stages::{Stage, seconds_in, stages};
use crate::samples::{offset_seconds, sample_at};

const DEEP: i64 = 1;
const LIGHT: i64 = 2;
const REM: i64 = 3;
const AWAKE: i64 = 4;

/// Scores of a day.
#[derive(Clone, Copy, Default)]
struct Scores {
    sleep: Option<i64>,
    readiness: Option<i64>,
}

/// Returns the sleeps with their stages and samples. The longest `long_sleep` of a day has the scores of the day.
pub fn nights(sleeps: &[Sleep], scores: &[DailySleep], readiness: &[DailyReadiness]) -> Vec<Reading> {
    let mut of_day: BTreeMap<NaiveDate, Scores> = BTreeMap::new();
    for day in scores {
        of_day.entry(day.day).or_default().sleep = day.score;
    }
    for day in readiness {
        of_day.entry(day.day).or_default().readiness = day.score;
    }
    let main = main_sleeps(sleeps);
    let mut readings = Vec::new();
    for sleep in sleeps.iter().filter(|sleep| !is_rejected(sleep)) {
        let is_main = main.get(&sleep.day).is_some_and(|longest| longest.id == sleep.id);
        let scores = of_day.get(&sleep.day).filter(|_| is_main).copied().unwrap_or_default();
        let stages = stages(sleep);
        readings.push(summary(sleep, scores, &stages));
        readings.extend(cycle(sleep, &stages));
        if let Some(hrv) = &sleep.hrv {
            readings.extend(samples(hrv).map(|(time, value)| sample_at(ResourceName::Hrv, time, json!(value))));
        }
        readings.extend(respiratory_rate(sleep));
    }
    readings
}

/// Returns whether the ring took something else for sleep, or the user deleted it.
fn is_rejected(sleep: &Sleep) -> bool {
    matches!(sleep.type_, Some(SleepType::Rest | SleepType::Deleted))
}

/// Returns the longest `long_sleep` of each day.
fn main_sleeps(sleeps: &[Sleep]) -> BTreeMap<NaiveDate, &Sleep> {
    let mut main: BTreeMap<NaiveDate, &Sleep> = BTreeMap::new();
    for sleep in sleeps {
        if sleep.type_ == Some(SleepType::LongSleep) {
            let longest = main.entry(sleep.day).or_insert(sleep);
            if sleep.time_in_bed > longest.time_in_bed {
                *longest = sleep;
            }
        }
    }
    main
}

fn summary(sleep: &Sleep, scores: Scores, stages: &[Stage]) -> Reading {
    let of = |known: Option<i64>, kind| known.or_else(|| seconds_in(stages, kind)).unwrap_or_default();
    let (deep, light) = (
        of(sleep.deep_sleep_duration, DEEP),
        of(sleep.light_sleep_duration, LIGHT),
    );
    let rem = of(sleep.rem_sleep_duration, REM);
    let readiness = sleep.readiness.as_ref();
    let value = json!({
        "provider_id": sleep.id,
        "calendar_date": sleep.day,
        "bedtime_start": sleep.bedtime_start.to_rfc3339(),
        "bedtime_stop": sleep.bedtime_end.to_rfc3339(),
        "type": kind(sleep.type_.as_ref()),
        "timezone_offset": offset_seconds(sleep.bedtime_end),
        "duration": sleep.time_in_bed,
        "total": sleep.total_sleep_duration.unwrap_or(deep + light + rem),
        "awake": of(sleep.awake_time, AWAKE),
        "light": light,
        "rem": rem,
        "deep": deep,
        "score": scores.sleep,
        "recovery_readiness_score": readiness.and_then(|readiness| readiness.score).or(scores.readiness),
        "hr_lowest": sleep.lowest_heart_rate,
        "hr_average": sleep.average_heart_rate,
        "efficiency": sleep.efficiency,
        "latency": sleep.latency,
        "temperature_delta": readiness.and_then(|readiness| readiness.temperature_deviation),
        "average_hrv": sleep.average_hrv,
        "respiratory_rate": sleep.average_breath,
    });
    Reading::new(ResourceName::Sleep, sleep.day, value)
}

fn kind(kind: Option<&SleepType>) -> &'static str {
    match kind {
        Some(SleepType::LongSleep) => "long_sleep",
        Some(SleepType::Sleep) => "short_sleep",
        Some(SleepType::LateNap) => "acknowledged_nap",
        _ => "unknown",
    }
}

/// Returns the stages of a sleep, if it has some.
fn cycle(sleep: &Sleep, stages: &[Stage]) -> Option<Reading> {
    let column = |of: fn(&Stage) -> i64| stages.iter().map(of).collect::<Vec<_>>();
    let value = json!({
        "provider_id": sleep.id,
        "session_start": sleep.bedtime_start.to_rfc3339(),
        "session_end": sleep.bedtime_end.to_rfc3339(),
        "stage_start_offset_second": column(|stage| stage.start),
        "stage_end_offset_second": column(|stage| stage.end),
        "stage_type": column(|stage| stage.kind),
    });
    (!stages.is_empty()).then(|| Reading::new(ResourceName::SleepCycle, sleep.day, value))
}

fn respiratory_rate(sleep: &Sleep) -> Option<Reading> {
    let value = json!({"timestamp": sleep.bedtime_end.to_rfc3339(), "value": sleep.average_breath?});
    Some(Reading::new(ResourceName::RespiratoryRate, sleep.day, value))
}
