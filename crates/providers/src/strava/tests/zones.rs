//! Tests of clock changes and of travel between zones.

use serde_json::{Value, json};
use wearlab_models::ResourceName::{Heartrate, Workouts};

use super::super::generated::models::Activity;
use super::super::mapping;
use super::{check_arrivals, read, values};

/// Returns the day, the workout, and the times of its samples, one each half an hour.
fn workout(times: &str) -> (String, Value, Vec<Value>) {
    let activity: Activity = read(&format!(r#"{{"id":1,"elapsed_time":5400,{times}}}"#));
    let mut readings = vec![mapping::workout(&activity)];
    let streams = read(r#"{"time":{"data":[0,1800,3600,5400]},"heartrate":{"data":[100,101,102,103]}}"#);
    readings.extend(mapping::samples(&activity, &streams));
    check_arrivals(&readings);
    let samples = values(&readings, Heartrate);
    let samples = samples.iter().map(|sample| sample["timestamp"].clone());
    let samples = samples.collect();
    (
        readings[0].day.to_string(),
        values(&readings, Workouts).remove(0),
        samples,
    )
}

/// The clock goes forward from 02:00 to 03:00: the offset is that of the start.
#[test]
fn the_clock_goes_forward() {
    let (day, value, samples) = workout(
        r#""start_date":"2026-03-29T00:30:00Z","start_date_local":"2026-03-29T01:30:00Z",
           "timezone":"(GMT+01:00) Europe/Oslo","utc_offset":3600.0"#,
    );
    assert_eq!((day.as_str(), &value["timezone_offset"]), ("2026-03-29", &json!(3600)));
    assert_eq!(value["time_start"], json!("2026-03-29T01:30:00+01:00"));
    assert_eq!(
        value["time_end"],
        json!("2026-03-29T03:00:00+01:00"),
        "04:00 by the new clock"
    );
    assert_eq!(samples[3], json!("2026-03-29T03:00:00+01:00"));
}

/// 02:30 is there twice: the offset tells which one it was. The text of the zone has the standard offset.
#[test]
fn the_clock_goes_back() {
    for (start, offset, expected) in [
        ("2026-10-25T00:30:00Z", 7200, "2026-10-25T02:30:00+02:00"),
        ("2026-10-25T01:30:00Z", 3600, "2026-10-25T02:30:00+01:00"),
    ] {
        let (day, value, samples) = workout(&format!(
            r#""start_date":"{start}","start_date_local":"2026-10-25T02:30:00Z",
               "timezone":"(GMT+01:00) Europe/Oslo","utc_offset":{offset}.0"#
        ));
        assert_eq!(
            (day.as_str(), &value["timezone_offset"]),
            ("2026-10-25", &json!(offset))
        );
        assert_eq!(
            (&value["time_start"], &samples[0]),
            (&json!(expected), &json!(expected))
        );
    }
}

/// The local time has a false `Z`: in UTC, these are other days.
#[test]
fn a_day_is_that_of_the_person() {
    for (start, local, offset) in [
        ("2026-03-05T07:30:00Z", "2026-03-04T20:30:00Z", -39_600),
        ("2026-03-03T11:00:00Z", "2026-03-04T00:00:00Z", 46_800),
        ("2026-03-04T18:14:59Z", "2026-03-04T23:59:59Z", 20_700),
    ] {
        let (day, value, _) = workout(&format!(
            r#""start_date":"{start}","start_date_local":"{local}","utc_offset":{offset}.0"#
        ));
        assert_eq!(
            (day.as_str(), &value["timezone_offset"]),
            ("2026-03-04", &json!(offset)),
            "{local}"
        );
        assert_eq!(value["calendar_date"], json!("2026-03-04"));
    }
}

/// Without `utc_offset`, the difference of the two times is the offset; without both, there is none.
#[test]
fn an_offset_that_is_missing() {
    let local = r#""start_date":"2026-03-05T02:30:00Z","start_date_local":"2026-03-04T18:30:00Z""#;
    for times in [
        local.to_owned(),
        format!(r#"{local},"utc_offset":null"#),
        format!(r#"{local},"utc_offset":1e9"#),
    ] {
        let (day, value, _) = workout(&times);
        assert_eq!(
            (day.as_str(), &value["timezone_offset"]),
            ("2026-03-04", &json!(-28_800))
        );
        assert_eq!(value["time_start"], json!("2026-03-04T18:30:00-08:00"));
    }
    let (day, value, _) = workout(r#""start_date":"2026-03-05T02:30:00Z","utc_offset":-28800"#);
    assert_eq!(
        (day.as_str(), &value["calendar_date"]),
        ("2026-03-04", &json!("2026-03-04"))
    );
    let (day, value, _) = workout(r#""start_date":"2026-03-05T02:30:00Z""#);
    assert_eq!((day.as_str(), &value["timezone_offset"]), ("2026-03-05", &json!(0)));
}

/// A workout that passes midnight belongs to the day of its start, and its samples to their own days.
#[test]
fn a_workout_that_passes_midnight() {
    let activity: Activity = read(
        r#"{"id":1,"elapsed_time":3600,"start_date":"2026-03-04T22:30:00Z","start_date_local":"2026-03-04T23:30:00Z",
            "utc_offset":3600.0}"#,
    );
    let streams = read(r#"{"time":{"data":[0,1799,1800]},"heartrate":{"data":[100,101,102]}}"#);
    let samples = mapping::samples(&activity, &streams);
    check_arrivals(&samples);
    let days: Vec<_> = samples.iter().map(|sample| sample.day.to_string()).collect();
    assert_eq!(days, ["2026-03-04", "2026-03-04", "2026-03-05"]);
    assert_eq!(mapping::day(&activity).to_string(), "2026-03-04");
}
