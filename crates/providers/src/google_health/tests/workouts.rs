//! Tests of workouts.

use serde_json::{Value, json};

use super::super::generated::models::DataPoint;
use super::super::mapping;
use super::{check_arrivals, read};

const RUN: &str = r#"{"name":"users/h1/dataTypes/exercise/dataPoints/e1","exercise":{"interval":{
    "startTime":"2026-03-04T11:02:00Z","startUtcOffset":"3600s","endTime":"2026-03-04T11:35:00Z","endUtcOffset":"3600s"},
    "exerciseType":"RUNNING","displayName":"Run","activeDuration":"1900s","metricsSummary":{"caloriesKcal":412.0,
    "distanceMillimeters":6105400,"steps":"6400","averageHeartRateBeatsPerMinute":"148",
    "averageSpeedMillimetersPerSecond":3210,"elevationGainMillimeters":42000,"heartRateZoneDurations":{
    "lightTime":"120s","moderateTime":"600s","vigorousTime":"900s","peakTime":"280.4s"}},
    "updateTime":"2026-03-04T11:40:00Z","new":1}}"#;

fn value(point: &DataPoint) -> Value {
    let readings = mapping::workouts(std::slice::from_ref(point)).expect("readings");
    check_arrivals(&readings);
    assert_eq!(readings[0].value["calendar_date"], json!(readings[0].day));
    Value::Object(readings[0].value.clone())
}

#[test]
fn a_workout_of_the_documentation() {
    let expected = json!({
        "provider_id": "e1", "calendar_date": "2026-03-04", "title": "Run", "timezone_offset": 3600,
        "time_start": "2026-03-04T12:02:00+01:00", "time_end": "2026-03-04T12:35:00+01:00",
        "sport": {"id": 1, "name": "Running", "slug": "running"}, "moving_time": 1900, "calories": 412.0,
        "distance": 6105.4, "total_elevation_gain": 42.0, "average_speed": 3.21, "steps": 6400, "average_hr": 148,
        "hr_zones": [120, 600, 900, 280],
    });
    assert_eq!(value(&read(RUN)), expected);
}

#[test]
fn a_workout_without_values() {
    let empty = r#"{"name":null,"exercise":{"interval":{"startTime":"2026-03-04T23:02:00Z","endTime":"2026-03-04T23:35:00Z"},
        "displayName":null,"activeDuration":null,"metricsSummary":null,"updateTime":null}}"#;
    let expected = json!({
        "provider_id": "2026-03-04T23:02:00+00:00", "calendar_date": "2026-03-04",
        "time_start": "2026-03-04T23:02:00+00:00", "time_end": "2026-03-04T23:35:00+00:00",
        "sport": {"id": 0, "name": "Other", "slug": "other"},
    });
    assert_eq!(value(&read(empty)), expected);
    assert_eq!(mapping::workouts(&[read(r#"{"name":"x"}"#)]), Ok(Vec::new()));
    assert!(mapping::workouts(&[read(&RUN.replace("1900s", "soon"))]).is_err());
}

#[test]
fn sports_have_the_numbers_of_all_providers() {
    for (theirs, id, slug) in [
        ("BIKING", 2, "cycling"),
        ("WALKING", 3, "walking"),
        ("HIIT", 27, "high_intensity_interval_training"),
        ("WEIGHTLIFTING", 8, "strength_training"),
        ("STRENGTH_TRAINING", 8, "strength_training"),
        ("EXERCISE_TYPE_UNSPECIFIED", 0, "other"),
        ("CABER_TOSSING", 0, "caber_tossing"),
    ] {
        let sport = &value(&read(&RUN.replace("RUNNING", theirs)))["sport"];
        assert_eq!((&sport["id"], &sport["slug"]), (&json!(id), &json!(slug)));
    }
}
