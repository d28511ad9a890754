//! Tests of the samples of streams.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName::{Heartrate, WorkoutDistance, WorkoutPower};

use super::super::generated::models::Activity;
use super::super::mapping;
use super::{check_arrivals, read, values};

fn activity() -> Activity {
    read(
        r#"{"id":1,"start_date":"2026-03-04T11:02:00Z","start_date_local":"2026-03-04T12:02:00Z","utc_offset":3600.0,
            "elapsed_time":1980}"#,
    )
}

/// Returns the samples of streams, which are arrivals.
fn samples(streams: &str) -> Vec<Reading> {
    let readings = mapping::samples(&activity(), &read(streams));
    check_arrivals(&readings);
    readings
}

fn at(time: &str, value: impl Into<Value>) -> Value {
    json!({"timestamp": format!("2026-03-04T12:{time}+01:00"), "value": value.into()})
}

fn from_to(from: &str, to: &str, value: f64) -> Value {
    let time = |time: &str| format!("2026-03-04T12:{time}+01:00");
    json!({"timestamp": time(from), "start": time(from), "end": time(to), "value": value})
}

#[test]
fn heart_rate() {
    let readings = samples(
        r#"{"time":{"data":[0,1,2],"series_type":"distance","original_size":3,"resolution":"high"},
            "heartrate":{"data":[101,103,104],"series_type":"distance","original_size":3,"resolution":"ultra"},
            "new_stream":{"data":["a"]}}"#,
    );
    let expected = [at("02:00", 101.0), at("02:01", 103.0), at("02:02", 104.0)];
    assert_eq!(values(&readings, Heartrate), expected);
    assert_eq!(readings.len(), 3);
    assert!(readings.iter().all(|reading| reading.day.to_string() == "2026-03-04"));
}

/// A pause, values that are null, a sensor that was off, and a stream that ends early.
#[test]
fn gaps() {
    let readings = samples(
        r#"{"time":{"data":[0,10,70,71,null,73]},"heartrate":{"data":[0,103,null,104,105]},
            "watts":{"data":[0,null,210,211,212,213]},"distance":{"data":[0.0,25.1,25.1,null,27.0,30.4]}}"#,
    );
    assert_eq!(values(&readings, Heartrate), [at("02:10", 103.0), at("03:11", 104.0)]);
    let power = [
        at("02:00", 0.0),
        at("03:10", 210.0),
        at("03:11", 211.0),
        at("03:13", 213.0),
    ];
    assert_eq!(values(&readings, WorkoutPower), power);
    let distances = [
        from_to("02:00", "02:10", 25.1),
        from_to("02:10", "03:10", 0.0),
        from_to("03:10", "03:13", 5.3),
    ];
    assert_eq!(values(&readings, WorkoutDistance), distances);
}

/// The sum of the distances is the last total, also where it begins late, or goes back.
#[test]
fn distances() {
    let readings = samples(r#"{"time":{"data":[4,5,6,7]},"distance":{"data":[10.0,14.2,13.9,18.4]}}"#);
    let expected = [
        from_to("02:00", "02:04", 10.0),
        from_to("02:04", "02:05", 4.2),
        from_to("02:05", "02:06", 0.0),
        from_to("02:06", "02:07", 4.2),
    ];
    assert_eq!(values(&readings, WorkoutDistance), expected);
}

#[test]
fn streams_without_times_or_values() {
    for streams in [
        "{}",
        r#"{"heartrate":{"data":[101]}}"#,
        r#"{"time":{"data":[]},"heartrate":{"data":[101]}}"#,
        r#"{"time":{"data":[0,1],"series_type":null,"original_size":null,"resolution":null}}"#,
    ] {
        assert_eq!(samples(streams), []);
    }
}

#[test]
fn values_are_not_in_debug_output() {
    let readings = samples(r#"{"time":{"data":[0]},"heartrate":{"data":[187]}}"#);
    let shown = format!("{readings:?}");
    assert!(shown.contains("Heartrate") && !shown.contains("187"), "{shown}");
}
