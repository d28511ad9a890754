//! Tests of records without a score, and without some of its values.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName::{Activity, Sleep};

use super::super::generated::models::{self, Cycle, Recovery, Workout};
use super::super::mapping;
use super::{check_arrivals, read, values};

const TIMES: &str = r#""user_id":4242,"created_at":"2026-03-04T06:50:00Z","updated_at":"2026-03-04T06:50:00Z""#;

fn id(number: u32) -> String {
    format!("0d4f1c1e-0000-4000-8000-{number:012}")
}

fn cycle(id: i64, span: &str, state: &str) -> Cycle {
    let score = r#"{"strain":9.7,"kilojoule":8368.0,"average_heart_rate":66,"max_heart_rate":151}"#;
    read(&format!(
        r#"{{"id":{id},{TIMES},{span},"timezone_offset":"Z","score_state":"{state}","score":{score}}}"#
    ))
}

/// Returns a sleep from 22:00 to 06:00 in UTC without values.
fn sleep(number: u32, cycle: &str, nap: bool, state: &str) -> models::Sleep {
    read(&format!(
        r#"{{"id":"{}","cycle_id":{cycle},{TIMES},"start":"2026-03-03T22:00:00Z","end":"2026-03-04T06:00:00Z",
            "timezone_offset":"Z","nap":{nap},"score_state":"{state}","score":null}}"#,
        id(number)
    ))
}

fn recovery(sleep: u32, state: &str, score: &str) -> Recovery {
    read(&format!(
        r#"{{"cycle_id":1,"sleep_id":"{}",{TIMES},"score_state":"{state}","score":{score}}}"#,
        id(sleep)
    ))
}

fn checked(readings: Vec<Reading>) -> Vec<Reading> {
    check_arrivals(&readings);
    readings
}

const OPEN: &str = r#""start":"2026-03-03T22:00:00Z""#;

#[test]
fn a_sleep_without_a_score() {
    for (theirs, ours) in [
        ("PENDING_SCORE", Some("tentative")),
        ("UNSCORABLE", Some("confirmed")),
        ("DREAMING", None),
    ] {
        let readings = checked(mapping::cycles(&[], &[sleep(1, "null", false, theirs)], &[]));
        assert_eq!(readings.len(), 1);
        let mut expected = json!({
            "provider_id": id(1), "calendar_date": "2026-03-04", "bedtime_start": "2026-03-03T22:00:00+00:00",
            "bedtime_stop": "2026-03-04T06:00:00+00:00", "type": "long_sleep", "timezone_offset": 0,
            "duration": 28800, "total": 0, "awake": 0, "light": 0, "rem": 0, "deep": 0,
        });
        if let Some(state) = ours {
            expected["state"] = Value::from(state);
        }
        assert_eq!(values(&readings, Sleep), [expected], "{theirs}");
    }
}

#[test]
fn values_that_are_null() {
    let mut night = sleep(1, "1", true, "SCORED");
    night.score = Some(read(
        r#"{"stage_summary":{"total_in_bed_time_milli":28800000,"total_awake_time_milli":0,
            "total_light_sleep_time_milli":28800000,"total_slow_wave_sleep_time_milli":0,
            "total_rem_sleep_time_milli":0,"total_no_data_time_milli":null,"sleep_cycle_count":null,
            "disturbance_count":null},"sleep_needed":null,"respiratory_rate":null,
            "sleep_performance_percentage":null,"sleep_consistency_percentage":null,
            "sleep_efficiency_percentage":null}"#,
    ));
    let score = r#"{"user_calibrating":true,"recovery_score":40,"resting_heart_rate":60,"hrv_rmssd_milli":35.5,
        "spo2_percentage":null,"skin_temp_celsius":null}"#;
    let readings = checked(mapping::cycles(&[], &[night], &[recovery(1, "SCORED", score)]));
    let expected = json!({
        "provider_id": id(1), "calendar_date": "2026-03-04", "bedtime_start": "2026-03-03T22:00:00+00:00",
        "bedtime_stop": "2026-03-04T06:00:00+00:00", "type": "acknowledged_nap", "timezone_offset": 0,
        "duration": 28800, "total": 28800, "awake": 0, "light": 28800, "rem": 0, "deep": 0,
        "recovery_readiness_score": 40.0, "hr_resting": 60.0, "state": "confirmed", "average_hrv": 35.5,
    });
    assert_eq!(values(&readings, Sleep), [expected]);
    assert_eq!(readings.len(), 2, "the sleep, and the sample of hrv");

    let workout: Workout = read(&format!(
        r#"{{"id":"{}",{TIMES},"start":"2026-03-04T07:00:00Z","end":"2026-03-04T08:00:00Z","timezone_offset":"Z",
            "score_state":"SCORED","score":{{"strain":1,"average_heart_rate":100,"max_heart_rate":120,"kilojoule":418.4,
            "percent_recorded":null,"distance_meter":null,"altitude_gain_meter":null,"altitude_change_meter":null,
            "zone_durations":null}}}}"#,
        id(2)
    ));
    let expected = json!({
        "provider_id": id(2), "calendar_date": "2026-03-04", "timezone_offset": 0,
        "time_start": "2026-03-04T07:00:00+00:00", "time_end": "2026-03-04T08:00:00+00:00", "calories": 100.0,
        "average_hr": 100, "max_hr": 120,
    });
    let reading = mapping::workout(&workout);
    assert_eq!(
        values(&checked(vec![reading]), wearlab_models::ResourceName::Workouts),
        [expected]
    );
}

#[test]
fn a_workout_without_a_score() {
    for state in ["PENDING_SCORE", "UNSCORABLE", "SWEATING"] {
        let workout: Workout = read(&format!(
            r#"{{"id":"{}",{TIMES},"start":"2026-03-04T07:00:00Z","end":"2026-03-04T08:00:00Z","timezone_offset":"Z",
                "sport_name":"caber-tossing","score_state":"{state}"}}"#,
            id(2)
        ));
        let readings = checked(vec![mapping::workout(&workout)]);
        let value = Value::Object(readings[0].value.clone());
        assert_eq!(value["sport"]["slug"], "caber_tossing");
        assert_eq!(value.get("calories"), None);
    }
}

/// Cycles and recoveries without a score have no values, also where there is one.
#[test]
fn scores_that_do_not_count() {
    let score = r#"{"user_calibrating":false,"recovery_score":40,"resting_heart_rate":60,"hrv_rmssd_milli":35.5}"#;
    for state in ["PENDING_SCORE", "UNSCORABLE", "UNKNOWN"] {
        let (cycles, sleeps) = ([cycle(1, OPEN, state)], [sleep(1, "1", false, "PENDING_SCORE")]);
        let readings = mapping::cycles(&cycles, &sleeps, &[recovery(1, state, score)]);
        assert_eq!(values(&readings, Activity).len(), 0);
        assert_eq!(readings.len(), 1, "the sleep alone");
        assert_eq!(readings[0].value.get("hr_resting"), None);
    }
    let without: Recovery = recovery(1, "SCORED", "null");
    let readings = mapping::cycles(&[], &[sleep(1, "1", false, "PENDING_SCORE")], &[without]);
    assert_eq!(readings.len(), 1);
}

/// The resting heart rate is that of the night that begins the cycle, and not that of a nap or of another night.
#[test]
fn a_cycle_has_the_recovery_of_its_first_night() {
    let score = |rate: u32| {
        format!(r#"{{"user_calibrating":false,"recovery_score":1,"resting_heart_rate":{rate},"hrv_rmssd_milli":1}}"#)
    };
    let mut second = sleep(3, "1", false, "PENDING_SCORE");
    second.start += chrono::TimeDelta::hours(9);
    second.end = second.start + chrono::TimeDelta::hours(20);
    let sleeps = [
        second,
        sleep(1, "1", true, "PENDING_SCORE"),
        sleep(2, "1", false, "PENDING_SCORE"),
        sleep(4, "2", false, "PENDING_SCORE"),
    ];
    let recoveries: Vec<_> = (1..=4)
        .map(|sleep| recovery(sleep, "SCORED", &score(50 + sleep)))
        .collect();
    let readings = checked(mapping::cycles(&[cycle(1, OPEN, "SCORED")], &sleeps, &recoveries));
    let activity = &values(&readings, Activity)[0];
    assert_eq!(activity["heart_rate"]["resting_bpm"], 52.0);
    assert_eq!(activity["calendar_date"], "2026-03-04");
}

/// Sleeps of older records do not name their cycle.
#[test]
fn a_night_that_names_no_cycle() {
    let night = sleep(1, "null", false, "PENDING_SCORE");
    let cycles = [
        cycle(
            1,
            r#""start":"2026-03-02T22:00:00Z","end":"2026-03-03T22:00:00Z""#,
            "SCORED",
        ),
        cycle(2, r#""start":"2026-03-03T22:00:00Z","end":null"#, "SCORED"),
    ];
    let score = r#"{"user_calibrating":false,"recovery_score":1,"resting_heart_rate":53,"hrv_rmssd_milli":1}"#;
    let readings = checked(mapping::cycles(&cycles, &[night], &[recovery(1, "SCORED", score)]));
    let activities = values(&readings, Activity);
    let resting: Vec<_> = activities
        .iter()
        .map(|activity| activity["heart_rate"]["resting_bpm"].as_f64())
        .collect();
    assert_eq!(resting, [None, Some(53.0)]);
    let dates: Vec<_> = activities
        .iter()
        .map(|activity| activity["calendar_date"].as_str())
        .collect();
    assert_eq!(dates, [Some("2026-03-03"), Some("2026-03-04")]);
}
