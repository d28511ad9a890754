//! Tests of clock changes and of travel between zones.

use serde_json::json;

use super::super::mapping;
use super::{check_arrivals, read};

/// Returns the day, the ends and the duration of a sleep.
fn sleep(start: (&str, i64), end: (&str, i64)) -> [String; 4] {
    let interval = json!({"startTime": start.0, "startUtcOffset": format!("{}s", start.1), "endTime": end.0,
        "endUtcOffset": format!("{}s", end.1)});
    let readings =
        mapping::sleeps(&[read(&json!({"sleep": {"interval": interval}}).to_string())], &[]).expect("readings");
    check_arrivals(&readings);
    let value = &readings[0].value;
    assert_eq!(value["timezone_offset"], json!(end.1));
    let text = |name: &str| value[name].to_string().trim_matches('"').to_owned();
    [
        text("calendar_date"),
        text("bedtime_start"),
        text("bedtime_stop"),
        text("duration"),
    ]
}

#[test]
fn both_clock_changes() {
    assert_eq!(
        sleep(("2026-03-28T22:00:00Z", 3_600), ("2026-03-29T05:00:00Z", 7_200)),
        [
            "2026-03-29",
            "2026-03-28T23:00:00+01:00",
            "2026-03-29T07:00:00+02:00",
            "25200"
        ]
    );
    assert_eq!(
        sleep(("2026-10-24T21:00:00Z", 7_200), ("2026-10-25T06:00:00Z", 3_600)),
        [
            "2026-10-25",
            "2026-10-24T23:00:00+02:00",
            "2026-10-25T07:00:00+01:00",
            "32400"
        ]
    );
}

/// From Tokyo to London, and over the date line: the day is that of the place where a sleep ends.
#[test]
fn nights_in_an_aeroplane() {
    assert_eq!(
        sleep(("2026-03-04T13:00:00Z", 32_400), ("2026-03-04T20:00:00Z", 0)),
        [
            "2026-03-04",
            "2026-03-04T22:00:00+09:00",
            "2026-03-04T20:00:00+00:00",
            "25200"
        ]
    );
    assert_eq!(
        sleep(("2026-03-04T08:00:00Z", 46_800), ("2026-03-04T15:00:00Z", -36_000)),
        [
            "2026-03-04",
            "2026-03-04T21:00:00+13:00",
            "2026-03-04T05:00:00-10:00",
            "25200"
        ]
    );
}

#[test]
fn a_workout_is_of_the_local_day_of_its_start() {
    for (time, offset, day) in [
        ("2026-03-05T06:30:00Z", "-28800s", "2026-03-04"),
        ("2026-03-04T20:30:00Z", "20700s", "2026-03-05"),
        ("2026-03-28T23:30:00Z", "3600s", "2026-03-29"),
    ] {
        let interval = json!({"startTime": time, "startUtcOffset": offset, "endTime": time});
        let point = json!({"exercise": {"interval": interval}});
        let readings = mapping::workouts(&[read(&point.to_string())]).expect("readings");
        assert_eq!(readings[0].day.to_string(), day);
    }
}
