//! Tests of nights and naps.

use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName::{Sleep, SleepCycle};

use super::super::generated::models::{DataPoint, DataPointPage};
use super::super::mapping;
use super::{check_arrivals, read, values};

const NIGHT: &str = r#"{"dataPoints":[{"name":"users/h1/dataTypes/sleep/dataPoints/s1","dataSource":{"platform":"FITBIT",
    "recordingMethod":"DERIVED","device":{"displayName":"Band X"}},"sleep":{"interval":{
    "startTime":"2026-03-03T22:00:00Z","startUtcOffset":"3600s","endTime":"2026-03-04T05:30:00Z",
    "endUtcOffset":"3600s"},"type":"STAGES","stages":[{"startTime":"2026-03-03T22:20:00Z",
    "endTime":"2026-03-04T05:40:00Z","type":"DEEP"},{"startTime":"2026-03-03T22:00:00Z",
    "endTime":"2026-03-03T22:20:00Z","type":"AWAKE"}],"summary":{"minutesInSleepPeriod":"450","minutesAsleep":"410",
    "minutesAwake":"40","minutesToFallAsleep":"8","stagesSummary":[{"type":"DEEP","minutes":"80","count":"4"},
    {"type":"LIGHT","minutes":"240"},{"type":"REM","minutes":"90"}]},"metadata":{"nap":false,"processed":true},
    "updateTime":"2026-03-04T06:00:00Z"}}],"nextPageToken":""}"#;

fn night() -> DataPoint {
    let page: DataPointPage = read(NIGHT);
    page.data_points.into_iter().next().expect("a point")
}

fn of_days() -> Vec<DataPoint> {
    let day = r#""date":{"year":2026,"month":3,"day":4}"#;
    let points = [
        format!(r#"{{"dailyHeartRateVariability":{{{day},"averageHeartRateVariabilityMilliseconds":43.1}}}}"#),
        format!(r#"{{"dailyRespiratoryRate":{{{day},"breathsPerMinute":14.2}}}}"#),
        format!(
            r#"{{"dailySleepTemperatureDerivations":{{{day},"nightlyTemperatureCelsius":33.9,
                "baselineTemperatureCelsius":34.1}}}}"#
        ),
    ];
    points.iter().map(|point| read(point)).collect()
}

fn convert(points: &[DataPoint], days: &[DataPoint]) -> Vec<Reading> {
    let readings = mapping::sleeps(points, days).expect("readings");
    check_arrivals(&readings);
    readings
}

#[test]
fn a_night_of_the_documentation() {
    let readings = convert(&[night()], &of_days());
    let sleep = json!({
        "provider_id": "s1", "calendar_date": "2026-03-04", "bedtime_start": "2026-03-03T23:00:00+01:00",
        "bedtime_stop": "2026-03-04T06:30:00+01:00", "type": "long_sleep", "timezone_offset": 3600, "duration": 27000,
        "total": 24600, "awake": 2400, "light": 14400, "rem": 5400, "deep": 4800, "efficiency": 91.11, "latency": 480,
        "state": "confirmed", "average_hrv": 43.1, "respiratory_rate": 14.2, "skin_temperature": 33.9,
        "temperature_delta": -0.2,
    });
    assert_eq!(values(&readings, Sleep), [sleep]);
    let cycle = json!({
        "provider_id": "s1", "session_start": "2026-03-03T23:00:00+01:00", "session_end": "2026-03-04T06:30:00+01:00",
        "stage_start_offset_second": [0, 1200], "stage_end_offset_second": [1200, 27000], "stage_type": [4, 1],
    });
    assert_eq!(values(&readings, SleepCycle), [cycle]);
    assert!(readings.iter().all(|reading| reading.day.to_string() == "2026-03-04"));
}

#[test]
fn a_sleep_without_values() {
    let empty = r#"{"name":null,"dataPointName":null,"sleep":{"interval":{"startTime":"2026-03-04T13:00:00Z",
        "startUtcOffset":null,"endTime":"2026-03-04T14:00:00Z","endUtcOffset":null,"civilStartTime":null},"stages":null,
        "summary":null,"metadata":null,"createTime":null,"updateTime":null}}"#;
    let expected = json!({
        "provider_id": "2026-03-04T13:00:00+00:00", "calendar_date": "2026-03-04",
        "bedtime_start": "2026-03-04T13:00:00+00:00", "bedtime_stop": "2026-03-04T14:00:00+00:00", "type": "long_sleep",
        "duration": 3600, "total": 0, "awake": 0, "light": 0, "rem": 0, "deep": 0,
    });
    let readings = convert(&[read(empty)], &[]);
    assert_eq!((values(&readings, Sleep), readings.len()), (vec![expected], 1));
}

#[test]
fn the_longest_sleep_has_the_values_of_the_day() {
    let mut nap = night();
    if let Some(metadata) = nap.sleep.as_mut().and_then(|sleep| sleep.metadata.as_mut()) {
        (metadata.nap, metadata.processed) = (Some(true), Some(false));
    }
    nap.name = None;
    nap.data_point_name = Some("users/h1/dataTypes/sleep/dataPoints/n1".to_owned());
    let mut short = night();
    short.name = Some("users/h1/dataTypes/sleep/dataPoints/s2".to_owned());
    if let Some(sleep) = &mut short.sleep {
        sleep.interval.start_time += chrono::TimeDelta::hours(3);
    }
    let readings = convert(&[nap, short, night()], &of_days());
    let shown: Vec<_> = values(&readings, Sleep)
        .iter()
        .map(|sleep| {
            let member = |name: &str| sleep.get(name).cloned().unwrap_or_default();
            [
                member("provider_id"),
                member("type"),
                member("state"),
                member("average_hrv"),
            ]
        })
        .collect();
    let expected = [
        [json!("n1"), json!("acknowledged_nap"), json!("tentative"), json!(null)],
        [json!("s2"), json!("long_sleep"), json!("confirmed"), json!(null)],
        [json!("s1"), json!("long_sleep"), json!("confirmed"), json!(43.1)],
    ];
    assert_eq!(shown, expected);
    let naps = convert(
        &[{
            let mut nap = night();
            if let Some(metadata) = nap.sleep.as_mut().and_then(|sleep| sleep.metadata.as_mut()) {
                metadata.nap = Some(true);
            }
            nap
        }],
        &of_days(),
    );
    assert_eq!(
        values(&naps, Sleep)[0].get("average_hrv"),
        None,
        "a nap has no values of the day"
    );
}

#[test]
fn stages_have_our_numbers() {
    for (theirs, ours) in [
        ("DEEP", 1),
        ("LIGHT", 2),
        ("REM", 3),
        ("AWAKE", 4),
        ("ASLEEP", 5),
        ("RESTLESS", -1),
        ("LEVITATING", -1),
    ] {
        let mut night = night();
        let stage =
            format!(r#"{{"startTime":"2026-03-03T22:20:00Z","endTime":"2026-03-03T22:30:00Z","type":"{theirs}"}}"#);
        if let Some(sleep) = &mut night.sleep {
            sleep.stages = vec![read(&stage)];
        }
        assert_eq!(
            values(&convert(&[night], &[]), SleepCycle)[0]["stage_type"],
            json!([ours]),
            "{theirs}"
        );
    }
}
