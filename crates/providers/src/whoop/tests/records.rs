//! Tests of records with their exact values.

use chrono::NaiveDate;
use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName::{Activity, BloodOxygen, BodyTemperature, Hrv, RespiratoryRate, Sleep};

use super::super::generated::models::{BodyMeasurement, Cycle, CyclePage, Recovery, SleepPage, Workout};
use super::super::mapping;
use super::{check_arrivals, read, values};

const CYCLES: &str = r#"{"records":[{"id":5501,"user_id":4242,"created_at":"2026-03-03T22:00:00.000Z",
    "updated_at":"2026-03-04T22:10:00.000Z","start":"2026-03-03T21:30:00.000Z","end":"2026-03-04T21:45:00.000Z",
    "timezone_offset":"+01:00","score_state":"SCORED","new_member":[1],
    "score":{"strain":9.7,"kilojoule":9832.4,"average_heart_rate":66,"max_heart_rate":151,"new_member":{}}}],
    "next_token":"bmV4dA"}"#;

const SLEEP: &str = r#"{"records":[{"id":"0d4f1c1e-0000-4000-8000-000000000001","cycle_id":5501,"v1_id":93845,
    "user_id":4242,"created_at":"2026-03-04T06:50:00.000Z","updated_at":"2026-03-04T07:10:00.000Z",
    "start":"2026-03-03T21:30:00.000Z","end":"2026-03-04T05:30:00.000Z","timezone_offset":"+01:00","nap":false,
    "score_state":"SCORED","score":{"stage_summary":{"total_in_bed_time_milli":28800000,
    "total_awake_time_milli":1800000,"total_no_data_time_milli":0,"total_light_sleep_time_milli":14400499,
    "total_slow_wave_sleep_time_milli":6300000,"total_rem_sleep_time_milli":6300501,"sleep_cycle_count":5,
    "disturbance_count":7},"sleep_needed":{"baseline_milli":27000000,"need_from_sleep_debt_milli":600000,
    "need_from_recent_strain_milli":300000,"need_from_recent_nap_milli":0},"respiratory_rate":14.9,
    "sleep_performance_percentage":92.0,"sleep_consistency_percentage":81.0,"sleep_efficiency_percentage":93.7}}]}"#;

const RECOVERY: &str = r#"{"cycle_id":5501,"sleep_id":"0d4f1c1e-0000-4000-8000-000000000001","user_id":4242,
    "created_at":"2026-03-04T06:50:01.000Z","updated_at":"2026-03-04T06:50:01.000Z","score_state":"SCORED",
    "score":{"user_calibrating":false,"recovery_score":68.0,"resting_heart_rate":51.0,"hrv_rmssd_milli":71.2,
    "spo2_percentage":96.1,"skin_temp_celsius":34.2}}"#;

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

/// Returns the readings of the night, its recovery and its cycle.
fn readings() -> Vec<Reading> {
    let (cycles, sleep): (CyclePage, SleepPage) = (read(CYCLES), read(SLEEP));
    assert_eq!((cycles.next_token.as_deref(), sleep.next_token), (Some("bmV4dA"), None));
    let recovery: Recovery = read(RECOVERY);
    let readings = mapping::cycles(&cycles.records, &sleep.records, &[recovery]);
    check_arrivals(&readings);
    readings
}

#[test]
fn a_cycle_with_its_night() {
    let readings = readings();
    assert!(readings.iter().all(|reading| reading.day == day("2026-03-04")));
    let activity = json!({
        "provider_id": "5501", "calendar_date": "2026-03-04", "timezone_offset": 3600, "calories_total": 2350.0,
        "heart_rate": {"avg_bpm": 66, "max_bpm": 151, "resting_bpm": 51.0},
    });
    assert_eq!(values(&readings, Activity), [activity]);
    let sleep = json!({
        "provider_id": "0d4f1c1e-0000-4000-8000-000000000001", "calendar_date": "2026-03-04",
        "bedtime_start": "2026-03-03T22:30:00+01:00", "bedtime_stop": "2026-03-04T06:30:00+01:00",
        "type": "long_sleep", "timezone_offset": 3600, "duration": 28800, "total": 27001, "awake": 1800,
        "light": 14400, "rem": 6301, "deep": 6300, "score": 92.0, "recovery_readiness_score": 68.0,
        "hr_resting": 51.0, "efficiency": 93.7, "skin_temperature": 34.2, "state": "confirmed",
        "average_hrv": 71.2, "respiratory_rate": 14.9,
    });
    assert_eq!(values(&readings, Sleep), [sleep]);
}

#[test]
fn samples_are_at_the_end_of_the_sleep() {
    let readings = readings();
    let sample = |value: f64| json!({"timestamp": "2026-03-04T06:30:00+01:00", "value": value});
    assert_eq!(values(&readings, Hrv), [sample(71.2)]);
    assert_eq!(values(&readings, RespiratoryRate), [sample(14.9)]);
    assert_eq!(values(&readings, BloodOxygen), [sample(96.1)]);
    let mut temperature = sample(34.2);
    temperature["sensor_location"] = Value::from("wrist");
    assert_eq!(values(&readings, BodyTemperature), [temperature]);
    assert_eq!(readings.len(), 6);
}

#[test]
fn workouts() {
    let running: Workout = read(
        r#"{"id":"7c2a9e3b-0000-4000-8000-000000000002","user_id":4242,"created_at":"2026-03-04T17:50:00.000Z",
            "updated_at":"2026-03-04T17:52:00.000Z","start":"2026-03-04T17:00:00.000Z","end":"2026-03-04T17:45:00.000Z",
            "timezone_offset":"+01:00","sport_name":"running","sport_id":0,"score_state":"SCORED","score":{"strain":8.2,
            "average_heart_rate":132,"max_heart_rate":161,"kilojoule":1569.0,"percent_recorded":100.0,
            "distance_meter":7240.5,"altitude_gain_meter":46.6,"altitude_change_meter":-0.8,
            "zone_durations":{"zone_zero_milli":60000,"zone_one_milli":600000,"zone_two_milli":1200000,
            "zone_three_milli":720499,"zone_four_milli":120500,"zone_five_milli":0}}}"#,
    );
    let reading = mapping::workout(&running);
    check_arrivals(std::slice::from_ref(&reading));
    assert_eq!(reading.day, day("2026-03-04"));
    let expected = json!({
        "provider_id": "7c2a9e3b-0000-4000-8000-000000000002", "calendar_date": "2026-03-04",
        "timezone_offset": 3600, "time_start": "2026-03-04T18:00:00+01:00", "time_end": "2026-03-04T18:45:00+01:00",
        "sport": {"id": 1, "name": "Running", "slug": "running"}, "calories": 375.0, "average_hr": 132,
        "max_hr": 161, "distance": 7240.5, "total_elevation_gain": 46.6, "hr_zones": [60, 600, 1200, 720, 121, 0],
    });
    assert_eq!(Value::Object(reading.value), expected);
}

#[test]
fn a_person() {
    let body: BodyMeasurement = read(r#"{"height_meter":1.15,"weight_kilogram":71.5,"max_heart_rate":187}"#);
    let reading = mapping::profile(&body, day("2026-03-04")).expect("a profile");
    check_arrivals(std::slice::from_ref(&reading));
    assert_eq!(
        Value::Object(reading.value),
        json!({"height": 115.0}),
        "a weight has no time"
    );
    for text in [
        "{}",
        r#"{"height_meter":null,"weight_kilogram":null,"max_heart_rate":null}"#,
    ] {
        assert_eq!(mapping::profile(&read(text), day("2026-03-04")), None);
    }
}

#[test]
fn values_are_not_in_debug_output() {
    let cycle: Cycle = read::<CyclePage>(CYCLES).records.remove(0);
    let shown = format!("{:?} {cycle:?}", readings());
    assert!(shown.contains("Activity") && !shown.contains("9832") && !shown.contains("71.2"));
}
