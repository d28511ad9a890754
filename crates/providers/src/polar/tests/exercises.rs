//! Tests of exercises.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName::{Heartrate, WorkoutDistance, WorkoutPower, Workouts};

use super::super::generated::models::Exercise;
use super::super::mapping::{self, Clocks};
use super::{check_arrivals, clocks, read, values};

const EXERCISE: &str = r#"{"id":"2AC312F","upload_time":"2026-03-04T17:02:00Z","start_time":"2026-03-04T17:00:00",
    "start_time_utc_offset":120,"duration":"PT45M0S","calories":412,"distance":7240.5,
    "heart_rate":{"average":132,"maximum":161},"sport":"OTHER","detailed_sport_info":"RUNNING","training_load":88.2,
    "has_route":true,"device":"Polar Grit X","device_id":"AB12","club_id":999,
    "heart_rate_zones":[{"index":2,"lower-limit":111,"upper-limit":130,"in-zone":"PT1M30.5S"},
    {"index":1,"lower-limit":93,"upper-limit":111,"in-zone":"PT10M"},{"index":3,"in-zone":null}],
    "samples":[{"recording-rate":5,"sample-type":"0","data":"101,103,null,0,104"},
    {"recording-rate":10,"sample-type":10,"data":"0.0,25.5,null,61.2"},
    {"recording-rate":1,"sample-type":"4","data":"0, 210,null,212"},
    {"recording-rate":5,"sample-type":"1","data":"0,9.5"},{"recording-rate":null,"sample-type":"11","data":"812,820"},
    {"recording-rate":null,"sample-type":"0","data":"99"},{"recording-rate":1,"sample-type":"warp","data":"9"}],
    "route":[{"latitude":38.5,"longitude":-120.2,"time":"PT0S","satellites":4},
    {"latitude":40.7,"longitude":-120.95,"time":"PT210.026S","fix":1}]}"#;

fn mapped(text: &str) -> Vec<Reading> {
    let readings = mapping::exercise(&read(text), &Clocks::default()).expect("times");
    check_arrivals(&readings);
    readings
}

#[test]
fn a_workout_with_its_samples() {
    let readings = mapped(EXERCISE);
    let workout = json!({
        "provider_id": "2AC312F", "calendar_date": "2026-03-04", "timezone_offset": 7200,
        "time_start": "2026-03-04T17:00:00+02:00", "time_end": "2026-03-04T17:45:00+02:00",
        "sport": {"id": 1, "name": "Running", "slug": "running"}, "calories": 412, "distance": 7240.5,
        "average_hr": 132, "max_hr": 161, "hr_zones": [600.0, 90.5, 0.0], "map": {"polyline": "_p~iF~ps|U_ulLnnqC"},
    });
    assert_eq!(values(&readings, Workouts), [workout]);
    let at = |time: &str, value: f64| json!({"timestamp": format!("2026-03-04T17:{time}+02:00"), "value": value});
    let rates = [at("00:00", 101.0), at("00:05", 103.0), at("00:20", 104.0)];
    assert_eq!(values(&readings, Heartrate), rates);
    let power = [at("00:00", 0.0), at("00:01", 210.0), at("00:03", 212.0)];
    assert_eq!(values(&readings, WorkoutPower), power);
    let from_to = |from: &str, to: &str, value: f64| {
        let time = |time: &str| format!("2026-03-04T17:{time}+02:00");
        json!({"timestamp": time(from), "start": time(from), "end": time(to), "value": value})
    };
    let distances = [from_to("00:00", "00:10", 25.5), from_to("00:10", "00:30", 35.7)];
    assert_eq!(values(&readings, WorkoutDistance), distances);
    assert!(readings.iter().all(|reading| reading.day.to_string() == "2026-03-04"));
}

#[test]
fn a_workout_without_values() {
    let expected = json!({
        "provider_id": "E1", "calendar_date": "2026-03-04", "timezone_offset": -12600,
        "time_start": "2026-03-04T17:00:00-03:30", "time_end": "2026-03-04T17:00:00-03:30",
    });
    for rest in [
        "",
        r#","upload_time":null,"calories":null,"distance":null,"heart_rate":null,"sport":null,
            "detailed_sport_info":null,"training_load":null,"has_route":null,"device":null,"device_id":null,
            "heart_rate_zones":null,"samples":null,"route":null"#,
        r#","heart_rate":{"average":null,"maximum":null},"heart_rate_zones":[],"samples":[],"route":[]"#,
    ] {
        let text = format!(
            r#"{{"id":"E1","start_time":"2026-03-04T17:00:00","start_time_utc_offset":-210,"duration":"PT0S"{rest}}}"#
        );
        let readings = mapped(&text);
        assert_eq!(values(&readings, Workouts), std::slice::from_ref(&expected));
        assert_eq!(readings.len(), 1);
    }
}

#[test]
fn sports() {
    let sport = |names: &str| {
        let text = format!(
            r#"{{"id":"E1","start_time":"2026-03-04T17:00:00","start_time_utc_offset":0,"duration":"PT1M"{names}}}"#
        );
        values(&mapped(&text), Workouts).remove(0)["sport"].clone()
    };
    let skiing = json!({"id": 0, "name": "Watersports waterski", "slug": "watersports_waterski"});
    assert_eq!(
        sport(r#","sport":"OTHER","detailed_sport_info":"WATERSPORTS_WATERSKI""#),
        skiing
    );
    let cycling = json!({"id": 2, "name": "Cycling", "slug": "cycling"});
    assert_eq!(sport(r#","sport":"CYCLING","detailed_sport_info":null"#), cycling);
    assert_eq!(sport(""), Value::Null);
}

/// An exercise without an offset has that of the nights. Without nights, its times and those of its samples are local.
#[test]
fn an_offset_that_is_missing() {
    let text = EXERCISE.replace("120,", "null,");
    let near = clocks(&[("2026-03-04", "2026-03-03T23:05:00+01:00", "2026-03-04T06:35:00+01:00")]);
    let readings = mapping::exercise(&read(&text), &near).expect("times");
    check_arrivals(&readings);
    let workout = values(&readings, Workouts).remove(0);
    assert_eq!(
        (&workout["time_start"], &workout["timezone_offset"]),
        (&json!("2026-03-04T17:00:00+01:00"), &json!(3600))
    );
    let count = readings.len();
    let readings = mapping::exercise(&read(&text), &Clocks::default()).expect("times");
    assert!(count > 1);
    assert_eq!(readings.len(), count, "with the samples");
    for sample in &readings[1..] {
        let time = sample.value["timestamp"].as_str().expect("a time");
        assert!(time.starts_with("2026-03-04T17:") && !time.contains('+'), "{time}");
    }
    let workout = values(&readings, Workouts).remove(0);
    assert_eq!(
        (&workout["time_start"], &workout["timezone_offset"]),
        (&json!("2026-03-04T17:00:00"), &Value::Null)
    );
}

#[test]
fn times_and_durations_that_are_none() {
    for (right, wrong) in [
        ("\"2026-03-04T17:00:00\"", "\"at five\""),
        ("PT45M0S", "45 minutes"),
        ("PT10M", "P1Y"),
    ] {
        let exercise: Exercise = read(&EXERCISE.replace(right, wrong));
        assert_eq!(mapping::exercise(&exercise, &Clocks::default()), None, "{wrong}");
    }
    assert_eq!(
        mapping::day_of_exercise(&read(&EXERCISE.replace("2026-03-04T17:00:00", "five"))),
        None
    );
}
