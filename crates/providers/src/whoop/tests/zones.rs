//! Tests of days: cycles from sleep to sleep, clock changes, and travel between zones.

use serde_json::{Value, json};
use wearlab_models::ResourceName::{Activity, Hrv, Sleep, Workouts};

use super::super::generated::models::{self, Cycle, Recovery, Workout};
use super::super::mapping;
use super::{check_arrivals, read, values};

const TIMES: &str = r#""user_id":4242,"created_at":"2026-03-04T06:50:00Z","updated_at":"2026-03-04T06:50:00Z""#;
const ID: &str = "0d4f1c1e-0000-4000-8000-000000000001";

fn cycle(start: &str, end: &str, offset: &str) -> Cycle {
    read(&format!(
        r#"{{"id":1,{TIMES},"start":"{start}","end":{end},"timezone_offset":"{offset}","score_state":"SCORED",
            "score":{{"strain":1.0,"kilojoule":8368.0,"average_heart_rate":66,"max_heart_rate":151}}}}"#
    ))
}

fn night(start: &str, end: &str, offset: &str) -> models::Sleep {
    read(&format!(
        r#"{{"id":"{ID}","cycle_id":1,{TIMES},"start":"{start}","end":"{end}","timezone_offset":"{offset}",
            "nap":false,"score_state":"UNSCORABLE"}}"#
    ))
}

fn recovery() -> Recovery {
    read(&format!(
        r#"{{"cycle_id":1,"sleep_id":"{ID}",{TIMES},"score_state":"SCORED","score":{{"user_calibrating":false,
            "recovery_score":1,"resting_heart_rate":50,"hrv_rmssd_milli":40}}}}"#
    ))
}

/// Returns the activity, the sleep and the sample of a cycle with its night.
fn readings(cycle: Cycle, night: models::Sleep) -> (Value, Value, Value) {
    let readings = mapping::cycles(&[cycle], &[night], &[recovery()]);
    check_arrivals(&readings);
    let days: std::collections::HashSet<_> = readings.iter().map(|reading| reading.day).collect();
    assert_eq!(days.len(), 1, "the cycle, its night and the samples are of one day");
    let one = |resource| values(&readings, resource).remove(0);
    (one(Activity), one(Sleep), one(Hrv))
}

/// The offset is that of the end of the night: 01:00 before the change, 02:00 after it.
#[test]
fn the_clock_goes_forward() {
    let cycle = cycle("2026-03-28T22:00:00Z", "null", "+02:00");
    let (activity, sleep, hrv) = readings(cycle, night("2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z", "+02:00"));
    assert_eq!(activity["calendar_date"], json!("2026-03-29"));
    assert_eq!(
        (&sleep["timezone_offset"], &sleep["duration"]),
        (&json!(7_200), &json!(25_200))
    );
    assert_eq!(sleep["bedtime_start"], json!("2026-03-29T00:00:00+02:00"));
    assert_eq!(hrv["timestamp"], json!("2026-03-29T07:00:00+02:00"));
}

/// A night of 23:30 to 00:30 in the hour that is there twice has its times in order.
#[test]
fn the_clock_goes_back() {
    let cycle = cycle("2026-10-24T21:00:00Z", "null", "+01:00");
    let (activity, sleep, _) = readings(cycle, night("2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z", "+01:00"));
    assert_eq!(activity["calendar_date"], json!("2026-10-25"));
    assert_eq!(
        (&sleep["timezone_offset"], &sleep["duration"]),
        (&json!(3_600), &json!(32_400))
    );
    assert_eq!(sleep["bedtime_stop"], json!("2026-10-25T07:00:00+01:00"));
    let workout: Workout = read(&format!(
        r#"{{"id":"{ID}",{TIMES},"start":"2026-10-25T00:30:00Z","end":"2026-10-25T01:30:00Z",
            "timezone_offset":"+02:00","score_state":"UNSCORABLE"}}"#
    ));
    let reading = mapping::workout(&workout);
    check_arrivals(std::slice::from_ref(&reading));
    let value = values(&[reading], Workouts).remove(0);
    assert_eq!(
        (&value["time_start"], &value["time_end"]),
        (&json!("2026-10-25T02:30:00+02:00"), &json!("2026-10-25T03:30:00+02:00"))
    );
}

/// From Tokyo to San Francisco: the day before is lived twice, and the cycle is that of the offset of its night.
#[test]
fn a_night_in_an_aeroplane() {
    let cycle = cycle("2026-03-04T13:00:00Z", r#""2026-03-05T14:00:00Z""#, "-08:00");
    let (activity, sleep, hrv) = readings(cycle, night("2026-03-04T13:00:00Z", "2026-03-04T20:00:00Z", "+09:00"));
    assert_eq!(sleep["bedtime_stop"], json!("2026-03-05T05:00:00+09:00"));
    assert_eq!(hrv["timestamp"], sleep["bedtime_stop"]);
    assert_eq!(activity["calendar_date"], json!("2026-03-05"));
    assert_eq!(activity["timezone_offset"], json!(-28_800));
}

/// The day of a night is that of its end in the time of the user, also where it is another one in UTC.
#[test]
fn days_that_are_others_in_utc() {
    for (start, end, offset, day) in [
        ("2026-03-03T09:00:00Z", "2026-03-03T16:00:00Z", "+13:00", "2026-03-04"),
        ("2026-03-04T09:00:00Z", "2026-03-04T17:00:00Z", "-11:00", "2026-03-04"),
        ("2026-03-03T20:00:00Z", "2026-03-04T01:00:00Z", "-03:30", "2026-03-03"),
        ("2026-03-03T23:00:00Z", "2026-03-04T06:00:00Z", "Z", "2026-03-04"),
        ("2026-03-03T18:00:00Z", "2026-03-04T00:30:00Z", "+05:45", "2026-03-04"),
    ] {
        let (activity, sleep, _) = readings(cycle(start, "null", offset), night(start, end, offset));
        assert_eq!(
            (&activity["calendar_date"], &sleep["calendar_date"]),
            (&json!(day), &json!(day)),
            "{offset}"
        );
    }
}

/// A cycle whose night is not there, such as one that was deleted: its day does not depend on its end.
#[test]
fn a_cycle_without_a_night() {
    for (start, day) in [
        ("2026-03-03T21:30:00Z", "2026-03-04"),
        ("2026-03-03T23:30:00Z", "2026-03-04"),
        ("2026-03-04T08:00:00Z", "2026-03-04"),
        ("2026-03-04T11:30:00Z", "2026-03-05"),
    ] {
        for end in ["null", r#""2026-03-06T08:00:00Z""#] {
            let readings = mapping::cycles(&[cycle(start, end, "+01:00")], &[], &[]);
            check_arrivals(&readings);
            assert_eq!(readings[0].day.to_string(), day, "{start}");
            let value = values(&readings, Activity).remove(0);
            assert_eq!(value["calendar_date"], json!(day));
            assert_eq!(value["heart_rate"], json!({"avg_bpm": 66, "max_bpm": 151}));
        }
    }
}

#[test]
fn an_offset_that_cannot_be_read() {
    for offset in ["", "Europe/Berlin", "+25:00", "PT1H"] {
        let start = "2026-03-03T22:00:00Z";
        let (activity, sleep, hrv) = readings(
            cycle(start, "null", offset),
            night(start, "2026-03-04T06:00:00Z", offset),
        );
        assert_eq!(
            (activity.get("timezone_offset"), sleep.get("timezone_offset")),
            (None, None),
            "{offset}"
        );
        assert_eq!(sleep["bedtime_stop"], json!("2026-03-04T06:00:00+00:00"));
        assert_eq!(hrv["timestamp"], sleep["bedtime_stop"]);
    }
}
