//! Tests of days of activity.

use serde_json::{Value, json};

use super::super::generated::models::{Activity, ActivityResponse};
use super::super::mapping;
use super::{check_arrivals, read};

/// Response of the documentation, with a member that is not in it.
const PAGE: &str = r#"{"status":0,"body":{"activities":[{"date":"2026-03-04","timezone":"Europe/Oslo","deviceid":"dev-2",
    "brand":1,"is_tracker":true,"modified":1772650000,"model":"ScanWatch","modelid":93,"steps":8123,"distance":5920.5,
    "elevation":4,"soft":5400,"moderate":1800,"intense":300,"calories":312.4,"totalcalories":2190.8,"hr_average":68,
    "hr_min":49,"hr_max":151,"hr_zone_0":80000,"hr_zone_1":3000,"hr_zone_2":600,"hr_zone_3":60,"active":7500}],
    "more":false,"offset":0}}"#;

fn day() -> Activity {
    let response: ActivityResponse = read(PAGE);
    response.body.expect("a page").activities.remove(0)
}

fn value(day: &Activity) -> Option<Value> {
    let reading = mapping::activity(day)?;
    check_arrivals(std::slice::from_ref(&reading));
    assert_eq!(reading.day, day.date);
    Some(Value::Object(reading.value))
}

#[test]
fn a_day_of_the_documentation() {
    let expected = json!({
        "calendar_date": "2026-03-04", "time_zone": "Europe/Oslo", "timezone_offset": 3600, "calories_total": 2190.8,
        "calories_active": 312.4, "steps": 8123, "distance": 5920.5, "low": 90.0, "medium": 30.0, "high": 5.0,
        "floors_climbed": 4, "heart_rate": {"avg_bpm": 68.0, "min_bpm": 49.0, "max_bpm": 151.0},
    });
    assert_eq!(value(&day()), Some(expected));
}

#[test]
fn a_day_without_values() {
    let nulls = r#"{"date":"2026-03-04","timezone":null,"modified":null,"deviceid":null,"brand":null,"is_tracker":null,
        "model":null,"modelid":null,"steps":null,"distance":null,"elevation":null,"soft":null,"moderate":null,
        "intense":null,"calories":null,"totalcalories":null,"hr_average":null,"hr_min":null,"hr_max":null,
        "hr_zone_0":null,"hr_zone_1":null,"hr_zone_2":null,"hr_zone_3":null}"#;
    let expected = Some(json!({"calendar_date": "2026-03-04"}));
    assert_eq!(value(&read(nulls)), expected);
    assert_eq!(value(&read(r#"{"date":"2026-03-04"}"#)), expected);
    let unknown: Activity = read(r#"{"date":"2026-03-04","timezone":"Mars/Olympus","steps":0,"hr_average":0}"#);
    let expected = json!({"calendar_date": "2026-03-04", "time_zone": "Mars/Olympus", "steps": 0});
    assert_eq!(value(&unknown), Some(expected));
}

#[test]
fn copies_of_other_services_are_skipped() {
    let mut day = day();
    for (brand, is_kept) in [(Some(18), false), (Some(1), true), (Some(7), true), (None, true)] {
        day.brand = brand;
        assert_eq!(mapping::activity(&day).is_some(), is_kept, "{brand:?}");
    }
}

#[test]
fn days_that_no_device_counted_are_of_the_app() {
    let mut day = day();
    for (is_tracker, source) in [(Some(true), None), (Some(false), Some("app")), (None, None)] {
        day.is_tracker = is_tracker;
        assert_eq!(mapping::activity(&day).map(|reading| reading.source_type), Some(source));
    }
}
