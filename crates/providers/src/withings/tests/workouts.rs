//! Tests of workouts.

use serde_json::{Value, json};

use super::super::generated::models::{ActivityResponse, ActivitySeries, Workout};
use super::super::mapping;
use super::{check_arrivals, read};

/// Workout of the documentation, in a page.
const PAGE: &str = r#"{"status":0,"body":{"series":[{"id":6001,"category":2,"timezone":"Europe/Oslo","startdate":1772640000,
    "enddate":1772642400,"date":"2026-03-04","modified":1772643000,"deviceid":"dev-2","attrib":7,"data":{"calories":310,
    "distance":6105,"elevation":0,"steps":6800,"hr_average":148,"hr_min":92,"hr_max":171,"hr_zone_0":60,"hr_zone_1":300,
    "hr_zone_2":1500,"hr_zone_3":540,"pause_duration":45,"spo2_average":0,"manual_calories":0,"manual_distance":0}}],
    "more":false,"offset":0}}"#;

fn running() -> Workout {
    let response: ActivityResponse = read(PAGE);
    match response.body.expect("a page").series {
        Some(ActivitySeries::Workouts(mut workouts)) => workouts.remove(0),
        other => panic!("{other:?}"),
    }
}

fn value(workout: &Workout) -> Value {
    let reading = mapping::workout(workout).expect("a reading");
    check_arrivals(std::slice::from_ref(&reading));
    assert_eq!(reading.value["calendar_date"], json!(reading.day));
    Value::Object(reading.value)
}

#[test]
fn a_workout_of_the_documentation() {
    let expected = json!({
        "provider_id": "6001", "calendar_date": "2026-03-04", "timezone_offset": 3600,
        "time_start": "2026-03-04T17:00:00+01:00", "time_end": "2026-03-04T17:40:00+01:00",
        "sport": {"id": 1, "name": "Running", "slug": "running"}, "calories": 310.0, "distance": 6105.0, "steps": 6800,
        "average_hr": 148.0, "max_hr": 171.0, "hr_zones": [60, 300, 1500, 540], "moving_time": 2355,
    });
    assert_eq!(value(&running()), expected);
}

#[test]
fn what_was_not_measured_is_absent_or_as_entered() {
    let zeros = r#"{"id":6002,"category":999,"timezone":null,"startdate":1772640000,"enddate":1772642400,"date":null,
        "modified":null,"deviceid":null,"data":{"calories":0,"distance":0,"steps":0,"hr_average":0,"hr_max":0,
        "hr_zone_0":0,"hr_zone_1":0,"hr_zone_2":0,"hr_zone_3":0,"pause_duration":null,"manual_calories":250,
        "manual_distance":4000}}"#;
    let mut expected = json!({
        "provider_id": "6002", "calendar_date": "2026-03-04",
        "time_start": "2026-03-04T16:00:00+00:00", "time_end": "2026-03-04T16:40:00+00:00",
        "sport": {"id": 0, "name": "Other", "slug": "other"}, "calories": 250.0, "distance": 4000.0, "moving_time": 2400,
    });
    let mut workout: Workout = read(zeros);
    assert_eq!(value(&workout), expected);
    workout.data = None;
    workout.category = None;
    for name in ["calories", "distance"] {
        expected.as_object_mut().expect("an object").remove(name);
    }
    assert_eq!(value(&workout), expected);
}

#[test]
fn sports_have_the_numbers_of_all_providers() {
    let mut workout = running();
    for (category, id, slug) in [
        (1, 3, "walking"),
        (6, 2, "cycling"),
        (7, 4, "swimming"),
        (16, 8, "strength_training"),
        (26, 25, "horseback_riding"),
        (307, 0, "indoor_running"),
        (36, 0, "other"),
    ] {
        workout.category = Some(category);
        let sport = &value(&workout)["sport"];
        assert_eq!((&sport["id"], &sport["slug"]), (&json!(id), &json!(slug)));
    }
}

#[test]
fn a_pause_is_not_longer_than_the_workout() {
    let mut workout = running();
    if let Some(data) = &mut workout.data {
        data.pause_duration = Some(90_000);
    }
    assert_eq!(value(&workout)["moving_time"], json!(0));
}
