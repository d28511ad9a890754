//! Tests of summaries of days, of samples, of workouts and of the person.

use chrono::NaiveDate;
use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{
    DailyActivityPage, DailyReadiness, DailySpo2, HeartRatePage, PersonalInfo, Vo2Max, Workout,
};
use super::super::mapping;
use crate::testing::{check_arrivals, read, values};

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

/// Returns the day and the value of a reading that is an arrival.
fn checked(reading: Reading) -> (NaiveDate, Value) {
    check_arrivals(std::slice::from_ref(&reading));
    (reading.day, Value::Object(reading.value))
}

#[test]
fn a_day_of_activity() {
    let page: DailyActivityPage = read(
        r#"{"data":[{"id":"a1b2-0001","day":"2026-03-04","timestamp":"2026-03-04T04:00:00+02:00","score":null,
            "steps":8123,"active_calories":412,"total_calories":2290.0,"equivalent_walking_distance":7400,
            "low_activity_time":10830,"medium_activity_time":2400,"high_activity_time":0,"sedentary_time":30000,
            "resting_time":null,"non_wear_time":0,"class_5_min":null,"met":null,"contributors":{"move_every_hour":71},
            "new_member":[1,"x"]}],"next_token":null}"#,
    );
    assert_eq!(page.next_token, None);
    let (of, value) = checked(mapping::activity(&page.data[0]));
    assert_eq!(of, day("2026-03-04"));
    let expected = json!({
        "provider_id": "a1b2-0001", "calendar_date": "2026-03-04", "timezone_offset": 7200, "calories_total": 2290,
        "calories_active": 412, "steps": 8123, "daily_movement": 7400, "low": 180.5, "medium": 40.0, "high": 0.0,
    });
    assert_eq!(value, expected);
}

#[test]
fn a_temperature() {
    let text = |deviation: &str| {
        let rest = r#""id":"r-1","day":"2026-03-04","timestamp":"2026-03-04T00:00:00-03:30","score":null"#;
        format!(r#"{{{rest},"temperature_deviation":{deviation},"temperature_trend_deviation":null}}"#)
    };
    let reading = mapping::body_temperature_delta(&read::<DailyReadiness>(&text("-0.12"))).expect("a sample");
    let expected = json!({"timestamp": "2026-03-04T00:00:00-03:30", "value": -0.12, "sensor_location": "finger"});
    assert_eq!(checked(reading), (day("2026-03-04"), expected));
    assert_eq!(
        mapping::body_temperature_delta(&read::<DailyReadiness>(&text("null"))),
        None
    );
}

#[test]
fn blood_oxygen_has_a_time_that_is_of_the_day_in_nearly_all_zones() {
    let spo2 = |value: &str| {
        read(&format!(
            r#"{{"id":"o-1","day":"2026-03-04","spo2_percentage":{value}}}"#
        ))
    };
    let reading = mapping::blood_oxygen(&spo2(r#"{"average":96.25,"lowest":91}"#)).expect("a sample");
    let expected = json!({"timestamp": "2026-03-04T10:00:00+00:00", "value": 96.25});
    assert_eq!(checked(reading), (day("2026-03-04"), expected));
    assert_eq!(mapping::blood_oxygen(&spo2("null")), None);
    let without: DailySpo2 = read(r#"{"id":"o-1","day":"2026-03-04","breathing_disturbance_index":null}"#);
    assert_eq!(mapping::blood_oxygen(&without), None);
}

#[test]
fn an_estimate_of_vo2_max() {
    let text = r#"{"id":"v-1","day":"2026-03-04","timestamp":"2026-03-04T07:30:00+02:00","vo2_max":41.5}"#;
    let reading = mapping::vo2_max(&read(text)).expect("a sample");
    let expected = json!({"timestamp": "2026-03-04T07:30:00+02:00", "value": 41.5});
    assert_eq!(checked(reading), (day("2026-03-04"), expected));
    let without: Vo2Max = read(&text.replace("41.5", "null"));
    assert_eq!(mapping::vo2_max(&without), None);
}

#[test]
fn heart_rate() {
    let page: HeartRatePage = read(
        r#"{"data":[{"timestamp":"2026-03-04T23:55:00.000Z","bpm":64,"source":"awake"},
            {"timestamp":"2026-03-05T00:00:00+00:00","bpm":63,"source":"levitating","timestamp_unix":1772668800000},
            {"timestamp":"2026-03-05T00:00:07.250+00:00","bpm":90,"source":"live","producer_timestamp":null}],
            "next_token":"b"}"#,
    );
    assert_eq!(page.next_token.as_deref(), Some("b"));
    let read: Vec<_> = page
        .data
        .iter()
        .map(|sample| checked(mapping::heart_rate(sample)))
        .collect();
    let expected = [
        (
            day("2026-03-04"),
            json!({"timestamp": "2026-03-04T23:55:00+00:00", "value": 64}),
        ),
        (
            day("2026-03-05"),
            json!({"timestamp": "2026-03-05T00:00:00+00:00", "value": 63}),
        ),
        (
            day("2026-03-05"),
            json!({"timestamp": "2026-03-05T00:00:07.250+00:00", "value": 90}),
        ),
    ];
    assert_eq!(read, expected);
}

#[test]
fn workouts() {
    let cycling: Workout = read(
        r#"{"id":"9a8b-0001","day":"2026-03-04","activity":"cycling","start_datetime":"2026-03-04T17:00:00+02:00",
            "end_datetime":"2026-03-04T17:45:00+02:00","intensity":"moderate","source":"confirmed","calories":320.5,
            "distance":15200.0,"label":"To the sea","new_member":{}}"#,
    );
    let expected = json!({
        "provider_id": "9a8b-0001", "calendar_date": "2026-03-04", "title": "To the sea", "timezone_offset": 7200,
        "time_start": "2026-03-04T17:00:00+02:00", "time_end": "2026-03-04T17:45:00+02:00", "calories": 320.5,
        "distance": 15200.0, "sport": {"id": 2, "name": "Cycling", "slug": "cycling"},
    });
    assert_eq!(checked(mapping::workout(&cycling)), (day("2026-03-04"), expected));
    let other: Workout = read(
        r#"{"id":"9a8b-0002","day":"2026-03-04","activity":"caberTossing","start_datetime":"2026-03-04T18:00:00Z",
            "end_datetime":"2026-03-04T18:45:00Z","intensity":"brutal","source":"telepathy","calories":null,
            "distance":null,"label":null}"#,
    );
    let expected = json!({
        "provider_id": "9a8b-0002", "calendar_date": "2026-03-04", "timezone_offset": 0,
        "time_start": "2026-03-04T18:00:00+00:00", "time_end": "2026-03-04T18:45:00+00:00",
        "sport": {"id": 0, "name": "Caber tossing", "slug": "caber_tossing"},
    });
    assert_eq!(checked(mapping::workout(&other)), (day("2026-03-04"), expected));
}

#[test]
fn a_person() {
    let person: PersonalInfo = read(
        r#"{"id":"u-77","age":34,"weight":71.4,"height":1.73,"biological_sex":"female","email":"a@wearlab.example"}"#,
    );
    let readings = mapping::person(&person, day("2026-03-04"));
    check_arrivals(&readings);
    assert!(readings.iter().all(|reading| reading.day == day("2026-03-04")));
    assert_eq!(
        values(&readings, ResourceName::Profile),
        [json!({"height": 173.0, "sex": "female"})]
    );
    assert_eq!(
        readings.len(),
        1,
        "a weight has no time, and would be another one each day"
    );

    let nulls = r#"{"id":"u-77","age":null,"weight":null,"height":null,"biological_sex":null,"email":null}"#;
    assert_eq!(mapping::person(&read(nulls), day("2026-03-04")), []);
    assert_eq!(mapping::person(&read(r#"{"id":"u-77"}"#), day("2026-03-04")), []);
}

#[test]
fn values_are_not_in_debug_output() {
    let person: PersonalInfo = read(r#"{"id":"u-77","weight":71.4,"height":1.73}"#);
    let shown = format!("{:?}", mapping::person(&person, day("2026-03-04")));
    assert!(
        shown.contains("Profile") && !shown.contains("71.4") && !shown.contains("173"),
        "{shown}"
    );
}
