//! Conversion of nights and naps.

use chrono::NaiveDate;
use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{RecoveryScore, ScoreState, Sleep, SleepScore};
use super::local::Local;
use super::units::seconds;
use crate::samples::sample_at;

/// Returns the values of a sleep, if it has some.
fn score(sleep: &Sleep) -> Option<&SleepScore> {
    sleep.score.as_ref().filter(|_| sleep.score_state == ScoreState::Scored)
}

/// Returns the day of a sleep: that on which it ends.
pub(crate) fn day(sleep: &Sleep) -> NaiveDate {
    Local::parse(&sleep.timezone_offset).day(sleep.end)
}

/// Returns a sleep.
pub(super) fn summary(sleep: &Sleep, recovery: Option<&RecoveryScore>) -> Reading {
    let local = Local::parse(&sleep.timezone_offset);
    let day = day(sleep);
    let score = score(sleep);
    let stages = score.map(|score| &score.stage_summary);
    let (light, rem, deep) = stages.map_or((0, 0, 0), |stages| {
        (
            stages.total_light_sleep_time_milli,
            stages.total_rem_sleep_time_milli,
            stages.total_slow_wave_sleep_time_milli,
        )
    });
    let in_bed = stages.map_or_else(
        || (sleep.end - sleep.start).num_milliseconds(),
        |stages| stages.total_in_bed_time_milli,
    );
    let value = json!({
        "provider_id": sleep.id,
        "calendar_date": day,
        "bedtime_start": local.time(sleep.start).to_rfc3339(),
        "bedtime_stop": local.time(sleep.end).to_rfc3339(),
        "type": if sleep.nap { "acknowledged_nap" } else { "long_sleep" },
        "timezone_offset": local.seconds(),
        "duration": seconds(in_bed),
        "total": seconds(light.saturating_add(rem).saturating_add(deep)),
        "awake": seconds(stages.map_or(0, |stages| stages.total_awake_time_milli)),
        "light": seconds(light),
        "rem": seconds(rem),
        "deep": seconds(deep),
        "score": score.and_then(|score| score.sleep_performance_percentage),
        "recovery_readiness_score": recovery.map(|recovery| recovery.recovery_score),
        "hr_resting": recovery.map(|recovery| recovery.resting_heart_rate),
        "efficiency": score.and_then(|score| score.sleep_efficiency_percentage),
        "skin_temperature": recovery.and_then(|recovery| recovery.skin_temp_celsius),
        "state": state(&sleep.score_state),
        "average_hrv": recovery.map(|recovery| recovery.hrv_rmssd_milli),
        "respiratory_rate": score.and_then(|score| score.respiratory_rate),
    });
    Reading::new(ResourceName::Sleep, day, value)
}

/// Returns whether the values of a sleep may change.
fn state(state: &ScoreState) -> Option<&'static str> {
    match state {
        ScoreState::Scored | ScoreState::Unscorable => Some("confirmed"),
        ScoreState::PendingScore => Some("tentative"),
        _ => None,
    }
}

/// Returns the samples of a sleep, at its end.
pub(super) fn samples(sleep: &Sleep, recovery: Option<&RecoveryScore>) -> Vec<Reading> {
    let end = Local::parse(&sleep.timezone_offset).time(sleep.end);
    let sample = |resource, value: Option<f64>| value.map(|value| sample_at(resource, end, json!(value)));
    let temperature = sample(
        ResourceName::BodyTemperature,
        recovery.and_then(|recovery| recovery.skin_temp_celsius),
    );
    let samples = [
        sample(ResourceName::Hrv, recovery.map(|recovery| recovery.hrv_rmssd_milli)),
        sample(
            ResourceName::RespiratoryRate,
            score(sleep).and_then(|score| score.respiratory_rate),
        ),
        sample(
            ResourceName::BloodOxygen,
            recovery.and_then(|recovery| recovery.spo2_percentage),
        ),
        temperature.map(|mut reading| {
            let place = Value::from("wrist");
            reading.value.insert("sensor_location".to_owned(), place);
            reading
        }),
    ];
    samples.into_iter().flatten().collect()
}
