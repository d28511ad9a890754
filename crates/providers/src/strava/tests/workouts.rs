//! Tests of workouts and of the athlete.

use chrono::NaiveDate;
use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{Activity, Athlete};
use super::super::mapping;
use super::{check_arrivals, read};

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

/// Returns the day and the value of a reading that is an arrival.
fn checked(reading: Reading) -> (NaiveDate, Value) {
    check_arrivals(std::slice::from_ref(&reading));
    (reading.day, Value::Object(reading.value))
}

/// The summary of a list, with members and values that are not known.
#[test]
fn a_summary() {
    let activities: Vec<Activity> = read(
        r#"[{"id":9900112233,"name":"Lunch loop","athlete":{"id":31337,"mood":1},"sport_type":"Run","type":"Run",
            "start_date":"2026-03-04T11:02:00Z","start_date_local":"2026-03-04T12:02:00Z",
            "timezone":"(GMT+01:00) Europe/Oslo","utc_offset":3600.0,"elapsed_time":1980,"moving_time":1900,
            "distance":6105.4,"total_elevation_gain":42.0,"average_speed":3.21,"max_speed":4.9,"has_heartrate":true,
            "average_heartrate":148.2,"max_heartrate":171.0,"manual":false,"private":false,
            "map":{"id":"a9900112233","summary_polyline":"abc"},"new_member":[{"x":null}]}]"#,
    );
    let expected = json!({
        "provider_id": "9900112233", "calendar_date": "2026-03-04", "title": "Lunch loop", "timezone_offset": 3600,
        "time_start": "2026-03-04T12:02:00+01:00", "time_end": "2026-03-04T12:35:00+01:00",
        "sport": {"id": 1, "name": "Running", "slug": "running"}, "distance": 6105.4, "moving_time": 1900,
        "total_elevation_gain": 42.0, "average_speed": 3.21, "max_speed": 4.9, "average_hr": 148.2, "max_hr": 171.0,
        "map": {"summary_polyline": "abc"},
    });
    assert_eq!(checked(mapping::workout(&activities[0])), (day("2026-03-04"), expected));
}

#[test]
fn the_details_of_a_ride() {
    let ride: Activity = read(
        r#"{"id":12,"name":"","athlete":null,"resource_state":3,"sport_type":"MountainBikeRide","type":"Ride",
            "start_date":"2026-03-05T02:30:00Z","start_date_local":"2026-03-04T18:30:00Z",
            "timezone":"(GMT-08:00) America/Los_Angeles","utc_offset":-28800.0,"elapsed_time":7200,"moving_time":7000,
            "distance":41000.0,"total_elevation_gain":800.0,"elev_high":912.4,"elev_low":-3.0,"average_speed":5.857,
            "max_speed":15.1,"has_heartrate":false,"average_watts":180.5,"max_watts":612,"weighted_average_watts":201,
            "device_watts":true,"kilojoules":1263.5,"calories":1408.0,"device_name":"Edge","trainer":false,
            "map":{"id":"a12","summary_polyline":"abc","polyline":"abcdef"}}"#,
    );
    let expected = json!({
        "provider_id": "12", "calendar_date": "2026-03-04", "title": "", "timezone_offset": -28800,
        "time_start": "2026-03-04T18:30:00-08:00", "time_end": "2026-03-04T20:30:00-08:00",
        "sport": {"id": 0, "name": "Mountain bike ride", "slug": "mountain_bike_ride"}, "distance": 41000.0,
        "moving_time": 7000, "total_elevation_gain": 800.0, "elev_high": 912.4, "elev_low": -3.0,
        "average_speed": 5.857, "max_speed": 15.1, "average_watts": 180.5, "max_watts": 612.0,
        "weighted_average_watts": 201.0, "device_watts": 180.5, "calories": 1408.0,
        "map": {"summary_polyline": "abc", "polyline": "abcdef"},
    });
    assert_eq!(checked(mapping::workout(&ride)), (day("2026-03-04"), expected));
}

/// The power of a ride may be an estimate, and its energy the work.
#[test]
fn an_estimated_power_and_the_work_of_a_ride() {
    let ride = |device_watts: &str, calories: &str| -> Activity {
        read(&format!(
            r#"{{"id":12,"start_date":"2026-03-05T02:30:00Z","elapsed_time":60,"average_watts":180.5,
                "device_watts":{device_watts},"kilojoules":1263.5,"calories":{calories}}}"#
        ))
    };
    for (device_watts, calories, measured, energy) in [
        ("true", "1408", json!(180.5), 1408.0),
        ("false", "null", Value::Null, 1263.5),
        ("null", "0", Value::Null, 0.0),
    ] {
        let (_, value) = checked(mapping::workout(&ride(device_watts, calories)));
        assert_eq!(
            (&value["device_watts"], &value["calories"]),
            (&measured, &json!(energy))
        );
        assert_eq!(value["average_watts"], json!(180.5));
    }
}

/// All that may be null is null, and then all that may be missing is missing.
#[test]
fn an_activity_without_values() {
    let nulls: Activity = read(
        r#"{"id":13,"name":null,"athlete":null,"resource_state":null,"sport_type":null,"type":null,
            "start_date":"2026-03-04T23:10:00Z","start_date_local":null,"timezone":null,"utc_offset":null,
            "elapsed_time":0,"moving_time":null,"distance":null,"total_elevation_gain":null,"elev_high":null,
            "elev_low":null,"average_speed":null,"max_speed":null,"has_heartrate":null,"average_heartrate":null,
            "max_heartrate":null,"average_cadence":null,"average_watts":null,"max_watts":null,
            "weighted_average_watts":null,"device_watts":null,"kilojoules":null,"calories":null,"description":null,
            "device_name":null,"map":null,"manual":null,"private":null,"trainer":null,"commute":null,
            "external_id":null,"upload_id":null}"#,
    );
    let expected = json!({
        "provider_id": "13", "calendar_date": "2026-03-04", "timezone_offset": 0,
        "time_start": "2026-03-04T23:10:00+00:00", "time_end": "2026-03-04T23:10:00+00:00",
    });
    assert_eq!(checked(mapping::workout(&nulls)), (day("2026-03-04"), expected.clone()));
    let missing: Activity = read(r#"{"id":13,"start_date":"2026-03-04T23:10:00Z","elapsed_time":0}"#);
    assert_eq!(checked(mapping::workout(&missing)).1, expected);
    // Indoors, lines are empty.
    let indoors: Activity = read(
        r#"{"id":13,"start_date":"2026-03-04T23:10:00Z","elapsed_time":0,
            "map":{"id":null,"summary_polyline":"","polyline":null}}"#,
    );
    assert_eq!(checked(mapping::workout(&indoors)).1, expected);
}

#[test]
fn sports() {
    let sport = |names: &str| {
        let activity: Activity = read(&format!(
            r#"{{"id":1,"start_date":"2026-03-04T10:00:00Z","elapsed_time":60{names}}}"#
        ));
        checked(mapping::workout(&activity)).1["sport"].clone()
    };
    let running = json!({"id": 1, "name": "Running", "slug": "running"});
    assert_eq!(sport(r#","sport_type":"Run","type":"Ride""#), running);
    assert_eq!(sport(r#","sport_type":null,"type":"Run""#), running);
    let invented = json!({"id": 0, "name": "Underwater chess", "slug": "underwater_chess"});
    assert_eq!(sport(r#","sport_type":"UnderwaterChess""#), invented);
    assert_eq!(sport(""), Value::Null);
}

#[test]
fn an_athlete() {
    let athlete = |sex: &str| -> Athlete {
        read(&format!(
            r#"{{"id":31337,"resource_state":3,"firstname":"Kim","lastname":"Berg","sex":{sex},"weight":71.5,
                "ftp":null,"measurement_preference":"meters","new_member":1}}"#
        ))
    };
    for (sex, expected) in [(r#""F""#, "female"), (r#""M""#, "male"), (r#""X""#, "X")] {
        let reading = mapping::athlete(&athlete(sex), day("2026-03-04")).expect("a profile");
        assert_eq!(reading.resource, ResourceName::Profile);
        assert_eq!(checked(reading), (day("2026-03-04"), json!({"sex": expected})));
    }
    assert_eq!(mapping::athlete(&athlete("null"), day("2026-03-04")), None);
    assert_eq!(mapping::athlete(&read(r#"{"id":31337}"#), day("2026-03-04")), None);
}
