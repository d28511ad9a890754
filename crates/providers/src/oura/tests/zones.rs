//! Tests of clock changes and of travel between zones.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName::{Hrv, Sleep, SleepCycle};

use super::super::generated::models::{DailyActivity, Workout};
use super::super::mapping;
use crate::testing::{check_arrivals, read, values};

/// Returns the readings of a night with a sample of variability each hour.
fn night(day: &str, start: &str, end: &str, hours: usize) -> Vec<Reading> {
    let items = vec!["50"; hours].join(",");
    let phases = "2".repeat(hours * 120);
    let sleep = read(&format!(
        r#"{{"id":"n-1","day":"{day}","type":"long_sleep","bedtime_start":"{start}","bedtime_end":"{end}",
            "time_in_bed":{},"sleep_phase_30_sec":"{phases}",
            "hrv":{{"interval":3600.0,"items":[{items}],"timestamp":"{start}"}}}}"#,
        hours * 3600
    ));
    let readings = mapping::nights(&[sleep], &[], &[]);
    check_arrivals(&readings);
    readings
}

fn sleep(readings: &[Reading]) -> Value {
    values(readings, Sleep).remove(0)
}

fn last_stage_end(readings: &[Reading]) -> Value {
    values(readings, SleepCycle).remove(0)["stage_end_offset_second"].clone()
}

#[test]
fn the_clock_goes_forward() {
    let readings = night(
        "2026-03-29",
        "2026-03-28T23:00:00+01:00",
        "2026-03-29T07:00:00+02:00",
        7,
    );
    let sleep = sleep(&readings);
    assert_eq!(sleep["timezone_offset"], json!(7200));
    assert_eq!((&sleep["duration"], &sleep["light"]), (&json!(25_200), &json!(25_200)));
    assert_eq!(last_stage_end(&readings), json!([25_200]));
    let times: Vec<_> = values(&readings, Hrv)
        .iter()
        .map(|sample| sample["timestamp"].clone())
        .collect();
    assert_eq!((times.len(), &times[6]), (7, &json!("2026-03-29T05:00:00+01:00")));
}

#[test]
fn the_clock_goes_back() {
    let readings = night(
        "2026-10-25",
        "2026-10-24T23:00:00+02:00",
        "2026-10-25T07:00:00+01:00",
        9,
    );
    let sleep = sleep(&readings);
    assert_eq!(sleep["timezone_offset"], json!(3600));
    assert_eq!(
        (&sleep["duration"], &sleep["bedtime_stop"]),
        (&json!(32_400), &json!("2026-10-25T07:00:00+01:00"))
    );
    assert_eq!(last_stage_end(&readings), json!([32_400]));
    // The hour that is there twice: two samples an hour apart.
    let times: Vec<_> = values(&readings, Hrv)
        .iter()
        .map(|sample| sample["timestamp"].clone())
        .collect();
    assert_eq!(
        times[3..5],
        [json!("2026-10-25T02:00:00+02:00"), json!("2026-10-25T03:00:00+02:00")]
    );
}

/// From Tokyo to London: the night begins in one zone, and ends in the other.
#[test]
fn a_night_in_an_aeroplane() {
    let readings = night(
        "2026-03-04",
        "2026-03-04T22:00:00+09:00",
        "2026-03-04T20:00:00+00:00",
        7,
    );
    let sleep = sleep(&readings);
    assert_eq!(sleep["calendar_date"], json!("2026-03-04"));
    assert_eq!(sleep["timezone_offset"], json!(0));
    assert_eq!(last_stage_end(&readings), json!([25_200]));
    let days: Vec<_> = readings
        .iter()
        .filter(|reading| reading.resource == Hrv)
        .map(|reading| reading.day.to_string())
        .collect();
    assert_eq!(
        days,
        [
            "2026-03-04",
            "2026-03-04",
            "2026-03-05",
            "2026-03-05",
            "2026-03-05",
            "2026-03-05",
            "2026-03-05"
        ]
    );
}

/// The provider's day is kept: after a flight over the date line, there are two of one date, or none.
#[test]
fn a_day_is_that_of_the_provider() {
    let activity = |timestamp: &str| -> DailyActivity {
        read(&format!(
            r#"{{"id":"a-1","day":"2026-03-04","timestamp":"{timestamp}","steps":1,"active_calories":1,
                "total_calories":1,"equivalent_walking_distance":1,"low_activity_time":1,"medium_activity_time":1,
                "high_activity_time":1}}"#
        ))
    };
    for (timestamp, offset) in [
        ("2026-03-04T04:00:00+13:00", 46_800),
        ("2026-03-04T04:00:00-10:00", -36_000),
    ] {
        let reading = mapping::activity(&activity(timestamp));
        assert_eq!(
            (&reading.value["calendar_date"], reading.day.to_string()),
            (&json!("2026-03-04"), "2026-03-04".to_owned())
        );
        assert_eq!(reading.value["timezone_offset"], json!(offset));
    }
    let workout: Workout = read(
        r#"{"id":"w-1","day":"2026-03-04","activity":"running","start_datetime":"2026-03-04T22:30:00-08:00",
            "end_datetime":"2026-03-05T00:10:00-08:00"}"#,
    );
    let reading = mapping::workout(&workout);
    check_arrivals(std::slice::from_ref(&reading));
    assert_eq!(
        (reading.day.to_string().as_str(), &reading.value["timezone_offset"]),
        ("2026-03-04", &json!(-28_800))
    );
}
