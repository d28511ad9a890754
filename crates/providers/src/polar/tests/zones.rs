//! Tests of clock changes and of travel between zones.

use serde_json::{Value, json};
use wearlab_models::ResourceName::{Heartrate, Hrv, Sleep, SleepCycle, Steps, Workouts};

use super::super::mapping::{self, Clocks};
use super::{check_arrivals, clocks, read, values};

/// Returns the sleep, the times of the samples of its recharge, and the offsets of its stages, all at the same clock times.
fn night(date: &str, start: &str, end: &str, times: &[&str]) -> (Value, Vec<String>, Value) {
    let stages = times
        .iter()
        .enumerate()
        .map(|(index, time)| format!(r#""{time}":{}"#, [2, 4][index % 2]));
    let stages = stages.collect::<Vec<_>>().join(",");
    let sleep = read(&format!(
        r#"{{"date":"{date}","sleep_start_time":"{start}","sleep_end_time":"{end}","hypnogram":{{{stages}}}}}"#
    ));
    let samples = times
        .iter()
        .map(|time| format!(r#""{time}":50"#))
        .collect::<Vec<_>>()
        .join(",");
    let recharge = read(&format!(r#"{{"date":"{date}","hrv_samples":{{{samples}}}}}"#));
    let readings = mapping::nights(&[sleep], &[recharge], &[], &Clocks::default());
    let readings: Option<Vec<_>> = readings.into_iter().collect();
    let readings = readings.expect("times").concat();
    check_arrivals(&readings);
    let samples = values(&readings, Hrv);
    let text = |sample: &Value| sample["timestamp"].as_str().expect("a time").to_owned();
    let cycle = values(&readings, SleepCycle).remove(0);
    (
        values(&readings, Sleep).remove(0),
        samples.iter().map(text).collect(),
        cycle["stage_start_offset_second"].clone(),
    )
}

/// From 02:00 to 03:00 in Oslo: the times of the clock are those of seven hours, not of eight.
#[test]
fn the_clock_goes_forward() {
    let (sleep, samples, stages) = night(
        "2026-03-29",
        "2026-03-28T23:00:00+01:00",
        "2026-03-29T07:00:00+02:00",
        &["23:00", "01:55", "03:05", "06:00"],
    );
    assert_eq!(
        (&sleep["duration"], &sleep["timezone_offset"]),
        (&json!(25_200), &json!(7200))
    );
    let expected = [
        "2026-03-28T23:00:00+01:00",
        "2026-03-29T01:55:00+01:00",
        "2026-03-29T03:05:00+02:00",
        "2026-03-29T06:00:00+02:00",
    ];
    assert_eq!(samples, expected);
    assert_eq!(stages, json!([0, 10_500, 11_100, 21_600]));
}

/// From 03:00 to 02:00 in Oslo: of the times that are there twice, the first is meant.
#[test]
fn the_clock_goes_back() {
    let (sleep, samples, stages) = night(
        "2026-10-25",
        "2026-10-24T23:00:00+02:00",
        "2026-10-25T07:00:00+01:00",
        &["23:00", "02:30", "03:05", "06:00"],
    );
    assert_eq!(
        (&sleep["duration"], &sleep["timezone_offset"]),
        (&json!(32_400), &json!(3600))
    );
    let expected = [
        "2026-10-24T23:00:00+02:00",
        "2026-10-25T02:30:00+02:00",
        "2026-10-25T03:05:00+01:00",
        "2026-10-25T06:00:00+01:00",
    ];
    assert_eq!(samples, expected);
    assert_eq!(stages, json!([0, 12_600, 18_300, 28_800]));
}

/// A night that begins in the hour that is there twice: earlier times of the clock are those after the change.
#[test]
fn a_night_from_the_hour_that_is_there_twice() {
    let (_, samples, _) = night(
        "2026-10-25",
        "2026-10-25T02:10:00+02:00",
        "2026-10-25T07:00:00+01:00",
        &["02:05", "02:15"],
    );
    let mut samples = samples;
    samples.sort();
    assert_eq!(samples, ["2026-10-25T02:05:00+01:00", "2026-10-25T02:15:00+02:00"]);
}

/// In New York, the clock changes at 02:00.
#[test]
fn clock_changes_in_america() {
    let (_, samples, _) = night(
        "2026-03-08",
        "2026-03-07T23:00:00-05:00",
        "2026-03-08T07:00:00-04:00",
        &["01:55", "03:05"],
    );
    assert_eq!(samples, ["2026-03-08T01:55:00-05:00", "2026-03-08T03:05:00-04:00"]);
    let (_, samples, _) = night(
        "2026-11-01",
        "2026-10-31T23:00:00-04:00",
        "2026-11-01T07:00:00-05:00",
        &["01:30", "02:05"],
    );
    assert_eq!(samples, ["2026-11-01T01:30:00-04:00", "2026-11-01T02:05:00-05:00"]);
}

/// From Tokyo to London: the watch keeps its time until the end of the night.
#[test]
fn a_night_in_an_aeroplane() {
    let (sleep, samples, stages) = night(
        "2026-03-04",
        "2026-03-04T22:00:00+09:00",
        "2026-03-04T20:00:00+00:00",
        &["22:00", "23:59", "03:00"],
    );
    assert_eq!(sleep["calendar_date"], json!("2026-03-04"), "the day of the provider");
    assert_eq!(
        (&sleep["duration"], &sleep["timezone_offset"]),
        (&json!(25_200), &json!(0))
    );
    let expected = [
        "2026-03-04T22:00:00+09:00",
        "2026-03-04T23:59:00+09:00",
        "2026-03-05T03:00:00+09:00",
    ];
    assert_eq!(samples, expected);
    assert_eq!(stages, json!([0, 7_140, 18_000]));
}

/// Returns the time of a sample of heart rate on a day.
fn heart_rate(date: &str, time: &str, clocks: &Clocks) -> String {
    let day = read(&format!(
        r#"{{"date":"{date}","heart_rate_samples":[{{"heart_rate":63,"sample_time":"{time}"}}]}}"#
    ));
    let readings: Option<Vec<_>> = mapping::continuous_heart_rate(&day, clocks).into_iter().collect();
    let readings = readings.expect("times");
    assert_eq!(readings[0].day.to_string(), date, "the day is that of the provider");
    values(&readings, Heartrate)[0]["timestamp"]
        .as_str()
        .expect("a time")
        .to_owned()
}

#[test]
fn days_of_clock_changes() {
    let spring = clocks(&[("2026-03-29", "2026-03-28T23:00:00+01:00", "2026-03-29T07:00:00+02:00")]);
    for (time, offset) in [
        ("00:30:00", "+01:00"),
        ("01:59:59", "+01:00"),
        ("03:00:00", "+02:00"),
        ("23:00:00", "+02:00"),
    ] {
        assert_eq!(
            heart_rate("2026-03-29", time, &spring),
            format!("2026-03-29T{time}{offset}")
        );
    }
    let autumn = clocks(&[("2026-10-25", "2026-10-24T23:00:00+02:00", "2026-10-25T07:00:00+01:00")]);
    for (time, offset) in [
        ("00:30:00", "+02:00"),
        ("02:30:00", "+02:00"),
        ("03:00:00", "+01:00"),
        ("23:00:00", "+01:00"),
    ] {
        assert_eq!(
            heart_rate("2026-10-25", time, &autumn),
            format!("2026-10-25T{time}{offset}")
        );
    }
    let step = r#"{"start_time":"2026-03-29T00:00:00","samples":{"steps":{"interval_ms":900000,
        "samples":[{"steps":5,"timestamp":"2026-03-29T01:50:00"}]}}}"#;
    let readings = mapping::activity(&read(step), &spring).expect("times");
    check_arrivals(&readings);
    assert_eq!(
        values(&readings, Steps)[0]["end"],
        json!("2026-03-29T02:05:00+01:00"),
        "03:05 by the new clock"
    );
}

/// A day without a night has the offset of the night before it, or else of the one after it, up to a week away.
#[test]
fn days_without_a_night() {
    let travel = clocks(&[
        ("2026-03-04", "2026-03-03T23:00:00+09:00", "2026-03-04T06:00:00+09:00"),
        ("2026-03-08", "2026-03-07T22:00:00-08:00", "2026-03-08T06:00:00-08:00"),
    ]);
    for (date, offset) in [
        ("2026-02-24", ""),
        ("2026-02-25", "+09:00"),
        ("2026-03-04", "+09:00"),
        ("2026-03-07", "+09:00"),
        ("2026-03-08", "-08:00"),
        ("2026-03-15", "-08:00"),
        ("2026-03-16", ""),
    ] {
        assert_eq!(
            heart_rate(date, "12:00:00", &travel),
            format!("{date}T12:00:00{offset}")
        );
    }
}

/// The local day of the start, whatever the day in UTC is.
#[test]
fn the_day_of_an_exercise() {
    for (start, minutes, utc) in [
        ("2026-03-04T23:40:00", -480, "2026-03-04T23:40:00-08:00"),
        ("2026-03-04T00:05:00", 780, "2026-03-04T00:05:00+13:00"),
        ("2026-03-29T01:40:00", 60, "2026-03-29T01:40:00+01:00"),
    ] {
        let exercise = read(&format!(
            r#"{{"id":"E1","start_time":"{start}","start_time_utc_offset":{minutes},"duration":"PT1H"}}"#
        ));
        let readings = mapping::exercise(&exercise, &Clocks::default()).expect("times");
        check_arrivals(&readings);
        let workout = values(&readings, Workouts).remove(0);
        assert_eq!(
            (&workout["time_start"], workout["calendar_date"].as_str()),
            (&json!(utc), Some(&start[..10]))
        );
        assert_eq!(
            mapping::day_of_exercise(&exercise)
                .map(|day| day.to_string())
                .as_deref(),
            Some(&start[..10])
        );
    }
}
