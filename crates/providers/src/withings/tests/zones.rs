//! Tests of days and offsets at clock changes and after travel.

use serde_json::json;
use wearlab_models::ResourceName::Body;

use super::super::mapping;
use super::{check_arrivals, read, values};

/// Returns the day and the first time of the weight of a time in a zone.
fn weight(zone: Option<&str>, date: i64) -> (String, String) {
    let group = json!({"grpid": 1, "date": date, "measures": [{"type": 1, "value": 70, "unit": 0}]});
    let readings = mapping::body(&read(&group.to_string()), zone).expect("readings");
    check_arrivals(&readings);
    let day = readings[0].day.to_string();
    assert_eq!(values(&readings, Body)[0]["calendar_date"], json!(day));
    (day, readings[1].value["timestamp"].as_str().expect("a time").to_owned())
}

#[test]
fn a_group_is_of_the_day_where_the_person_is() {
    // 22:30 UTC of 4 March.
    let date = 1_772_663_400;
    for (zone, day, time) in [
        (Some("Europe/Oslo"), "2026-03-04", "2026-03-04T23:30:00+01:00"),
        (Some("Asia/Tokyo"), "2026-03-05", "2026-03-05T07:30:00+09:00"),
        (Some("Pacific/Kiritimati"), "2026-03-05", "2026-03-05T12:30:00+14:00"),
        (Some("America/Los_Angeles"), "2026-03-04", "2026-03-04T14:30:00-08:00"),
        (Some("Asia/Kathmandu"), "2026-03-05", "2026-03-05T04:15:00+05:45"),
        (None, "2026-03-04", "2026-03-04T22:30:00+00:00"),
    ] {
        assert_eq!(weight(zone, date), (day.to_owned(), time.to_owned()));
    }
}

#[test]
fn minutes_around_midnight_of_both_clock_changes() {
    let oslo = Some("Europe/Oslo");
    for (date, day, time) in [
        // The day of 23 hours begins in the offset of winter, and ends in that of summer.
        (1_774_738_740, "2026-03-28", "2026-03-28T23:59:00+01:00"),
        (1_774_738_800, "2026-03-29", "2026-03-29T00:00:00+01:00"),
        (1_774_821_540, "2026-03-29", "2026-03-29T23:59:00+02:00"),
        (1_774_821_600, "2026-03-30", "2026-03-30T00:00:00+02:00"),
        // The day of 25 hours, whose hour from 02:00 is there twice.
        (1_792_879_200, "2026-10-25", "2026-10-25T00:00:00+02:00"),
        (1_792_888_200, "2026-10-25", "2026-10-25T02:30:00+02:00"),
        (1_792_891_800, "2026-10-25", "2026-10-25T02:30:00+01:00"),
        (1_792_969_140, "2026-10-25", "2026-10-25T23:59:00+01:00"),
    ] {
        assert_eq!(weight(oslo, date), (day.to_owned(), time.to_owned()));
    }
}

#[test]
fn a_night_of_a_clock_change() {
    for (start, end, day, times, seconds) in [
        (
            1_774_735_200,
            1_774_760_400,
            "2026-03-29",
            ["2026-03-28T23:00:00+01:00", "2026-03-29T07:00:00+02:00"],
            25_200,
        ),
        (
            1_792_875_600,
            1_792_908_000,
            "2026-10-25",
            ["2026-10-24T23:00:00+02:00", "2026-10-25T07:00:00+01:00"],
            32_400,
        ),
    ] {
        let night = json!({"id": 1, "timezone": "Europe/Oslo", "startdate": start, "enddate": end, "date": day});
        let night = read(&night.to_string());
        let sleep = mapping::sleep(&night).expect("a reading");
        check_arrivals(std::slice::from_ref(&sleep));
        assert_eq!(
            [&sleep.value["bedtime_start"], &sleep.value["bedtime_stop"]],
            [&json!(times[0]), &json!(times[1])]
        );
        assert_eq!(
            (sleep.day.to_string().as_str(), &sleep.value["duration"]),
            (day, &json!(seconds))
        );
        let stage = json!({"startdate": start, "enddate": end, "state": 1});
        let cycle = mapping::sleep_cycle(&night, &[read(&stage.to_string())])
            .expect("a cycle")
            .expect("stages");
        assert_eq!(cycle.value["stage_end_offset_second"], json!([seconds]));
    }
}

/// The day is that of the provider, also where the clock of the zone has another one.
#[test]
fn a_flight_over_the_date_line() {
    let day = |zone: &str| {
        let activity = json!({"date": "2026-03-04", "timezone": zone, "steps": 1});
        let reading = mapping::activity(&read(&activity.to_string())).expect("a reading");
        (reading.day.to_string(), reading.value["timezone_offset"].clone())
    };
    assert_eq!(day("Pacific/Auckland"), ("2026-03-04".to_owned(), json!(46_800)));
    assert_eq!(day("Pacific/Honolulu"), ("2026-03-04".to_owned(), json!(-36_000)));
    let night = json!({"id": 1, "timezone": "Pacific/Honolulu", "startdate": 1_772_571_600, "enddate": 1_772_600_400,
        "date": "2026-03-05"});
    let sleep = mapping::sleep(&read(&night.to_string())).expect("a reading");
    assert_eq!(
        (sleep.day.to_string().as_str(), &sleep.value["bedtime_stop"]),
        ("2026-03-05", &json!("2026-03-03T19:00:00-10:00"))
    );
}

#[test]
fn days_of_clock_changes_have_the_offset_of_noon() {
    let offset = |day: &str| {
        let activity = json!({"date": day, "timezone": "Europe/Oslo"});
        mapping::activity(&read(&activity.to_string()))
            .expect("a reading")
            .value["timezone_offset"]
            .clone()
    };
    let offsets = ["2026-03-28", "2026-03-29", "2026-10-24", "2026-10-25"].map(offset);
    assert_eq!(offsets, [json!(3_600), json!(7_200), json!(7_200), json!(3_600)]);
}
