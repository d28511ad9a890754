//! Tests of nights and naps.

use serde_json::json;
use wearlab_models::ResourceName::{Hrv, RespiratoryRate, Sleep, SleepCycle};

use super::super::generated::models::{self, DailyReadiness, DailySleep, SleepPage};
use super::super::mapping;
use crate::testing::{check_arrivals, read, values};

const NIGHT: &str = r#"{"data":[{"id":"c3d4-0002","day":"2026-03-04","type":"long_sleep",
    "bedtime_start":"2026-03-03T23:10:00+02:00","bedtime_end":"2026-03-04T06:40:00+02:00","time_in_bed":27000,
    "total_sleep_duration":24600,"awake_time":2400,"light_sleep_duration":13500,"rem_sleep_duration":5400,
    "deep_sleep_duration":5700,"efficiency":91,"latency":480,"average_heart_rate":54.5,"lowest_heart_rate":48,
    "average_hrv":62,"average_breath":14.1,"period":0,"low_battery_alert":false,"sleep_phase_5_min":"4221133",
    "heart_rate":{"interval":300.0,"items":[56.0,null,54.0],"timestamp":"2026-03-03T23:10:00.000+02:00"},
    "hrv":{"interval":1800.0,"items":[58.0,null,61.5],"timestamp":"2026-03-03T23:10:00.000+02:00"},
    "readiness":{"score":77,"temperature_deviation":-0.12,"contributors":{"sleep_balance":80}},
    "sleep_algorithm_version":"v2","new_member":{"deep":[1,2]}}],"next_token":null}"#;

/// Returns a sleep of the day 2026-03-04 without any values.
fn empty(id: &str, kind: &str, time_in_bed: i64) -> models::Sleep {
    read(&format!(
        r#"{{"id":"{id}","day":"2026-03-04","type":{kind},"bedtime_start":"2026-03-04T01:00:00+01:00",
            "bedtime_end":"2026-03-04T07:00:00+01:00","time_in_bed":{time_in_bed},"total_sleep_duration":null,
            "awake_time":null,"light_sleep_duration":null,"rem_sleep_duration":null,"deep_sleep_duration":null,
            "latency":null,"efficiency":null,"restless_periods":null,"average_heart_rate":null,
            "lowest_heart_rate":null,"average_hrv":null,"average_breath":null,"heart_rate":null,"hrv":null,
            "sleep_phase_30_sec":null,"sleep_phase_5_min":null,"movement_30_sec":null,"readiness":null,
            "ring_id":null,"sleep_analysis_reason":null,"period":1,"low_battery_alert":false}}"#
    ))
}

fn scores(sleep: &str, readiness: &str) -> (DailySleep, DailyReadiness) {
    let day = r#""id":"d-1","day":"2026-03-04","timestamp":"2026-03-04T00:00:00+01:00""#;
    let of = |score: &str| format!("{{{day},\"score\":{score}}}");
    (read(&of(sleep)), read(&of(readiness)))
}

#[test]
fn a_night_that_passes_midnight() {
    let page: SleepPage = read(NIGHT);
    let (score, readiness) = scores("84", "70");
    let readings = mapping::nights(&page.data, &[score], &[readiness]);
    check_arrivals(&readings);
    let sleep = json!({
        "provider_id": "c3d4-0002", "calendar_date": "2026-03-04", "bedtime_start": "2026-03-03T23:10:00+02:00",
        "bedtime_stop": "2026-03-04T06:40:00+02:00", "type": "long_sleep", "timezone_offset": 7200,
        "duration": 27000, "total": 24600, "awake": 2400, "light": 13500, "rem": 5400, "deep": 5700, "score": 84,
        "recovery_readiness_score": 77, "hr_lowest": 48, "hr_average": 54.5, "efficiency": 91, "latency": 480,
        "temperature_delta": -0.12, "average_hrv": 62, "respiratory_rate": 14.1,
    });
    assert_eq!(values(&readings, Sleep), [sleep]);
    let cycle = json!({
        "provider_id": "c3d4-0002", "session_start": "2026-03-03T23:10:00+02:00",
        "session_end": "2026-03-04T06:40:00+02:00", "stage_start_offset_second": [0, 300, 900, 1500],
        "stage_end_offset_second": [300, 900, 1500, 2100], "stage_type": [4, 2, 1, 3],
    });
    assert_eq!(values(&readings, SleepCycle), [cycle]);
    let hrv = [
        json!({"timestamp": "2026-03-03T23:10:00+02:00", "value": 58.0}),
        json!({"timestamp": "2026-03-04T00:10:00+02:00", "value": 61.5}),
    ];
    assert_eq!(values(&readings, Hrv), hrv);
    let breath = json!({"timestamp": "2026-03-04T06:40:00+02:00", "value": 14.1});
    assert_eq!(values(&readings, RespiratoryRate), [breath]);
    let days: Vec<_> = readings.iter().map(|reading| reading.day.to_string()).collect();
    assert_eq!(
        days,
        ["2026-03-04", "2026-03-04", "2026-03-03", "2026-03-04", "2026-03-04"]
    );
}

#[test]
fn a_night_without_values() {
    let readings = mapping::nights(&[empty("n-1", "null", 21_600)], &[], &[]);
    check_arrivals(&readings);
    let sleep = json!({
        "provider_id": "n-1", "calendar_date": "2026-03-04", "bedtime_start": "2026-03-04T01:00:00+01:00",
        "bedtime_stop": "2026-03-04T07:00:00+01:00", "type": "unknown", "timezone_offset": 3600, "duration": 21600,
        "total": 0, "awake": 0, "light": 0, "rem": 0, "deep": 0,
    });
    assert_eq!(values(&readings, Sleep), [sleep]);
    assert_eq!(readings.len(), 1);
}

/// The finer stages are used, and durations that are missing are counted.
#[test]
fn durations_are_counted_from_stages() {
    let mut night = empty("n-1", "\"long_sleep\"", 21_600);
    night.sleep_phase_30_sec = Some("4422113?34".to_owned());
    night.sleep_phase_5_min = Some("1".to_owned());
    night.light_sleep_duration = Some(61);
    let readings = mapping::nights(&[night], &[], &[]);
    check_arrivals(&readings);
    let sleep = &values(&readings, Sleep)[0];
    let durations = ["total", "awake", "light", "rem", "deep"].map(|name| sleep[name].as_i64());
    assert_eq!(durations, [Some(61 + 60 + 60), Some(90), Some(61), Some(60), Some(60)]);
    let cycle = &values(&readings, SleepCycle)[0];
    assert_eq!(cycle["stage_type"], json!([4, 2, 1, 3, -1, 3, 4]));
    assert_eq!(
        cycle["stage_start_offset_second"],
        json!([0, 60, 120, 180, 210, 240, 270])
    );
    assert_eq!(
        cycle["stage_end_offset_second"],
        json!([60, 120, 180, 210, 240, 270, 300])
    );
}

#[test]
fn stages_end_with_the_sleep() {
    let mut night = empty("n-1", "\"long_sleep\"", 21_600);
    night.sleep_phase_30_sec = Some(String::new());
    // 25 hours of a sleep of six.
    night.sleep_phase_5_min = Some("2".repeat(71) + &"1".repeat(229));
    let cycle = values(&mapping::nights(&[night], &[], &[]), SleepCycle).remove(0);
    assert_eq!(cycle["stage_end_offset_second"], json!([21_300, 21_600]));
    assert_eq!(cycle["stage_type"], json!([2, 1]));
}

#[test]
fn kinds_of_sleep() {
    let kinds = [
        ("\"long_sleep\"", Some("long_sleep")),
        ("\"sleep\"", Some("short_sleep")),
        ("\"late_nap\"", Some("acknowledged_nap")),
        ("\"hibernation\"", Some("unknown")),
        ("null", Some("unknown")),
        ("\"rest\"", None),
        ("\"deleted\"", None),
    ];
    for (theirs, ours) in kinds {
        let mut sleep = empty("n-1", theirs, 21_600);
        sleep.average_breath = Some(14.0);
        sleep.sleep_phase_30_sec = Some("123".to_owned());
        let readings = mapping::nights(&[sleep], &[], &[]);
        check_arrivals(&readings);
        let kinds = values(&readings, Sleep);
        assert_eq!(kinds.first().and_then(|sleep| sleep["type"].as_str()), ours, "{theirs}");
        assert_eq!(readings.is_empty(), ours.is_none(), "{theirs}");
    }
}

#[test]
fn the_longest_night_has_the_scores_of_the_day() {
    let nights = [
        empty("nap", "\"late_nap\"", 40_000),
        empty("short", "\"long_sleep\"", 10_000),
        empty("long", "\"long_sleep\"", 20_000),
        empty("rejected", "\"rest\"", 50_000),
    ];
    let (score, readiness) = scores("84", "70");
    let readings = mapping::nights(&nights, &[score], &[readiness]);
    let with_scores: Vec<_> = values(&readings, Sleep)
        .iter()
        .map(|sleep| {
            (
                sleep["provider_id"].clone(),
                sleep["score"].clone(),
                sleep["recovery_readiness_score"].clone(),
            )
        })
        .collect();
    let expected = [
        (json!("nap"), json!(null), json!(null)),
        (json!("short"), json!(null), json!(null)),
        (json!("long"), json!(84), json!(70)),
    ];
    assert_eq!(with_scores, expected);
}

/// Scores of other days are not used.
#[test]
fn scores_may_be_missing() {
    let night = empty("n-1", "\"long_sleep\"", 21_600);
    let (mut score, readiness) = scores("84", "null");
    score.day = "2026-03-05".parse().expect("a day");
    let sleep = values(&mapping::nights(&[night], &[score], &[readiness]), Sleep).remove(0);
    assert_eq!(
        (sleep.get("score"), sleep.get("recovery_readiness_score")),
        (None, None)
    );
}

#[test]
fn samples_without_an_interval_are_left_out() {
    for interval in ["0", "-300", "1e300"] {
        let mut night = empty("n-1", "\"long_sleep\"", 21_600);
        let text = r#"{"interval":I,"items":[1,2],"timestamp":"2026-03-04T01:00:00+01:00"}"#;
        night.hrv = Some(read(&text.replace('I', interval)));
        let hrv = values(&mapping::nights(&[night], &[], &[]), Hrv);
        assert!(hrv.len() <= 1, "{interval}: the second sample has no time");
    }
}
