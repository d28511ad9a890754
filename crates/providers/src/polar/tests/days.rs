//! Tests of days of activity, of heart rate, and of the person.

use chrono::NaiveDate;
use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName::{self, Activity, Body, Heartrate, Profile, Steps, Vo2Max, Weight};

use super::super::generated::models;
use super::super::mapping::{self, Clocks};
use super::{check_arrivals, clocks, read, values};

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

/// Clocks of 2026-03-04 at +02:00.
fn helsinki() -> Clocks {
    clocks(&[("2026-03-04", "2026-03-03T23:05:00+02:00", "2026-03-04T06:35:00+02:00")])
}

fn checked(readings: Option<Vec<Reading>>) -> Vec<Reading> {
    let readings = readings.expect("times");
    check_arrivals(&readings);
    readings
}

const ACTIVITY: &str = r#"{"start_time":"2026-03-04T00:00:00","end_time":"2026-03-04T23:59:00",
    "active_duration":"PT9H21M","inactive_duration":"PT6H2M","daily_activity":104.5,"calories":2290,
    "active_calories":812,"steps":8123,"distance_from_steps":5920.5,"inactivity_alert_count":1,
    "samples":{"date":"2026-03-04","steps":{"interval_ms":60000,"total_steps":8123,
    "samples":[{"steps":12,"timestamp":"2026-03-04T07:01:00"},{"steps":0,"timestamp":"2026-03-04T07:02"}]},
    "activity_zones":{"samples":[{"zone":"LIGHT","timestamp":"2026-03-04T07:00:00"},
    {"zone":"SEDENTARY","timestamp":"2026-03-04T07:20:00"},{"zone":"VIGOROUS","timestamp":"2026-03-04T08:00:30"},
    {"zone":"TELEPORTING","timestamp":"2026-03-04T08:10:00"},{"zone":"MODERATE","timestamp":"2026-03-04T23:50:00"}]},
    "inactivity_stamps":[{"stamp":"2026-03-04T16:04"}]}}"#;

#[test]
fn a_day_of_activity() {
    let readings = checked(mapping::activity(&read(ACTIVITY), &helsinki()));
    let expected = json!({
        "calendar_date": "2026-03-04", "calories_total": 2290, "calories_active": 812, "steps": 8123,
        "distance": 5920.5, "low": 20.0, "medium": 9.0, "high": 9.5,
    });
    assert_eq!(values(&readings, Activity), [expected]);
    let steps = |start: &str, end: &str, steps: i64| {
        let time = |time: &str| format!("2026-03-04T{time}+02:00");
        json!({"timestamp": time(start), "start": time(start), "end": time(end), "value": steps})
    };
    let expected = [steps("07:01:00", "07:02:00", 12), steps("07:02:00", "07:03:00", 0)];
    assert_eq!(values(&readings, Steps), expected);
    assert!(readings.iter().all(|reading| reading.day == day("2026-03-04")));
}

/// Without samples, there are no zones, and the day is that of the start.
#[test]
fn a_day_of_activity_without_values() {
    for text in [
        r#"{"start_time":"2026-03-04T08:15:30"}"#,
        r#"{"start_time":"2026-03-04T08:15:30","end_time":null,"active_duration":null,"inactive_duration":null,
            "daily_activity":null,"calories":null,"active_calories":null,"steps":null,"distance_from_steps":null,
            "samples":null}"#,
        r#"{"start_time":"2026-03-04T08:15:30","samples":{"date":null,"steps":null,"activity_zones":null}}"#,
    ] {
        let readings = checked(mapping::activity(&read(text), &Clocks::default()));
        assert_eq!(values(&readings, Activity), [json!({"calendar_date": "2026-03-04"})]);
        assert_eq!(readings.len(), 1);
    }
    let named = r#"{"start_time":"2026-03-03T22:00:00","samples":{"date":"2026-03-04"}}"#;
    assert_eq!(mapping::day_of(&read(named)), Some(day("2026-03-04")));
    assert_eq!(mapping::day_of(&read(r#"{"start_time":"early"}"#)), None);
    let broken = ACTIVITY.replace("2026-03-04T07:20:00", "later");
    assert_eq!(mapping::activity(&read(&broken), &helsinki()), None);
}

/// Values that are repeated are left out: they last until the next one.
#[test]
fn repeated_steps() {
    let text = r#"{"start_time":"2026-03-04T00:00:00","end_time":"2026-03-04T08:20:00","samples":{"steps":{
        "interval_ms":300000,"total_steps":170,"samples":[{"steps":0,"timestamp":"2026-03-04T00:00:00"},
        {"steps":30,"timestamp":"2026-03-04T07:00:00"},{"steps":0,"timestamp":"2026-03-04T07:15:00"},
        {"steps":20,"timestamp":"2026-03-04T08:00:00"}]}}}"#;
    let readings = checked(mapping::activity(&read(text), &helsinki()));
    let steps = values(&readings, Steps);
    let sum: i64 = steps.iter().filter_map(|sample| sample["value"].as_i64()).sum();
    assert_eq!(sum, 170);
    let times: Vec<_> = steps
        .iter()
        .map(|sample| &sample["timestamp"].as_str().expect("a time")[11..16])
        .collect();
    assert_eq!(
        times,
        [
            "00:00", "07:00", "07:05", "07:10", "07:15", "08:00", "08:05", "08:10", "08:15"
        ]
    );
    // Without more steps in the day, a sample is not repeated.
    let sparse = text.replace("170", "50");
    let readings = checked(mapping::activity(&read(&sparse), &helsinki()));
    assert_eq!(values(&readings, Steps).len(), 4);
}

/// Steps without an interval have no span.
#[test]
fn steps_without_an_interval() {
    for interval in ["0", "null"] {
        let text = ACTIVITY.replace("60000", interval);
        let readings = checked(mapping::activity(&read(&text), &helsinki()));
        let expected = json!({"timestamp": "2026-03-04T07:01:00+02:00", "value": 12});
        assert_eq!(values(&readings, Steps)[0], expected);
    }
}

fn heart_rate() -> models::ContinuousHeartRate {
    read(
        r#"{"polar_user":"https://polaraccesslink.com/v3/users/5150","date":"2026-03-04",
            "heart_rate_samples":[{"heart_rate":63,"sample_time":"00:02:08"},{"heart_rate":0,"sample_time":"00:07:08"},
            {"heart_rate":71,"sample_time":"23:57:08","mood":"calm"}]}"#,
    )
}

#[test]
fn heart_rate_of_a_day() {
    let samples = mapping::continuous_heart_rate(&heart_rate(), &helsinki());
    let readings = checked(samples.into_iter().collect());
    let expected = [
        json!({"timestamp": "2026-03-04T00:02:08+02:00", "value": 63}),
        json!({"timestamp": "2026-03-04T23:57:08+02:00", "value": 71}),
    ];
    assert_eq!(values(&readings, Heartrate), expected);
    assert!(readings.iter().all(|reading| reading.day == day("2026-03-04")));
    let empty = read(r#"{"date":"2026-03-04","heart_rate_samples":null}"#);
    assert_eq!(mapping::continuous_heart_rate(&empty, &helsinki()), []);
    let broken = read(
        r#"{"date":"2026-03-04","heart_rate_samples":[{"heart_rate":63,"sample_time":"noon"},
            {"heart_rate":64,"sample_time":"12:05"}]}"#,
    );
    let samples = mapping::continuous_heart_rate(&broken, &helsinki());
    assert!(matches!(&samples[..], [None, Some(_)]), "the others are read");
}

/// Without a night near, times stay local, and are read in the user's time zone.
#[test]
fn times_without_a_night() {
    let far = clocks(&[("2026-02-24", "2026-02-23T23:05:00+02:00", "2026-02-24T06:35:00+02:00")]);
    for clocks in [Clocks::default(), far] {
        let samples = mapping::continuous_heart_rate(&heart_rate(), &clocks);
        let first = samples[0].as_ref().expect("a time");
        assert_eq!(first.value["timestamp"], json!("2026-03-04T00:02:08"));
        let activity = mapping::activity(&read(ACTIVITY), &clocks).expect("times");
        let steps = &values(&activity, Steps)[0];
        let times = ["timestamp", "start", "end"].map(|name| steps[name].as_str());
        assert_eq!(
            times,
            [
                Some("2026-03-04T07:01:00"),
                Some("2026-03-04T07:01:00"),
                Some("2026-03-04T07:02:00")
            ]
        );
    }
}

#[test]
fn physical_information() {
    let info: models::PhysicalInfo = read(
        r#"{"weight":71.5,"weight_source":"SOURCE_MEASURED","height":178.0,"birthday":"1985-06-01","gender":"FEMALE",
            "maximum_heart_rate":187,"resting_heart_rate":51,"vo2_max":44,"created":"2026-03-01T10:00:00Z",
            "modified":"2026-03-04T06:00:00Z","new_member":null}"#,
    );
    let readings = mapping::physical_info(&info, day("2026-03-10"));
    check_arrivals(&readings);
    let expected: [(ResourceName, &str, Value); 4] = [
        (
            Profile,
            "2026-03-10",
            json!({"height": 178.0, "birth_date": "1985-06-01", "gender": "female"}),
        ),
        (
            Body,
            "2026-03-04",
            json!({"calendar_date": "2026-03-04", "weight": 71.5}),
        ),
        (
            Weight,
            "2026-03-04",
            json!({"timestamp": "2026-03-04T06:00:00+00:00", "value": 71.5}),
        ),
        (
            Vo2Max,
            "2026-03-04",
            json!({"timestamp": "2026-03-04T06:00:00+00:00", "value": 44}),
        ),
    ];
    let read: Vec<_> = readings
        .into_iter()
        .map(|reading| (reading.resource, reading.day.to_string(), Value::Object(reading.value)))
        .collect();
    assert_eq!(
        read,
        expected.map(|(resource, day, value)| (resource, day.to_owned(), value))
    );
}

#[test]
fn physical_information_without_values() {
    let nulls = r#"{"weight":null,"weight_source":null,"height":null,"birthday":null,"gender":null,
        "maximum_heart_rate":null,"resting_heart_rate":null,"vo2_max":null,"created":null,
        "modified":"2026-03-04T06:00:00Z"}"#;
    assert_eq!(mapping::physical_info(&read(nulls), day("2026-03-10")), []);
    assert_eq!(mapping::physical_info(&read("{}"), day("2026-03-10")), []);
    let without_time = r#"{"weight":71.5,"vo2_max":44,"gender":"NEITHER"}"#;
    let readings = mapping::physical_info(&read(without_time), day("2026-03-10"));
    assert_eq!(values(&readings, Profile), [json!({"gender": "neither"})]);
    assert_eq!(readings.len(), 1);
}

#[test]
fn values_are_not_in_debug_output() {
    let readings = mapping::physical_info(&read(r#"{"height":171.0}"#), day("2026-03-10"));
    let shown = format!("{readings:?}");
    assert!(shown.contains("Profile") && !shown.contains("171"), "{shown}");
}
