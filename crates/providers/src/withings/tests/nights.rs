//! Tests of nights and their stages.

use serde_json::{Value, json};
use wearlab_models::ResourceName::{Heartrate, Hrv, RespiratoryRate, SleepCycle};

use super::super::generated::models::{Night, SleepItem, SleepResponse, Stage};
use super::super::mapping;
use super::{check_arrivals, read, values};

/// Night of the documentation, in a page.
const NIGHTS: &str = r#"{"status":0,"body":{"series":[{"id":8001,"timezone":"Europe/Oslo","model":32,"model_id":63,
    "startdate":1772571600,"enddate":1772600400,"date":"2026-03-04","created":1772600500,"modified":1772600900,
    "hash_deviceid":"dev-3","completed":true,"data":{"total_timeinbed":28800,"total_sleep_time":26400,
    "lightsleepduration":14400,"deepsleepduration":6000,"remsleepduration":6000,"wakeupduration":2400,
    "sleep_efficiency":0.92,"sleep_latency":600,"sleep_score":84,"hr_average":55,"hr_min":47,"rr_average":14,
    "rmssd_start_avg":38.0,"rmssd_end_avg":51.0,"night_events":"{}"}}],"more":false,"offset":0}}"#;
/// Stage of the documentation, in a page.
const STAGES: &str = r#"{"status":0,"body":{"series":[{"startdate":1772571600,"enddate":1772573400,"state":1,
    "hr":{"1772571600":58},"rr":{"1772571600":14},"rmssd":{"1772571600":0}}]}}"#;

fn night() -> Night {
    let response: SleepResponse = read(NIGHTS);
    match response.body.expect("a page").series.remove(0) {
        SleepItem::Night(night) => night,
        other => panic!("{other:?}"),
    }
}

/// Returns a night with nulls wherever they are allowed.
fn empty() -> Night {
    let names = [
        "total_timeinbed",
        "total_sleep_time",
        "asleepduration",
        "lightsleepduration",
        "deepsleepduration",
        "remsleepduration",
        "wakeupduration",
        "wakeupcount",
        "waso",
        "sleep_efficiency",
        "sleep_latency",
        "sleep_score",
        "hr_average",
        "hr_min",
        "hr_max",
        "rr_average",
        "rmssd_start_avg",
        "rmssd_end_avg",
        "core_body_temperature_avg",
        "snoring",
        "apnea_hypopnea_index",
    ];
    let data: serde_json::Map<_, _> = names.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
    let night = json!({"id": 8002, "timezone": null, "model": null, "model_id": null, "hash_deviceid": null,
        "startdate": 1_772_571_600, "enddate": 1_772_600_400, "date": null, "created": null, "modified": null,
        "completed": null, "data": data});
    read(&night.to_string())
}

fn stage(start: i64, end: i64, state: i64) -> Stage {
    let begin = 1_772_571_600;
    read(
        &json!({"startdate": begin + start, "enddate": begin + end, "state": state, "hash_deviceid": null,
        "hr": null, "rr": null, "rmssd": null, "sdnn_1": null, "snoring": null})
        .to_string(),
    )
}

fn value(night: &Night) -> Value {
    let reading = mapping::sleep(night).expect("a reading");
    check_arrivals(std::slice::from_ref(&reading));
    assert_eq!(Ok(reading.day), mapping::night_day(night));
    Value::Object(reading.value)
}

/// Returns the columns of the stages of a night.
fn columns(night: &Night, stages: &[Stage]) -> Option<[Value; 3]> {
    let reading = mapping::sleep_cycle(night, stages).expect("a cycle")?;
    check_arrivals(std::slice::from_ref(&reading));
    let names = ["stage_start_offset_second", "stage_end_offset_second", "stage_type"];
    Some(names.map(|name| reading.value[name].clone()))
}

#[test]
fn a_night_of_the_documentation() {
    let expected = json!({
        "provider_id": "8001", "calendar_date": "2026-03-04", "bedtime_start": "2026-03-03T22:00:00+01:00",
        "bedtime_stop": "2026-03-04T06:00:00+01:00", "type": "unknown", "timezone_offset": 3600, "duration": 28800,
        "total": 26400, "awake": 2400, "light": 14400, "rem": 6000, "deep": 6000, "score": 84.0, "hr_lowest": 47.0,
        "hr_average": 55.0, "efficiency": 92.0, "latency": 600, "state": "confirmed", "average_hrv": 44.5,
        "respiratory_rate": 14.0,
    });
    assert_eq!(value(&night()), expected);
    assert_eq!(
        mapping::sleep(&night()).expect("a reading").source_type,
        Some("unknown"),
        "a mat"
    );
}

#[test]
fn a_night_without_values() {
    let mut expected = json!({
        "provider_id": "8002", "calendar_date": "2026-03-04", "bedtime_start": "2026-03-03T21:00:00+00:00",
        "bedtime_stop": "2026-03-04T05:00:00+00:00", "type": "unknown", "duration": 28800,
        "total": 0, "awake": 0, "light": 0, "rem": 0, "deep": 0,
    });
    let mut night = empty();
    assert_eq!(value(&night), expected);
    night.data = None;
    assert_eq!(value(&night), expected);
    let minimal: Night = read(r#"{"id":8002,"startdate":1772571600,"enddate":1772600400}"#);
    assert_eq!(value(&minimal), expected);
    night.completed = Some(false);
    expected["state"] = json!("tentative");
    assert_eq!(value(&night), expected);
}

/// Nights of other services have no stages, and 0 where nothing was measured.
#[test]
fn a_night_of_another_service() {
    let mut night = empty();
    if let Some(data) = &mut night.data {
        data.asleepduration = Some(25_000.0);
        (data.hr_min, data.hr_average, data.rr_average) = (Some(0.0), Some(0.0), Some(0.0));
        (data.rmssd_start_avg, data.rmssd_end_avg) = (Some(0.0), Some(51.0));
    }
    let sleep = value(&night);
    assert_eq!((&sleep["total"], &sleep["average_hrv"]), (&json!(25_000), &json!(51.0)));
    for name in ["hr_lowest", "hr_average", "respiratory_rate"] {
        assert_eq!(sleep.get(name), None, "{name}");
    }
    if let Some(data) = &mut night.data {
        data.asleepduration = None;
        (data.lightsleepduration, data.remsleepduration) = (Some(600.0), Some(300.0));
    }
    assert_eq!(value(&night)["total"], json!(900));
}

#[test]
fn a_stage_of_the_documentation() {
    let response: SleepResponse = read(STAGES);
    let items = response.body.expect("a page").series;
    let stages: Vec<_> = items
        .into_iter()
        .map(|item| match item {
            SleepItem::Stage(stage) => stage,
            other => panic!("{other:?}"),
        })
        .collect();
    let cycle = mapping::sleep_cycle(&night(), &stages)
        .expect("a cycle")
        .expect("stages");
    let expected = json!({
        "provider_id": "8001", "session_start": "2026-03-03T22:00:00+01:00", "session_end": "2026-03-04T06:00:00+01:00",
        "time_zone": "Europe/Oslo", "stage_start_offset_second": [0], "stage_end_offset_second": [1800],
        "stage_type": [2],
    });
    assert_eq!(cycle.day.to_string(), "2026-03-04");
    assert_eq!(values(&[cycle], SleepCycle), [expected]);
    let samples = mapping::stage_samples(&night(), &stages).expect("samples");
    check_arrivals(&samples);
    let sample = |value: f64| json!({"timestamp": "2026-03-03T21:00:00+00:00", "value": value});
    assert_eq!(values(&samples, Heartrate), [sample(58.0)]);
    assert_eq!(values(&samples, RespiratoryRate), [sample(14.0)]);
    assert_eq!(values(&samples, Hrv), [json!(null); 0], "0 was not measured");
    assert!(samples.iter().all(|sample| sample.source_type == Some("unknown")));
}

#[test]
fn states_have_our_numbers() {
    for (theirs, ours) in [(0, 4), (1, 2), (2, 1), (3, 3), (4, 5), (5, 5), (15, 4), (77, -1)] {
        let columns = columns(&night(), &[stage(0, 600, theirs)]).expect("stages");
        assert_eq!(columns[2], json!([ours]), "{theirs}");
    }
    assert_eq!(columns(&night(), &[]), None);
}

/// Stages end with the night, begin where the one before ends, and may have gaps between them.
#[test]
fn stages_are_within_the_night_and_follow_each_other() {
    let stages = [
        stage(-600, 600, 1),
        stage(300, 900, 2),
        stage(300, 900, 2),
        stage(1_200, 1_800, 3),
        stage(1_500, 1_500, 0),
        stage(1_800, 90_000, 1),
        stage(90_000, 91_000, 1),
    ];
    let expected = [
        json!([0, 600, 1_200, 1_800]),
        json!([600, 900, 1_800, 28_800]),
        json!([2, 1, 3, 2]),
    ];
    assert_eq!(columns(&night(), &stages), Some(expected));
    let mut broken = night();
    (broken.startdate, broken.enddate) = (i64::MIN, i64::MAX);
    assert!(mapping::sleep(&broken).is_err());
}
