//! Tests of nights.

use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName::{Hrv, RespiratoryRate, Sleep, SleepCycle};

use super::super::generated::models::{self, NightlyRecharge, NightlyRechargeList, SkinTemperature, SleepList};
use super::super::mapping::{self, Clocks};
use super::{check_arrivals, clocks, read, values};

const NIGHT: &str = r#"{"nights":[{"polar_user":"https://www.polaraccesslink.com/v3/users/5150","date":"2026-03-04",
    "sleep_start_time":"2026-03-03T23:05:00+02:00","sleep_end_time":"2026-03-04T06:35:00+02:00","device_id":"AB12",
    "light_sleep":13800,"deep_sleep":5400,"rem_sleep":5700,"unrecognized_sleep_stage":0,
    "total_interruption_duration":2100,"sleep_score":82,"sleep_charge":3,"continuity":2.8,"sleep_cycles":5,
    "hypnogram":{"23:05":2,"23:40":4,"00:25":1,"06:35":0},"heart_rate_samples":{"23:05":58,"23:10":56},
    "new_member":{"x":[1]}}]}"#;

const RECHARGE: &str = r#"{"recharges":[{"date":"2026-03-04","heart_rate_avg":52,"heart_rate_variability_avg":61,
    "beat_to_beat_avg":1150,"breathing_rate_avg":14.1,"nightly_recharge_status":4,"ans_charge":2.3,
    "ans_charge_status":4,"hrv_samples":{"00:05":63,"23:35":58,"23:40":61},"breathing_samples":{"23:35":14.2}}]}"#;

fn mapped(
    nights: &[models::Sleep],
    recharges: &[NightlyRecharge],
    skin: &[SkinTemperature],
    clocks: &Clocks,
) -> Vec<Reading> {
    let readings = mapping::nights(nights, recharges, skin, clocks).into_iter();
    let readings: Option<Vec<_>> = readings.collect();
    let readings = readings.expect("times").concat();
    check_arrivals(&readings);
    readings
}

/// The clock times of a night have no order: it begins in the evening, and passes midnight.
#[test]
fn a_night_that_passes_midnight() {
    let nights: SleepList = read(NIGHT);
    let recharges: NightlyRechargeList = read(RECHARGE);
    let skin = read(
        r#"{"sleep_date":"2026-03-04","sleep_time_skin_temperature_celsius":34.6,
            "deviation_from_baseline_celsius":-0.2}"#,
    );
    let readings = mapped(&nights.nights, &recharges.recharges, &[skin], &Clocks::default());
    let sleep = json!({
        "provider_id": "2026-03-04", "calendar_date": "2026-03-04", "bedtime_start": "2026-03-03T23:05:00+02:00",
        "bedtime_stop": "2026-03-04T06:35:00+02:00", "type": "long_sleep", "timezone_offset": 7200,
        "duration": 27000, "total": 24900, "awake": 2100, "light": 13800, "rem": 5700, "deep": 5400, "score": 82,
        "hr_average": 52.0, "average_hrv": 61.0, "respiratory_rate": 14.1, "temperature_delta": -0.2,
        "skin_temperature": 34.6,
    });
    assert_eq!(values(&readings, Sleep), [sleep]);
    let cycle = json!({
        "provider_id": "2026-03-04", "session_start": "2026-03-03T23:05:00+02:00",
        "session_end": "2026-03-04T06:35:00+02:00", "stage_start_offset_second": [0, 2100, 4800],
        "stage_end_offset_second": [2100, 4800, 27000], "stage_type": [2, 1, 3],
    });
    assert_eq!(values(&readings, SleepCycle), [cycle]);
    let hrv = [
        json!({"timestamp": "2026-03-03T23:35:00+02:00", "value": 58.0}),
        json!({"timestamp": "2026-03-03T23:40:00+02:00", "value": 61.0}),
        json!({"timestamp": "2026-03-04T00:05:00+02:00", "value": 63.0}),
    ];
    assert_eq!(values(&readings, Hrv), hrv);
    let breath = json!({"timestamp": "2026-03-03T23:35:00+02:00", "value": 14.2});
    assert_eq!(values(&readings, RespiratoryRate), [breath]);
    let days: Vec<_> = readings.iter().map(|reading| reading.day.to_string()).collect();
    let evening = ["2026-03-03", "2026-03-03", "2026-03-04", "2026-03-03"];
    assert_eq!(days, [["2026-03-04"; 2].as_slice(), &evening].concat());
}

#[test]
fn a_night_without_values() {
    let text = r#"{"date":"2026-03-04","sleep_start_time":"2026-03-04T00:39:07+01:00",
        "sleep_end_time":"2026-03-04T06:39:37+01:00","device_id":null,"light_sleep":null,"deep_sleep":null,
        "rem_sleep":null,"unrecognized_sleep_stage":null,"total_interruption_duration":null,"sleep_score":null,
        "sleep_charge":null,"continuity":null,"sleep_cycles":null,"hypnogram":null,"heart_rate_samples":null}"#;
    let nulls = r#"{"date":"2026-03-04","heart_rate_avg":null,"heart_rate_variability_avg":null,
        "beat_to_beat_avg":null,"breathing_rate_avg":null,"nightly_recharge_status":null,"ans_charge":null,
        "ans_charge_status":null,"hrv_samples":null,"breathing_samples":null}"#;
    let skin = r#"{"sleep_date":"2026-03-04","sleep_time_skin_temperature_celsius":null,
        "deviation_from_baseline_celsius":null}"#;
    let readings = mapped(&[read(text)], &[read(nulls)], &[read(skin)], &Clocks::default());
    let sleep = json!({
        "provider_id": "2026-03-04", "calendar_date": "2026-03-04", "bedtime_start": "2026-03-04T00:39:07+01:00",
        "bedtime_stop": "2026-03-04T06:39:37+01:00", "type": "long_sleep", "timezone_offset": 3600,
        "duration": 21630, "total": 0, "awake": 0, "light": 0, "rem": 0, "deep": 0,
    });
    assert_eq!(values(&readings, Sleep), std::slice::from_ref(&sleep));
    assert_eq!(readings.len(), 1);
    let missing = r#"{"date":"2026-03-04","sleep_start_time":"2026-03-04T00:39:07+01:00",
        "sleep_end_time":"2026-03-04T06:39:37+01:00"}"#;
    assert_eq!(
        values(&mapped(&[read(missing)], &[], &[], &Clocks::default()), Sleep),
        [sleep]
    );
}

/// Durations that are missing are counted. Numbers that are not known are unknown, and equal neighbours are one stage.
#[test]
fn durations_are_counted_from_stages() {
    let night = read(
        r#"{"date":"2026-03-04","sleep_start_time":"2026-03-04T00:39:07+01:00",
            "sleep_end_time":"2026-03-04T02:00:07+01:00","light_sleep":61,
            "hypnogram":{"00:39":2,"00:50":3,"01:00":4,"01:10":6,"01:20":1,"01:30":0,"01:45":2}}"#,
    );
    let readings = mapped(&[night], &[], &[], &Clocks::default());
    let cycle = &values(&readings, SleepCycle)[0];
    assert_eq!(cycle["stage_type"], json!([2, 1, -1, 3, 4, 2]));
    assert_eq!(
        cycle["stage_start_offset_second"],
        json!([0, 1253, 1853, 2453, 3053, 3953])
    );
    assert_eq!(
        cycle["stage_end_offset_second"],
        json!([1253, 1853, 2453, 3053, 3953, 4860])
    );
    let sleep = &values(&readings, Sleep)[0];
    let durations = ["light", "deep", "rem", "awake", "total"].map(|name| sleep[name].as_i64());
    assert_eq!(
        durations,
        [Some(61), Some(600), Some(600), Some(900), Some(61 + 600 + 600 + 600)]
    );
}

/// Without the night, samples from noon on are of the evening before.
#[test]
fn a_recharge_without_its_night() {
    let recharges: NightlyRechargeList = read(RECHARGE);
    let near = clocks(&[("2026-03-02", "2026-03-01T23:00:00+01:00", "2026-03-02T07:00:00+01:00")]);
    let readings = mapped(&[], &recharges.recharges, &[], &near);
    let hrv = [
        json!({"timestamp": "2026-03-03T23:35:00+01:00", "value": 58.0}),
        json!({"timestamp": "2026-03-03T23:40:00+01:00", "value": 61.0}),
        json!({"timestamp": "2026-03-04T00:05:00+01:00", "value": 63.0}),
    ];
    assert_eq!(values(&readings, Hrv), hrv);
    assert_eq!(values(&readings, Sleep), [] as [serde_json::Value; 0]);
}

#[test]
fn a_time_that_is_not_one() {
    let night = NIGHT.replace("00:25", "24:61");
    let nights: SleepList = read(&night);
    let read = mapping::nights(&nights.nights, &[], &[], &Clocks::default());
    assert_eq!(read[0], None);
}
